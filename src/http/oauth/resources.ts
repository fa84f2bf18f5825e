import type { Config } from "../../config.ts";
import { publicOrigin } from "../origin.ts";

type Names = Pick<Config, "production" | "allowedHosts">;

/** The two ways to speak MCP are two resources: clients compare the address they call with the one that metadata names. */
const endpoints = ["mcp", "sse"] as const;
type Endpoint = (typeof endpoints)[number];

export const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Scopes that a client asks for at first; `memory:admin` only by name. */
export const firstScopes = ["memory:read", "memory:write"] as const;

/** Everything that tokens of this issuer can be for: each endpoint under each name of the server. */
export function resourcesOf(url: URL, config: Names): string[] {
  const origins = config.production
    ? config.allowedHosts.map((host) => `https://${host}`)
    : config.allowedHosts.filter((host) => loopback.has(host)).map((host) => `${url.protocol}//${host}${url.port ? `:${url.port}` : ""}`);
  return origins.flatMap((origin) => endpoints.map((endpoint) => `${origin}/${endpoint}`));
}

/** The resource of a call to this address; undefined under a name that tokens are not issued for. */
export function resourceOf(url: URL, config: Names): string | undefined {
  const endpoint: Endpoint = url.pathname === "/sse" || url.pathname.startsWith("/sse/") ? "sse" : "mcp";
  const origin = config.production ? `https://${url.hostname}` : url.origin;
  const resource = `${origin}/${endpoint}`;
  return resourcesOf(url, config).includes(resource) ? resource : undefined;
}

const prefix = "/.well-known/oauth-protected-resource";

/** RFC 9728 section 3.1: the path of the resource comes after the well-known one. */
export const metadataUrlOf = (resource: string): string => {
  const { origin, pathname } = new URL(resource);
  return `${origin}${prefix}${pathname}`;
};

/** Paths of the documents, and which endpoint each describes; some clients look without the path of the resource. */
export const metadataPaths: readonly (readonly [path: string, endpoint: Endpoint])[] = [
  [prefix, "mcp"],
  ...endpoints.flatMap((endpoint) => [[`${prefix}/${endpoint}`, endpoint], [`${prefix}/${endpoint}/`, endpoint]] as const),
];

export const resourceMetadata = (resource: string, url: URL, config: Names) => ({
  resource,
  authorization_servers: [publicOrigin(url, config)],
  scopes_supported: firstScopes,
  bearer_methods_supported: ["header"],
  resource_name: "OmniMemory",
});

/** `WWW-Authenticate` of a 401 (RFC 6750 section 3, RFC 9728 section 5.1). */
export function challenge(url: URL, config: Names, error?: "invalid_token"): string {
  const resource = resourceOf(url, config);
  return [
    'Bearer realm="omnimemory"',
    ...(error ? [`error="${error}"`] : []),
    ...(resource ? [`resource_metadata="${metadataUrlOf(resource)}"`, `scope="${firstScopes.join(" ")}"`] : []),
  ].join(", ");
}
