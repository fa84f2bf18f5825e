import { Hono } from "hono";
import type { Services } from "../../app.ts";
import { newOwnRecoveryLink, revokeRecoveryLink } from "../../domain/tenancy/sign-in-link.ts";
import { publicOrigin } from "../origin.ts";
import { showPage } from "./pages/layout.tsx";
import { NewRecoveryLinkPage, SignInAgainPage } from "./pages/recovery-page.tsx";
import { canonicalOrigin, findVisitor, originOfCall, sameOriginOnly, type Web } from "./visit.ts";

/** The forms of the home page by which people make and revoke their recovery link. */
export function recoveryPages(services: Services): Hono<Web> {
  const app = new Hono<Web>();
  for (const path of ["/recovery-link", "/recovery-link/*"]) app.use(path, canonicalOrigin(services), sameOriginOnly(services), findVisitor(services));

  app.post("/recovery-link", async (c) => {
    const visitor = c.get("visitor");
    if (!visitor) return c.redirect("/sign-in", 303);
    const made = await newOwnRecoveryLink(services.signIn, visitor, Date.now(), originOfCall(c));
    if (!made) return showPage(c, { title: "Sign in again", status: 403, body: <SignInAgainPage /> });
    const link = `${publicOrigin(new URL(c.req.url), services.config)}/sign-in/link?token=${made.token}`;
    return showPage(c, { title: "Your recovery link", status: 201, body: <NewRecoveryLinkPage link={link} expiresAt={made.expiresAt} /> });
  });

  app.post("/recovery-link/revoke", async (c) => {
    const visitor = c.get("visitor");
    if (!visitor) return c.redirect("/sign-in", 303);
    await revokeRecoveryLink(services.signIn, visitor, Date.now(), originOfCall(c));
    return c.redirect("/", 303);
  });
  return app;
}
