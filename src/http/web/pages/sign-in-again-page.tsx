import { freshSignInMs } from "../../../domain/tenancy/fresh-sign-in.ts";
import type { Section } from "../fresh-sign-in.tsx";

const minutes = freshSignInMs / 60_000;

/** For somebody whose session is too old for what they asked. Nothing of the form is kept. */
export const SignInAgainPage = ({ section }: { section: Section }) => (
  <>
    <h1>Sign in again first</h1>
    <p>
      You signed in more than {minutes} minutes ago. Ways to sign in, keys that last longer or administer, who owns a team, and what cannot be taken
      back are changed only by somebody who just has. Nothing was changed.
    </p>
    <p>
      <a href={`/sign-in?again=${section}`}>Sign in again</a>, and you come back to where you were. What you had filled in is to be filled in
      again.
    </p>
  </>
);

/** Above the ways to sign in, for somebody who does it again. */
export const SigningInAgain = ({ name }: { name: string }) => (
  <div class="warning">
    <p>
      You are signed in as <strong>{name}</strong>. Sign in again to show that it is you, and you come back to where you were.
    </p>
    <p>
      <a href="/">Leave it as it is</a>
    </p>
  </div>
);
