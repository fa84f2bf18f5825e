import type { Context } from "hono";
import type { Services } from "../../app.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { bulkCost } from "../../tools/define-tool.ts";
import type { OverLimit } from "../../session/gate.ts";
import { discardBody } from "../bounded-body.ts";
import type { RestEnv } from "./caller.ts";
import { RequestRefused } from "../request-refused.ts";

/** Downloads of everything, as the tool that exports. */
const costOf = (c: Context): number => (/\/(?:export|jobs\/import|jobs\/[^/]+\/result)$/.test(c.req.path) ? bulkCost : 1);

/** Charges a REST call of a key before any work is done for it. @throws RequestRefused */
export const chargeKey = async (services: Services, c: Context, principal: Principal): Promise<void> => refuseOver(c, await services.charges.ofKey(principal, costOf(c)));

/** The same for a browser. @throws RequestRefused */
export const chargeBrowser = async (services: Services, c: Context, userId: string): Promise<void> => refuseOver(c, await services.charges.ofBrowser(userId, costOf(c)));

/** The rest of what a request costs, once it is known. @throws RequestRefused */
export function charge(services: Services, c: Context<RestEnv>, cost: number): Promise<void> {
  const caller = c.get("caller");
  const charged = caller.kind === "key" ? services.charges.ofKey(caller.principal, cost) : services.charges.ofBrowser(caller.person.userId, cost);
  return charged.then((over) => refuseOver(c, over));
}

async function refuseOver(c: Context, over: OverLimit | undefined): Promise<void> {
  if (!over) return;
  await discardBody(c.req.raw);
  throw new RequestRefused(429, over.message, over.retryAfterSeconds);
}
