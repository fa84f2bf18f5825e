import type { Config } from "../config.ts";

/**
 * The one origin of everything a browser does, where its cookies live, and the issuer of OAuth tokens. One machine answers
 * to several loopback names; `localhost` is the one that browsers allow secure cookies and passkeys on.
 */
export function publicOrigin(url: URL, config: Pick<Config, "production" | "allowedHosts">): string {
  if (config.production) return `https://${config.allowedHosts[0]}`;
  const local = new URL(url.origin);
  local.hostname = "localhost";
  return local.origin;
}
