import type { Context } from "hono";
import { routePath } from "hono/route";
import type { Services } from "../../app.ts";
import { noteRefusal } from "../../domain/audit/refusals.ts";
import { asDomainError, notFound } from "../../domain/errors.ts";
import { needsFreshSignIn } from "../../domain/tenancy/fresh-sign-in.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { principalIn } from "../../domain/tenancy/teams.ts";
import { auditLater } from "../later.ts";
import { chargeBrowser } from "../routes/limits.ts";
import { errorPage, problemPage } from "./pages/error-page.tsx";
import { originOfCall, type Visitor, type Web } from "./web-session.ts";
import { rememberReturn } from "./way-back.ts";

/** Does what somebody asks for in the team of the path. Who is not signed in does that first; a team of others is like one that is not there. */
export async function forMember(services: Services, c: Context<Web>, work: (principal: Principal, visitor: Visitor) => Promise<Response>): Promise<Response> {
  const visitor = c.get("visitor");
  if (!visitor) {
    if (c.req.method === "GET") {
      const { pathname, search } = new URL(c.req.url);
      await rememberReturn(services, c, pathname + search);
      return c.redirect("/sign-in", 303);
    }
    return errorPage(c, 401, "You are signed out", "Nothing was changed. Sign in in another tab, then try again.", {
      link: { href: "/sign-in", target: "_blank", children: "Sign in" },
    });
  }
  return orExplained(services, c, visitor, async () => {
    await chargeBrowser(services, c, visitor.person.userId);
    const principal = await principalIn(services.tenants, visitor, c.req.param("team") ?? "");
    if (!principal) throw notFound("You are in no such team.", "Your account shows your teams.");
    return work(principal, visitor);
  });
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
