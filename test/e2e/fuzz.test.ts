import { rmSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalServer, startServer } from "../../src/launcher/server.ts";
import { scratchDir } from "../launcher/launcher.ts";
import { type FuzzCase, fuzzCase } from "./support/fuzz-cases.ts";

/** `FUZZ_CASES=10000` for the whole run, `FUZZ_SEED` to begin elsewhere. */
const cases = Number(process.env["FUZZ_CASES"] ?? 1_000);
const firstSeed = Number(process.env["FUZZ_SEED"] ?? 1);
const atOnce = 16;
const patienceMs = 30_000;
/** After the last piece a client waits this long and then says that it has no more, which ends a body that is too short. */
const hesitationMs = 20;

let server: LocalServer;
const dataDir = scratchDir();
const logged: string[] = [];
beforeAll(async () => {
  server = await startServer({
    dataDir, port: 0, vars: { OMNIMEMORY_RATE_LIMIT: "off" }, log: (level, message) => void (level === "error" && logged.push(message)),
  });
});
afterAll(async () => {
  await server.close(500);
  rmSync(dataDir, { recursive: true, force: true });
});

/** The status that came, or how the connection ended without one. */
function statusOf({ pieces, pauseMs }: FuzzCase): Promise<number | "closed" | "silent"> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(server.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let text = "";
    const end = (told: number | "closed" | "silent"): void => {
      clearTimeout(patience);
      socket.destroy();
      resolve(told);
    };
    const patience = setTimeout(() => end("silent"), patienceMs);
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      const [, status] = /^HTTP\/1\.1 (\d{3})[\s\S]*?\r\n\r\n/.exec(text) ?? [];
      if (status === "100") text = text.slice(text.indexOf("\r\n\r\n") + 4);
      else if (status !== undefined) end(Number(status));
    });
    socket.on("error", () => end("closed"));
    socket.on("end", () => end("closed"));
    socket.on("connect", async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        socket.write(piece);
        if (pauseMs > 0) await sleep(pauseMs);
      }
      await sleep(hesitationMs);
      if (!socket.destroyed) socket.end();
    });
  });
}

test(`${cases} strange requests to every door: no 5xx, no fault in the log, and the server goes on`, { timeout: 60_000 + cases * 150 }, async () => {
  const wrong: string[] = [];
  const counts: Record<string, number> = {};
  let next = firstSeed;
  const worker = async (): Promise<void> => {
    while (next < firstSeed + cases) {
      const drawn = fuzzCase(next, server.apiKey, new URL(server.url));
      next += 1;
      const status = await statusOf(drawn);
      counts[status] = (counts[status] ?? 0) + 1;
      if (status === "silent" || (typeof status === "number" && status >= 500)) wrong.push(`${status} ${drawn.what}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (process.env["FUZZ_CASES"]) process.stdout.write(`${JSON.stringify(counts)}\n`);
  expect(wrong).toEqual([]);
  expect(logged.filter((line) => !line.includes("Can't read from request stream"))).toEqual([]);
  // Most of them reach the product, and are not turned away by the runtime's HTTP parser.
  expect(counts["closed"] ?? 0).toBeLessThan(cases / 2);
  expect((await fetch(new URL("/health", server.origin))).status).toBe(200);
  const teams = await fetch(new URL("/v1/teams", server.origin), { headers: { authorization: `Bearer ${server.apiKey}` } });
  expect(teams.status, "the key that was used opens still").toBe(200);
});
