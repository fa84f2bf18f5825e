import type { CallOrigin } from "../domain/tenancy/ports.ts";

const maxClientLength = 60;
/** Cloudflare's words for an unknown country and for Tor, which is everywhere. */
const noCountry = new Set(["XX", "T1"]);

/** The program's name without its version, which changes every week: the first product of the User-Agent. */
export const clientOf = (userAgent: string | null): string | undefined => {
  const name = /^[\w.+@ -]+?(?=[/(;]|$)/.exec(userAgent?.trim() ?? "")?.[0].trim().slice(0, maxClientLength);
  return name === "" ? undefined : name;
};

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
