import type { AuthInfo } from "@modelcontextprotocol/server";
import type { CallOrigin } from "../domain/tenancy/audit-entry.ts";
import type { Principal } from "../domain/tenancy/principal.ts";
import type { BodyLease } from "./byte-budget.ts";

/** Who makes a request, as the session object found out. */
export interface SessionCall {
  principal: Principal;
  requestId: string;
  from: CallOrigin;
  /** The server's, as people and other servers address it. */
  publicOrigin: string;
  /** The share of the request's body in the bytes that may be held at once. */
  body: BodyLease;
}

/** Set by the edge on every request it hands on, so that a client's own value never arrives. */
export const requestIdHeader = "x-request-id";

/** The object's name is its tenant: one person in one team. */
export const sessionName = (teamId: string, userId: string): string => `${teamId}:${userId}`;
export const userIdOf = (name: string): string => name.slice(name.indexOf(":") + 1);

/** The SDK carries this to the handlers untouched. */
export const toAuthInfo = (call: SessionCall): AuthInfo => ({
  token: "",
  clientId: call.principal.credential.id,
  scopes: [...call.principal.scopes],
  extra: { call },
});

export const sessionCallOf = (authInfo: AuthInfo | undefined): SessionCall => authInfo?.extra?.["call"] as SessionCall;
