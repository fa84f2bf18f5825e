import type { Context } from "hono";
import { routePath } from "hono/route";
import type { Services } from "../../app.ts";
import { noteRefusal } from "../../domain/audit/refusals.ts";
import { asDomainError } from "../../domain/errors.ts";
import { needsFreshSignIn } from "../../domain/tenancy/fresh-sign-in.ts";
import { auditLater } from "../later.ts";
import { errorPage, problemPage } from "./pages/error-page.tsx";
import { showPage } from "./pages/layout.tsx";
import { SignInAgainPage } from "./pages/sign-in-again-page.tsx";
import { originOfCall, type Visitor, type Web } from "./web-session.ts";

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

/** Says on a page why something was refused; what somebody may not do is in the audit. */
export async function orExplained(services: Services, c: Context<Web>, visitor: Visitor, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    const known = asDomainError(error);
    if (!known || needsFreshSignIn(error)) throw error;
    if (known.code === "PERMISSION_DENIED") {
      const who = { userId: visitor.person.userId, credentialId: visitor.session.id };
      auditLater(services, c, c.get("requestId"), noteRefusal(services.audit, who, `${c.req.method} ${routePath(c, -1)}`, Date.now(), originOfCall(c)));
    }
    if (known.code === "MEMORY_NOT_FOUND") return errorPage(c, 404, "There is no such memory.", "It may be forgotten, or seen by others alone.", { link: { href: `/memories/${c.req.param("team")}`, children: "All memories" } });
    return problemPage(c, known);
  }
}
