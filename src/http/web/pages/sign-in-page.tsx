import type { UpstreamProvider } from "../../upstream/provider.ts";
import { PasskeyStatus } from "./passkey-status.tsx";
import { SigningInAgain } from "./sign-in-again-page.tsx";

type Named = Pick<UpstreamProvider, "id" | "name">;

interface SignInProps {
  providers: readonly Named[];
  /** Whether the person has the server's terminal before them. */
  local: boolean;
  /** Who is signed in already and does it again. */
  again: string | undefined;
}

/** Ways to sign in. */
export const SignInPage = ({ providers, local, again }: SignInProps) => (
  <>
    <h1>Sign in to OmniMemory</h1>
    {again !== undefined && <SigningInAgain name={again} />}
    <div hidden>
      <p>
        <button type="button" class="main" data-passkey="use">
          Sign in with a passkey
        </button>
      </p>
    </div>
    <PasskeyStatus />
    {providers.map(({ id, name }) => (
      <form method="post" action={`/sign-in/with/${id}`}>
        <p>
          <button type="submit">Sign in with {name}</button>
        </p>
      </form>
    ))}
    <p class="aside">Lost every way in? If you made a recovery link, open it.</p>
    {local && (
      <p>
        The first time, open the link that <code>npm start</code> printed in the terminal, in this browser. It works once, for a day; the
        next start prints a new one. You then go on with what you came for.
      </p>
    )}
    <script src="/passkey.js" defer></script>
  </>
);
