import type { UpstreamProvider } from "../../upstream/provider.ts";

type Named = Pick<UpstreamProvider, "id" | "name">;

interface SignInProps {
  providers: readonly Named[];
  /** Whether the person has the server's terminal before them. */
  local: boolean;
}

/** Ways to sign in. */
export const SignInPage = ({ providers, local }: SignInProps) => (
  <>
    <h1>Sign in to OmniMemory</h1>
    <div hidden>
      <p>
        <button type="button" class="main" data-passkey="use">
          Sign in with a passkey
        </button>
      </p>
    </div>
    <p id="passkey-status" role="status"></p>
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
        The first time, open the link that <code>npm start</code> printed in the terminal. It works once, for a day; the next start
        prints a new one.
      </p>
    )}
    <script src="/passkey.js" defer></script>
  </>
);

/** A link only opens this page: programs that look ahead at links must not use them up. */
export const SignInLinkPage = ({ token }: { token: string }) => (
  <>
    <h1>Sign in to OmniMemory</h1>
    <p>This link signs this browser in, once.</p>
    <form method="post" action="/sign-in/link">
      <input type="hidden" name="token" value={token} />
      <button type="submit" class="main">
        Sign in
      </button>
    </form>
  </>
);
