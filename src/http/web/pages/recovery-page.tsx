import { freshSignInMs } from "../../../domain/tenancy/fresh-sign-in.ts";
import type { SignInLink } from "../../../domain/tenancy/sign-in-store.ts";
import { Act } from "./act.tsx";
import { Instant } from "./instant.tsx";
import { ToAccount } from "./to-account.tsx";

export type RecoveryLink = Pick<SignInLink, "createdAt" | "expiresAt">;

/** A part of the account page: whether there is a recovery link, and what can be done about it. */
export const Recovery = ({ link }: { link: RecoveryLink | undefined }) => (
  <>
    <h3 id="recovery">Recovery link</h3>
    {link ? (
      <p>
        You have one since <Instant at={link.createdAt} />. It signs you in once, until <Instant at={link.expiresAt} />.
      </p>
    ) : (
      <p>You have none. It signs you in once, within a year, should you lose every other way.</p>
    )}
    <div class="row">
      <Act action="/recovery-link" label={link ? "Replace the recovery link" : "Make a recovery link"} />
      {link && <Act action="/recovery-link/revoke" label="Revoke the recovery link" />}
    </div>
  </>
);

/** The one time that the link is shown. */
export const NewRecoveryLinkPage = ({ link, expiresAt }: { link: string; expiresAt: number }) => (
  <>
    <h1>Your recovery link</h1>
    <p class="warning">
      Print it or put it into a safe place now: it is shown this once. Whoever has it gets in as you.
    </p>
    <p>
      <code>{link}</code>
    </p>
    <p>
      It signs you in once, until <Instant at={expiresAt} />. A link that you made before does not work any more.
    </p>
    <ToAccount />
  </>
);

/** For somebody whose only way in is gone by having been used. */
export const CameByRecoveryLink = ({ onward }: { onward: string | undefined }) => (
  <div class="warning" role="alert">
    <p>
      <strong>You came in by your recovery link; it is used up.</strong> Add a passkey or an account under{" "}
      <a href="#ways-in">How you sign in</a>, remove what you lost, and make a new link.
      Do it within {freshSignInMs / 60_000} minutes: then these are closed to you until you sign in again, and this link will not let you.
    </p>
    {onward !== undefined && (
      <p>
        Then <a href={onward}>go on with what you came for</a>.
      </p>
    )}
  </div>
);
