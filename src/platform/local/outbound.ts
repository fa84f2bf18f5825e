import { WorkerEntrypoint } from "cloudflare:workers";

interface Networks {
  /** Reaches public addresses only, whatever a name resolves to. */
  PUBLIC: Fetcher;
}

interface Props {
  /** Hosts, with their ports, that the configuration names. */
  configured: string[];
}

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The public keys of another server of the product on the same machine, by which its passports are proven. */
function isKeySetOfNeighbour({ method, url }: Request): boolean {
  const { protocol, hostname, pathname, search } = new URL(url);
  return method === "GET" && protocol === "http:" && loopback.has(hostname) && pathname === "/.well-known/jwks.json" && search === "";
}

/**
 * All that the product fetches on one machine goes through here. Who configures the server may name a service inside, such as a
 * local Ollama; any other address was chosen by a stranger (the metadata of an OAuth client, and where it redirects to), and
 * reaches nothing inside but public keys, also not by a name that resolves there. On Cloudflare `global_fetch_strictly_public` sees to it.
 */
export class Outbound extends WorkerEntrypoint<Networks, Props> {
  override async fetch(request: Request): Promise<Response> {
    const { configured } = this.ctx.props;
    // The product sees the redirect, and comes back if it follows it.
    const init = { redirect: "manual" } as const;
    if (configured.includes(new URL(request.url).host) || isKeySetOfNeighbour(request)) return fetch(request, init);
    return this.env.PUBLIC.fetch(request, init).catch(() => new Response("No such address is reached from here.", { status: 502 }));
  }
}
