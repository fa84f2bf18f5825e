interface NotListedProps {
  provider: string;
  server: string;
  /** The verified addresses that the allow-list does not have. */
  verified: readonly string[];
}

/** For somebody whom the issuer knows and the server's list does not. */
export const NotListedPage = ({ provider, server, verified }: NotListedProps) => (
  <>
    <h1>You are not let in yet</h1>
    <p>
      {verified.length > 0 ? (
        <>
          {provider} says that you are <strong>{verified.join(", ")}</strong>. That is not on the list of who may sign in here.
        </>
      ) : (
        <>{provider} names no address of yours that it has verified, and who may sign in here is decided by that.</>
      )}
    </p>
    <p>
      Ask whoever runs {server} to put your address on the list; if somebody invited you, ask them to see to it. Then sign in again: your
      invitation still works as long as it says.
    </p>
    <p>
      <a href="/sign-in">Sign in another way</a>
    </p>
  </>
);
