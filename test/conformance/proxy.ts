import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Proxy {
  /** Of the MCP endpoint, as the suite is to see it. */
  url: string;
  close: () => Promise<void>;
}

/**
 * Stands between the conformance suite, which cannot send credentials, and a server that wants them. Host and Origin are
 * rewritten only when they name the proxy, so that the scenario about DNS rebinding still reaches the server with foreign ones.
 */
export async function startProxy(target: URL, apiKey: string | undefined): Promise<Proxy> {
  let own = "";

  const forward = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const headers = { ...incoming.headers };
    if (apiKey !== undefined) headers.authorization = `Bearer ${apiKey}`;
    if (headers.host === own) headers.host = target.host;
    if (headers.origin === `http://${own}`) headers.origin = target.origin;
    const upstream = httpRequest(
      { host: target.hostname, port: target.port, method: incoming.method, path: incoming.url, headers, setHost: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        outgoing.flushHeaders();
        answer.pipe(outgoing);
        answer.on("error", () => outgoing.destroy());
      },
    );
    upstream.on("error", () => outgoing.destroy());
    outgoing.on("close", () => upstream.destroy());
    incoming.pipe(upstream);
  };

  const server = createServer(forward);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${own}${target.pathname}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
