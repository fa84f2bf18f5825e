import type { Passkey } from "../../../domain/tenancy/passkeys.ts";
import type { UpstreamProvider } from "../../upstream/provider.ts";
import { Instant } from "./instant.tsx";
import { PasskeyStatus } from "./passkey-status.tsx";
import { Recovery, type RecoveryLink } from "./recovery-page.tsx";

export interface SignInMethodsProps {
  passkeys: readonly Passkey[];
  identities: readonly { issuer: string; name: string | null; email: string | null }[];
  recovery: RecoveryLink | undefined;
  providers: readonly Pick<UpstreamProvider, "id" | "name" | "issuer">[];
}

/** How the person signs in, and what they can add. */
export const SignInMethods = ({ passkeys, identities, recovery, providers }: SignInMethodsProps) => (
  <>
    <h2 id="ways-in">How you sign in</h2>
    {passkeys.length + identities.length === 0 ? (
      <p>By a link only, so far.</p>
    ) : (
      <ul aria-labelledby="ways-in" class="cards">
        {passkeys.map((passkey) => (
          <PasskeyCard passkey={passkey} isOnlyWay={passkeys.length + identities.length === 1} />
        ))}
        {identities.map(({ issuer, name, email }) => (
          <li>
            <strong>{providers.find((provider) => provider.issuer === issuer)?.name ?? issuer}</strong>
            {[name, email].filter(Boolean).map((part) => `, ${part}`)}
          </li>
        ))}
      </ul>
    )}
    <div hidden>
      <label for="passkey-name">Name of a new passkey</label>
      <div class="row">
        <input type="text" id="passkey-name" maxlength={60} autocomplete="off" />
        <button type="button" data-passkey="add" data-name="passkey-name">
          Add a passkey
        </button>
      </div>
    </div>
    <PasskeyStatus />
    {providers.map(({ id, name }) => (
      <form method="post" action={`/identities/${id}`}>
        <p>
          <button type="submit">Add an account at {name}</button>
        </p>
      </form>
    ))}
    <Recovery link={recovery} />
    <script src="/passkey.js" defer></script>
  </>
);

const PasskeyCard = ({ passkey: { credentialId, name, createdAt, lastUsedAt }, isOnlyWay }: { passkey: Passkey; isOnlyWay: boolean }) => (
  <li>
    <p>
      <strong>{name}</strong>, a passkey
    </p>
    <p class="aside">
      Added <Instant at={createdAt} />
      {lastUsedAt !== null && (
        <>
          , last used <Instant at={lastUsedAt} />
        </>
      )}
    </p>
    {!isOnlyWay && (
      <form method="post" action={`/passkeys/${credentialId}/remove`}>
        <button type="submit" aria-label={`Remove the passkey ${name}`}>
          Remove
        </button>
      </form>
    )}
  </li>
);
