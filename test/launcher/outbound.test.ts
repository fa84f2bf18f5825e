import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalServer, startServer } from "../../src/launcher/server.ts";
import { cleanUp, scratchDir } from "./launcher.ts";

const entry = fileURLToPath(new URL("./fixtures/worker.js", import.meta.url));
const patience = 60_000;

let service: Server;
let port: number;
let asked: string[];
let server: LocalServer;
const logged: string[] = [];

beforeAll(async () => {
  asked = [];
  service = createServer((request, response) => {
    asked.push(`${request.headers.host} ${request.url}`);
    if (request.url?.startsWith("/to?")) response.writeHead(302, { location: decodeURIComponent(request.url.slice(4)) });
    response.end("from inside");
  }).listen(0, "0.0.0.0");
  await once(service, "listening");
  ({ port } = service.address() as AddressInfo);
  server = await startServer({ dataDir: scratchDir(), port: 0, entry, log: (_level, message) => void logged.push(message), vars: { EMBEDDINGS_URL: `http://127.0.0.1:${port}/v1` } });
}, patience);
afterAll(async () => {
  await server.close();
  service.close();
  await cleanUp();
}, patience);

const fetched = async (url: string): Promise<[status: number, text: string]> => {
  const answer = await fetch(`${server.origin}/fetch?url=${encodeURIComponent(url)}`);
  return [answer.status, await answer.text()];
};

test("a service that the configuration names is reached, wherever it is", async () => {
  expect(await fetched(`http://127.0.0.1:${port}/v1/embeddings`)).toEqual([200, "from inside"]);
});

/** Whatever else the machine's own list of hosts calls 127.0.0.1, so that nothing rests on the word localhost. */
const nameOfThisMachine = /^127\.\S+[ \t]+(?:\S+[ \t]+)*?(?!localhost)([a-z]\S*)/m.exec(readFileSync("/etc/hosts", "utf8"))?.[1] ?? "localhost";

test.each([
  ["a name that resolves to this machine", () => `http://localhost:${port}/secret`],
  ["a name of the machine's own list of hosts", () => `http://${nameOfThisMachine}:${port}/secret`],
  ["another way to write its address", () => `http://127.0.0.2:${port}/secret`],
  ["its IPv6 address", () => `http://[::1]:${port}/secret`],
  ["the address of nowhere in particular", () => `http://0.0.0.0:${port}/secret`],
  ["an address of a private network", () => "http://10.0.0.1/secret"],
  ["the address of a provider's metadata", () => "http://169.254.169.254/secret"],
  ["an address of a network shared by a provider, or of Tailscale", () => "http://100.64.0.1/secret"],
  ["the way there by a redirect", () => `http://127.0.0.1:${port}/to?${encodeURIComponent(`http://localhost:${port}/secret`)}`],
])("%s leads nowhere", async (_what, url) => {
  logged.length = 0;
  const [status, text] = await fetched(url());
  expect([status, text]).toEqual([expect.any(Number), expect.not.stringContaining("from inside")]);
  expect(status).toBeGreaterThanOrEqual(500);
  await expect.poll(() => logged.join()).toMatch(/connecting to \S+ is not allowed/);
  expect(asked.filter((line) => line.endsWith("/secret"))).toEqual([]);
});
