import type { Context } from "hono";
import type { Services } from "../../app.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { bulkCost } from "../../tools/define-tool.ts";
import type { OverLimit } from "../../session/gate.ts";
import { discardBody } from "../bounded-body.ts";
import { RequestRefused } from "../request-refused.ts";

/** Downloads of everything, as the tool that exports. */
const costOf = (c: Context): number => (c.req.path.endsWith("/export") ? bulkCost : 1);

/** Charges a REST call of a key before any work is done for it. @throws RequestRefused */
export const chargeKey = async (services: Services, c: Context, principal: Principal): Promise<void> => refuseOver(c, await services.charges.ofKey(principal, costOf(c)));

/** The same for a browser. @throws RequestRefused */
export const chargeBrowser = async (services: Services, c: Context, userId: string): Promise<void> => refuseOver(c, await services.charges.ofBrowser(userId, costOf(c)));

async function refuseOver(c: Context, over: OverLimit | undefined): Promise<void> {
  if (!over) return;
  await discardBody(c.req.raw);
  throw new RequestRefused(429, over.message, over.retryAfterSeconds);
}
