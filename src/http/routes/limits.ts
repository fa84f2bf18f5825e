import type { Context } from "hono";
import type { Services } from "../../app.ts";
import type { OverLimit } from "../../session/gate.ts";
import { discardBody } from "../bounded-body.ts";
import type { RestEnv } from "./caller.ts";
import { RequestRefused } from "../request-refused.ts";

/** Charges the caller of a REST call: one before any work is done for it, and the rest of what it costs once that is known. @throws RequestRefused */
export async function charge(services: Services, c: Context<RestEnv>, cost: number): Promise<void> {
  const caller = c.get("caller");
  if (caller.kind === "browser") return chargeBrowser(services, c, caller.person.userId, cost);
  return refuseOver(c, await services.charges.ofKey(caller.principal, cost));
}

/** The same of a browser, which may ask for a page. @throws RequestRefused */
export const chargeBrowser = async (services: Services, c: Context, userId: string, cost = 1): Promise<void> => refuseOver(c, await services.charges.ofBrowser(userId, cost));

async function refuseOver(c: Context, over: OverLimit | undefined): Promise<void> {
  if (!over) return;
  await discardBody(c.req.raw);
  throw new RequestRefused(429, over.message, over.retryAfterSeconds);
}
