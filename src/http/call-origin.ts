import { type CallOrigin, sourceOf } from "../domain/tenancy/audit-entry.ts";

const maxClientLength = 60;
/** Cloudflare's words for an unknown country and for Tor, which is everywhere. */
const noCountry = new Set(["XX", "T1"]);

/** The program's name without its version, which changes every week: the first product of the User-Agent. */
export const clientOf = (userAgent: string | null): string | undefined => {
  const name = /^[\w.+@ -]+?(?=[/(;]|$)/.exec(userAgent?.trim() ?? "")?.[0].trim().slice(0, maxClientLength);
  return name === "" ? undefined : name;
};

/** Headers in which Cloudflare says who calls. */
const saidByCloudflare = ["cf-connecting-ip", "cf-ipcountry"];

/** On one machine nobody stands before the Worker who could say where a request came from: such headers are the client's own. */
export function withoutClaimedOrigin(request: Request): Request {
  if (!saidByCloudflare.some((name) => request.headers.has(name))) return request;
  const cleared = new Request(request);
  for (const name of saidByCloudflare) cleared.headers.delete(name);
  return cleared;
}

/**
 * The network by which requests of strangers are counted: whoever has one IPv6 address has the 2^64 beside it. On one machine they have
 * none: there they count by what they present, so that a client with a wrong key does not close the pages to the person.
 */
export const addressOf = (headers: Headers): string =>
  sourceOf(headers.get("cf-connecting-ip") ?? "") ?? `this machine, ${headers.has("authorization") ? "a key" : headers.has("cookie") ? "a cookie" : "nothing"}`;

/** Where a request came from, as far as the edge says; `client` where we know better than the request does. */
export function callOrigin(headers: Headers, requestId: string, client = clientOf(headers.get("user-agent"))): CallOrigin & { requestId: string } {
  const address = headers.get("cf-connecting-ip");
  const country = headers.get("cf-ipcountry") ?? "";
  return {
    requestId,
    ...(client === undefined ? {} : { client }),
    ...(address ? { address } : {}),
    ...(/^[A-Z]{2}$/.test(country) && !noCountry.has(country) ? { country } : {}),
  };
}
