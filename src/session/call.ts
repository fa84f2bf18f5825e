import type { AuthInfo } from "@modelcontextprotocol/server";
import type { Principal } from "../domain/tenancy/principal.ts";

/** What the edge found out about a request, handed to the session object in one header that clients cannot set. */
export interface Call {
  principal: Principal;
  requestId: string;
}

export const callHeader = "x-omnimemory-call";

export const withCall = (request: Request, call: Call): Request => {
  const headers = new Headers(request.headers);
  headers.set(callHeader, encodeURIComponent(JSON.stringify(call)));
  // The credential has been read; nothing behind the edge needs it.
  headers.delete("authorization");
  return new Request(request, { headers });
};

/** Only the Worker can reach the object, and it always sets the header. */
export const callOf = (request: Request): Call => JSON.parse(decodeURIComponent(request.headers.get(callHeader) as string)) as Call;

/** The SDK carries this to the handlers untouched. */
export const toAuthInfo = (call: Call): AuthInfo => ({
  token: "",
  clientId: call.principal.credential.id,
  scopes: [...call.principal.scopes],
  extra: { call },
});

export const callOfAuthInfo = (authInfo: AuthInfo | undefined): Call => authInfo?.extra?.["call"] as Call;
