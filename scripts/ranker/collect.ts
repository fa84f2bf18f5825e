/**
 * `node scripts/ranker/collect.ts <out.jsonl> [set …]` starts the product, stores the sets and writes a line for each question:
 * the features of every candidate and which of them are evidence. `RANKER_WITHOUT=expansion` leaves out a feature of the search.
 */
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BenchClient } from "../../test/bench/client.ts";
import { addTeams } from "../../test/bench/tenants.ts";
import { Memories } from "../../test/evals/memories.ts";
import { stackSets } from "../../test/evals/teams.ts";
import type { GuardPolicy } from "../../src/domain/guard/guard-policy.ts";
import { startServer } from "../../src/launcher/server.ts";
import * as sets from "./sets.ts";

const entry = new URL("collect-worker.ts", import.meta.url).pathname;
const shared = new URL("../../../shared/eval/data", import.meta.url).pathname;
const own = process.env["RANKER_DATA"] ?? new URL("../../test/evals/sets", import.meta.url).pathname;

const without = process.env["RANKER_WITHOUT"]?.split(",") ?? [];

/** Memories of one import: BEAM's are long, and 200 of them take longer than a call may. */
const batch = 40;

const [out = "features.jsonl", ...wanted] = process.argv.slice(2);
const bodies = {
  locomo: () => sets.locomo(shared), beam: () => sets.beam(shared), devmem: () => sets.devmem(shared), precision: () => sets.precision(shared),
  ...Object.fromEntries(["friends", "friends2", "friends3"].map((name) => [name, () => sets.friends(own, name)])),
  ...Object.fromEntries(["assistant", "assistant2"].map((name) => [name, () => sets.assistant(own, name)])),
  ...Object.fromEntries([...sets.allTeams, ...stackSets].map((name) => [name, () => sets.team(own, name)])),
  crowd: () => sets.crowd(own),
  ...Object.fromEntries(sets.allTeams.flatMap((name) => sets.beginnings(own, name)).map((body) => [body.name, () => body])),
} as Record<string, () => sets.Body>;
const names = wanted.length > 0 ? wanted : Object.keys(bodies);

const dataDir = mkdtempSync(join(tmpdir(), "omnimemory-ranker-"));
const options = { dataDir, port: 0, vars: { OMNIMEMORY_RATE_LIMIT: "off" } };
await (await startServer(options)).close(0);
const keys = addTeams(dataDir, names.length, ["memory:read", "memory:write", "memory:admin"]);
const server = await startServer({ ...options, entry });
try {
  const file = createWriteStream(out);
  for (const [at, name] of names.entries()) {
    const body = (bodies[name] as () => sets.Body)();
    await withoutGuard(`bench-${at}`, keys[at] as string);
    const memories = new Memories(new BenchClient(`${server.url}?surface=omn`, keys[at] as string));
    for (let start = 0; start < body.memories.length; start += batch) await memories.store(body.memories.slice(start, start + batch));
    await memories.settled();
    let found = 0;
    let gold = 0;
    for (const { id, text, gold: wantedKeys, kind, tag, namespaces, now } of body.questions) {
      const answer = await fetch(`${server.origin}/collect`, { method: "POST", body: JSON.stringify({ team: `bench-${at}`, shard: "SHARD_0", query: text, without, filter: { ...(tag === undefined ? {} : { tags: [tag] }), ...(namespaces === undefined ? {} : { namespaces }) }, ...(now === undefined ? {} : { now: Date.parse(now) }) }) });
      const { rows } = (await answer.json()) as { rows: { key: string; features: number[] }[] };
      const isGold = ({ key }: { key: string }): boolean => wantedKeys.some((wantedKey) => key === wantedKey || key.startsWith(`${wantedKey}/`) || key.startsWith(`${wantedKey}-p`));
      gold += wantedKeys.length;
      found += rows.filter(isGold).length;
      file.write(`${JSON.stringify({ set: name, group: tag ?? name, id, kind, total: wantedKeys.length, labels: rows.map((row) => Number(isGold(row))), rows: rows.map(({ features }) => features) })}\n`);
    }
    process.stderr.write(`${name}: ${body.memories.length} memories, ${body.questions.length} questions, ${found} of ${gold} among the candidates\n`);
  }
  await new Promise((done) => file.end(done));
} finally {
  await server.close(0);
  rmSync(dataDir, { recursive: true, force: true });
}

/** Chats with an assistant are full of orders to a model. What the write guard keeps back would be no candidate. */
async function withoutGuard(team: string, key: string): Promise<void> {
  const policy: GuardPolicy = { secrets: "store", instructions: "store" };
  const answer = await fetch(`${server.origin}/v1/teams/${team}/guard`, { method: "PUT", headers: { authorization: `Bearer ${key}`, "content-type": "application/json" }, body: JSON.stringify(policy) });
  if (!answer.ok) throw new Error(`the write guard is still on: ${await answer.text()}`);
}
