import type { Principal } from "../domain/tenancy/principal.ts";
import { sessionName } from "./session-call.ts";
import { type OverLimit, over } from "./gate.ts";
import { personRate } from "./rate-limit.ts";

/** The limits of calls that the edge serves itself: those of MCP calls, and counted with them. */
export interface RestCharges {
  /** By the session object that counts what the key does over MCP. */
  ofKey(principal: Principal, cost: number): Promise<OverLimit | undefined>;
  /** A browser speaks no MCP, and its person may be in no team or in several: nothing that a session object counts. */
  ofBrowser(userId: string, cost: number): Promise<OverLimit | undefined>;
}

/** The period of the binding. */
const browserRetrySeconds = 60;

export function restCharges(env: Pick<Env, "USER_SESSION" | "PERSON_LIMIT">, rateLimited: boolean): RestCharges {
  if (!rateLimited) return { ofKey: async () => undefined, ofBrowser: async () => undefined };
  return {
    async ofKey({ teamId, userId, credential }, cost) {
      const refused = await env.USER_SESSION.getByName(sessionName(teamId, userId)).charge({ credentialId: credential.id, teamId }, cost);
      return refused && { ...refused };
    },
    async ofBrowser(userId, cost) {
      const counted = await Promise.all(Array.from({ length: cost }, () => env.PERSON_LIMIT.limit({ key: userId })));
      return counted.every(({ success }) => success) ? undefined : over(`you made more than ${personRate.perMinute} requests in a minute`, browserRetrySeconds);
    },
  };
}
