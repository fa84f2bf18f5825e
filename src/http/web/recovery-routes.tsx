import type { Services } from "../../app.ts";
import { newOwnRecoveryLink, revokeRecoveryLink } from "../../domain/tenancy/sign-in-link.ts";
import { publicOrigin } from "../origin.ts";
import { forVisitor } from "./fresh-sign-in.tsx";
import { showPage } from "./pages/layout.tsx";
import { NewRecoveryLinkPage } from "./pages/recovery-page.tsx";
import { forBrowsers, originOfCall, type Web } from "./web-session.ts";
import { Hono } from "../hono.ts";

/** The forms of the account page by which people make and revoke their recovery link. */
export function recoveryPages(services: Services): Hono<Web> {
  const app = new Hono<Web>();
  for (const path of ["/recovery-link", "/recovery-link/*"]) app.use(path, forBrowsers(services));

  app.post("/recovery-link", (c) =>
    forVisitor(c, "ways-in", async (visitor) => {
      const { token, expiresAt } = await newOwnRecoveryLink(services.signIn, visitor, Date.now(), originOfCall(c));
      const link = `${publicOrigin(new URL(c.req.url), services.config)}/sign-in/link?token=${token}`;
      return showPage(c, { title: "Your recovery link", status: 201, body: <NewRecoveryLinkPage link={link} expiresAt={expiresAt} /> });
    }),
  );

  app.post("/recovery-link/revoke", (c) =>
    forVisitor(c, "ways-in", async (visitor) => {
      await revokeRecoveryLink(services.signIn, visitor, Date.now(), originOfCall(c));
      return c.redirect("/", 303);
    }),
  );
  return app;
}
