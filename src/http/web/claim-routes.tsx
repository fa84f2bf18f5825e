import type { Context as WebCall } from "hono";
import type { Services } from "../../app.ts";
import { asDomainError } from "../../domain/errors.ts";
import { type ClaimedSession, claimRefused, previewClaim, takeClaim } from "../../domain/sessions/claims.ts";
import { passportOf, type PassportPorts } from "../../domain/sessions/passports.ts";
import type { Sessions } from "../../domain/sessions/sessions.ts";
import { principalIn } from "../../domain/tenancy/teams.ts";
import { publicOrigin } from "../origin.ts";
import { contextFor } from "../routes/proposals.ts";
import { ClaimedPage, ClaimPage } from "./pages/claim-page.tsx";
import { errorPage, problemPage } from "./pages/error-page.tsx";
import { SignInFirstPage } from "./pages/invitation-page.tsx";
import { showPage } from "./pages/layout.tsx";
import { forBrowsers, originOfCall, type Visitor, type Web } from "./web-session.ts";
import { rememberReturn } from "./way-back.ts";
import { Hono } from "../hono.ts";

const path = "/claim/:team/:token";
type Params = { team: string; token: string };

/** Where the link of an exported session leads. Looking at it uses nothing up; only the person who made it sees it. */
export function claimPages(services: Services): Hono<Web> {
  const app = new Hono<Web>();
  app.use(path, forBrowsers(services));

  app.get(path, (c) =>
    forOwner(c, c.req.param(), 200, async (ctx, { person }) => {
      const claimed = await previewClaim(ctx, c.req.param("token"));
      return showPage(c, { title: "Session", body: <ClaimPage claimed={claimed} person={person.name} link={`${ctx.publicOrigin}${c.req.path}`} /> });
    }),
  );
  app.post(path, (c) =>
    forOwner(c, c.req.param(), 401, async (ctx) => {
      const claimed: ClaimedSession = await takeClaim(ctx, c.req.param("token"));
      const passport = JSON.stringify(await passportOf(ctx, claimed.session));
      return showPage(c, { title: "Session", body: <ClaimedPage claimed={claimed} passport={passport} /> });
    }),
  );

  async function forOwner(c: WebCall<Web>, { team, token }: Params, stranger: 200 | 401, work: (ctx: Sessions & PassportPorts, visitor: Visitor) => Promise<Response>): Promise<Response> {
    const visitor = c.get("visitor");
    if (!visitor) {
      await rememberReturn(services, c, `/claim/${encodeURIComponent(team)}/${encodeURIComponent(token)}`);
      return showPage(c, { title: "Session", status: stranger, body: <SignInFirstPage what="A session waits for you" /> });
    }
    try {
      const principal = await principalIn(services.tenants, visitor, team);
      if (!principal) throw claimRefused();
      const { sessions, passports, config } = services;
      const call = { principal, now: Date.now(), requestId: c.get("requestId"), address: originOfCall(c).address };
      return await work({ ...contextFor(services, call, (later) => c.executionCtx.waitUntil(later)), sessions, passports, publicOrigin: publicOrigin(new URL(c.req.url), config) }, visitor);
    } catch (error) {
      const known = asDomainError(error);
      if (!known) throw error;
      if (known.code === "PROVIDER_ERROR" || known.code === "STORAGE_FULL") return problemPage(c, known);
      // A viewer's link is like one that was never made.
      const { message, hint } = claimRefused();
      const [what = "", ...why] = message.split(/(?<=\.) /);
      return errorPage(c, 404, what, [...why, hint].join(" "));
    }
  }
  return app;
}
