import type { Context } from "hono";
import { needsFreshSignIn } from "../../domain/tenancy/fresh-sign-in.ts";
import { showPage } from "./pages/layout.tsx";
import { SignInAgainPage } from "./pages/sign-in-again-page.tsx";
import type { Visitor, Web } from "./web-session.ts";

/** What a person comes back to: a part of the account page, or the page of a team. */
export type Section = "ways-in" | "keys" | `teams/${string}`;

export const pathOf = (section: string): string => (section.startsWith("teams/") ? `/${section}` : `/#${encodeURIComponent(section)}`);

/** Does what a form of the account page asks for, of somebody who is signed in. */
export async function forVisitor(c: Context<Web>, section: Section, work: (visitor: Visitor) => Promise<Response>): Promise<Response> {
  const visitor = c.get("visitor");
  return visitor ? orSignInAgain(c, section, () => work(visitor)) : c.redirect("/sign-in", 303);
}

/** Whose sign-in is too long ago for what a form asks signs in again, and comes back to where the form is. */
export async function orSignInAgain(c: Context<Web>, section: Section, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!needsFreshSignIn(error)) throw error;
    return showPage(c, { title: "Sign in again", status: 403, body: <SignInAgainPage section={section} /> });
  }
}
