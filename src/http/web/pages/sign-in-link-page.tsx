import type { LinkPreview } from "../../../domain/tenancy/sign-in-store.ts";
import type { Visitor } from "../web-session.ts";

interface SignInLinkProps {
  token: string;
  link: LinkPreview;
  /** Somebody else, whom this browser is signed in as. */
  other: Visitor | undefined;
  /** Names this page alone. */
  page: string;
}

/**
 * Opening a link shows this page and does nothing else: programs that look ahead at links must not use them up. It names
 * whose account it opens, since anybody may send somebody a link into an account of the sender's own.
 */
export const SignInLinkPage = ({ token, link, other, page }: SignInLinkProps) => (
  <>
    <h1>Sign in to OmniMemory</h1>
    <p>
      You are about to be signed in as <strong>{link.person.name}</strong> ({accountOf(link)}).
    </p>
    <p>
      Go on only if this account is yours. What you store in somebody else's account, they can read.
    </p>
    {other && (
      <p class="warning">
        This browser is signed in as <strong>{other.person.name}</strong>, which is another account. Going on signs it out here.
      </p>
    )}
    <form method="post" action="/sign-in/link">
      <input type="hidden" name="token" value={token} />
      <input type="hidden" name="page" value={page} />
      {other && <input type="hidden" name="replace" value={other.session.id} />}
      <p class="row">
        <button type="submit" class="main">
          {other ? `Sign out ${other.person.name} and sign in as ${link.person.name}` : "Sign in"}
        </button>
        {other && <a href="/">Stay signed in as {other.person.name}</a>}
      </p>
    </form>
    <p class="aside">The link works once.</p>
  </>
);

/** Names can be chosen to look like another's; an address that an issuer gave, or the id, cannot. */
const accountOf = ({ person, email }: LinkPreview): string => (email === null ? `account ${shortened(person.userId)}` : masked(email));

/** The end of an id is random, its beginning is the time of its making. */
const shortened = (id: string): string => (id.length > 8 ? `…${id.slice(-8)}` : id);

/** Enough for its owner to know it by, too little to write to. */
function masked(email: string): string {
  const at = email.lastIndexOf("@");
  return at < 1 ? "…" : `${email.slice(0, 1)}…${email.slice(at)}`;
}
