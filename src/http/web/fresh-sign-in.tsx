import type { Context } from "hono";
import { needsFreshSignIn } from "../../domain/tenancy/fresh-sign-in.ts";
import { showPage } from "./pages/layout.tsx";
import { SignInAgainPage } from "./pages/sign-in-again-page.tsx";
import type { Visitor, Web } from "./web-session.ts";

/** Parts of the start page that a person comes back to. */
export type HomeSection = "ways-in" | "keys";

/**
 * Does what a form of the start page asks for. Who is not signed in does that first; whose sign-in is too long ago for it
 * signs in again, and comes back to the part of the page that holds the form.
 */
export async function forVisitor(c: Context<Web>, section: HomeSection, work: (visitor: Visitor) => Promise<Response>): Promise<Response> {
  const visitor = c.get("visitor");
  if (!visitor) return c.redirect("/sign-in", 303);
  try {
    return await work(visitor);
  } catch (error) {
    if (!needsFreshSignIn(error)) throw error;
    return showPage(c, { title: "Sign in again", status: 403, body: <SignInAgainPage section={section} /> });
  }
}
