/** Ways to sign in. */
export const SignInPage = () => (
  <>
    <h1>Sign in to OmniMemory</h1>
    <p>
      Open the sign-in link that <code>npm start</code> printed in the terminal. It works once, for a day; the next start prints a
      new one.
    </p>
  </>
);

/** A link only opens this page: programs that look ahead at links must not use them up. */
export const SignInLinkPage = ({ token }: { token: string }) => (
  <>
    <h1>Sign in to OmniMemory</h1>
    <p>This link signs this browser in, once.</p>
    <form method="post" action="/sign-in/link">
      <input type="hidden" name="token" value={token} />
      <button type="submit">Sign in</button>
    </form>
  </>
);
