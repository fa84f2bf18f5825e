import type { MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";

/**
 * `api`: answers for programs. `page`: answers for people, without script and without frames around them.
 * `outward`: a page whose form ends with a redirect to somebody else's address, which Chromium would measure against `form-action`.
 * `account`, `account-outward`: the same with the script for passkeys.
 */
export type Audience = "api" | "page" | "outward" | "account" | "account-outward";

const none = ["'none'"];
const self = ["'self'"];

const shared = { crossOriginResourcePolicy: "same-origin" } as const;
const page = {
  ...shared,
  // With `no-referrer`, browsers send the forms of the very same page with `Origin: null`.
  referrerPolicy: "same-origin",
  xFrameOptions: "DENY",
} as const;
const pageContent = { defaultSrc: none, styleSrc: self, imgSrc: self, frameAncestors: none, baseUri: none };
/** Pages where people sign in or see to it; theirs is the one script there is. */
const scripted = { ...pageContent, scriptSrc: self, connectSrc: self };

const headersFor: Record<Audience, MiddlewareHandler> = {
  api: secureHeaders({ ...shared, contentSecurityPolicy: { defaultSrc: none, frameAncestors: none }, referrerPolicy: "no-referrer" }),
  page: secureHeaders({ ...page, contentSecurityPolicy: { ...pageContent, formAction: self } }),
  outward: secureHeaders({ ...page, contentSecurityPolicy: pageContent }),
  account: secureHeaders({ ...page, contentSecurityPolicy: { ...scripted, formAction: self } }),
  "account-outward": secureHeaders({ ...page, contentSecurityPolicy: scripted }),
};

/** Says with every answer what a browser may do with it. Whoever answers with a page sets `audience`. */
export const securityHeaders: MiddlewareHandler<{ Variables: { audience?: Audience } }> = async (c, next) => {
  await next();
  await headersFor[c.get("audience") ?? "api"](c, async () => undefined);
};
