import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { Services } from "../../app.ts";
import { DomainError } from "../../domain/errors.ts";
import { needsFreshSignIn, requireFreshSignIn } from "../../domain/tenancy/fresh-sign-in.ts";
import { auditedFailuresPerMinute } from "../../domain/tenancy/keys.ts";
import { addPasskey, removePasskey } from "../../domain/tenancy/passkeys.ts";
import { type AttemptKind, attemptMs, beginAttempt, takeAttempt } from "../../domain/tenancy/sign-in-attempts.ts";
import { bounds, readText } from "../bounded-body.ts";
import { errorBody } from "../errors.ts";
import { publicOrigin } from "../origin.ts";
import { errorPage } from "../web/pages/error-page.tsx";
import { forVisitor } from "../web/fresh-sign-in.tsx";
import { forBrowsers, originOfCall, signIn, type Visitor, type Web } from "../web/web-session.ts";
import { takeReturn } from "../web/way-back.ts";
import {
  authenticationAnswer, authenticationOptions, authenticationState, provenRegistration, provenUse, registrationAnswer, registrationOptions, registrationState, type Site, siteOf,
} from "./ceremony.ts";
import { passkeyScript } from "./script.ts";
import { Hono } from "../hono.ts";

type WebCall = Context<Web>;

const cookieName = "passkey";
const cookie = { prefix: "host", httpOnly: true, sameSite: "Strict" } as const;

/** Registering passkeys and signing in with them: the script asks for options, the browser answers a challenge. */
export function passkeyRoutes(services: Services): Hono<Web> {
  const app = new Hono<Web>();
  const { passkeys, signIn: attempts, config } = services;
  app.get("/passkey.js", (c) => c.body(passkeyScript, 200, { "content-type": "text/javascript; charset=utf-8", "cache-control": "max-age=300" }));
  for (const path of ["/passkeys", "/passkeys/*", "/sign-in/passkey", "/sign-in/passkey/*"]) app.use(path, forBrowsers(services));

  app.post("/passkeys/options", async (c) => {
    const visitor = c.get("visitor");
    if (!visitor) return refuse(c, "Sign in first.");
    // Before the person is asked to touch anything.
    requireFreshSignIn(visitor.session.createdAt, Date.now());
    const options = registrationOptions(site(c), visitor.person, await passkeys.passkeys(visitor.person));
    await begin(c, "passkey-registration", { challenge: options.challenge, userId: visitor.person.userId });
    return c.json(options);
  });

  app.post("/passkeys", async (c) => {
    const visitor = c.get("visitor");
    const kept = registrationState.safeParse(await take(c, "passkey-registration"));
    const answer = registrationAnswer.safeParse(await jsonOf(c));
    if (!visitor || !kept.success || !answer.success || kept.data.userId !== visitor.person.userId) return refuse(c, "Begin again: this took too long, or you signed in anew.");
    const { credential, name } = answer.data;
    const proven = await provenRegistration(site(c), kept.data.challenge, credential);
    if (!proven) return refuse(c, "The passkey could not be checked.");
    await addPasskey(passkeys, visitor, proven, name, Date.now(), originOfCall(c));
    return c.json({ location: "/" }, 201);
  });

  app.post("/passkeys/:credentialId/remove", (c) => forVisitor(c, "ways-in", (visitor) => removeAndSay(c, visitor, c.req.param("credentialId"))));

  app.post("/sign-in/passkey/options", async (c) => {
    const options = authenticationOptions(site(c));
    await begin(c, "passkey-authentication", { challenge: options.challenge });
    return c.json(options);
  });

  app.post("/sign-in/passkey", async (c) => {
    const kept = authenticationState.safeParse(await take(c, "passkey-authentication"));
    const answer = authenticationAnswer.safeParse(await jsonOf(c));
    const found = answer.success ? await passkeys.findPasskey(answer.data.credential.id) : undefined;
    if (!kept.success || !answer.success || !found) return refuseSignIn(c);
    const now = Date.now();
    const use = await provenUse(site(c), kept.data.challenge, found.passkey, answer.data.credential);
    if (!use || !(await passkeys.notePasskeyUse(found.passkey, use, now))) return refuseSignIn(c);
    await signIn(services, c, found.person, "passkey");
    return c.json({ location: await takeReturn(services, c, found.person) });
  });

  const site = (c: WebCall): Site => siteOf(publicOrigin(new URL(c.req.url), config));

  async function begin(c: WebCall, kind: AttemptKind, data: Record<string, unknown>): Promise<void> {
    setCookie(c, cookieName, await beginAttempt(attempts, kind, data, Date.now()), { ...cookie, maxAge: attemptMs / 1000 });
  }

  function take(c: WebCall, kind: AttemptKind): Promise<unknown> {
    const token = getCookie(c, cookieName, "host");
    deleteCookie(c, cookieName, cookie);
    return takeAttempt(attempts, kind, token, Date.now());
  }

  async function removeAndSay(c: WebCall, visitor: Visitor, credentialId: string): Promise<Response> {
    try {
      await removePasskey(passkeys, visitor, credentialId, Date.now(), originOfCall(c));
      return c.redirect("/", 303);
    } catch (error) {
      if (!(error instanceof DomainError) || needsFreshSignIn(error)) throw error;
      return errorPage(c, 409, error.message, error.hint ?? "");
    }
  }

  const refuse = (c: WebCall, message: string): Response => c.json(errorBody("PERMISSION_DENIED", message, c.get("requestId")), 403);

  /** One text for every reason: an answer must not reveal which passkeys exist. */
  async function refuseSignIn(c: WebCall): Promise<Response> {
    const entry = { ...originOfCall(c), at: Date.now(), action: "sign-in.refused", success: false, subject: "passkey" } as const;
    await attempts.auditFailure(entry, auditedFailuresPerMinute);
    return refuse(c, "This passkey does not sign you in. Try another one, or another way.");
  }
  return app;
}

async function jsonOf(c: WebCall): Promise<unknown> {
  const text = await readText(c.req.raw, bounds.passkey);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
