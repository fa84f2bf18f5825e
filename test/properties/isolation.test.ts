import fc from "fast-check";
import { expect, test } from "vitest";
import { catalogue } from "../../src/tools/catalogue.ts";
import type { Scope } from "../../src/domain/tenancy/principal.ts";
import type { Command, Op } from "./commands.ts";
import { memoryServer } from "./memory-server.ts";
import { canRead, now, type Principal, type Role } from "./model.ts";
import { handovers } from "./handovers.ts";
import { jobs } from "./jobs.ts";
import { consolidations, hideSuccessor } from "./consolidations.ts";
import { kom } from "./kom.ts";
import { mnemosyne } from "./mnemosyne.ts";
import { omnReads } from "./reads.ts";
import { sessions } from "./sessions.ts";
import { resources, tokenSaver } from "./token-saver.ts";
import { TestServer, type Membership } from "./test-server.ts";
import { workflows } from "./workflows.ts";
import { omnWrites } from "./writes.ts";

const tools: Record<string, Command> = { ...omnReads, ...omnWrites, ...consolidations, ...tokenSaver, ...memoryServer, ...mnemosyne, ...kom, ...sessions, ...workflows };
const otherWrites = ["omn_consolidate", "mnemosyne_consolidate", "successor: hide", "write_memory", "delete_memory", "memory_add", "memory_update", "memory_delete", "memory_delete_all", "mnemosyne_remember", "mnemosyne_update", "mnemosyne_delete", "save_context", "upsert_memory", "sync_semantic", "omn_workflow_checkpoint", "jobs: import"];
const writing = { ...omnWrites, ...Object.fromEntries(otherWrites.map((name) => [name, true])) };

const roles: Role[] = ["owner", "admin", "member", "viewer"];
const leave: Command = async (server, p) => server.remove(p);
const come: Command = async (server, p, op) => {
  const gone = server.principals.filter(({ active }) => !active);
  const back = gone[op.target % Math.max(1, gone.length)];
  if (back) await server.add(back, roles[op.key] as Role);
  else if (p.role === "viewer") await server.remove(p);
};

/** How often each is drawn; one that is missing here is drawn once. */
const weights: Record<string, number> = {
  omn_store_memory: 9, omn_update_memory: 8, omn_forget_memory: 6, omn_import_memories: 4, omn_revert: 5, omn_consolidate: 6, mnemosyne_consolidate: 2, "successor: hide": 3, omn_export_memories: 2, omn_retrieve_memory: 9,
  write_memory: 3, memory_add: 3, omn_list_memories: 2, omn_memory_stats: 2, search: 2, fetch: 2, "resources/read": 2,
  omn_export_session: 2, "session: claim": 3, "session: carry": 3, "issuers: restore": 2, "jobs: import": 3, "jobs: export": 2, "jobs: result": 2, "jobs: look": 2,
};
const commands: Record<string, Command> = { ...tools, ...resources, ...jobs, ...handovers, "team: leave": leave, "team: come": come, "successor: hide": hideSuccessor };

const everyScope = ["memory:read", "memory:write", "memory:admin"] as const;
const scopes: fc.Arbitrary<Scope[]> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Scope[]>([...everyScope]) },
  { weight: 2, arbitrary: fc.constant<Scope[]>(["memory:read", "memory:write"]) },
  { weight: 2, arbitrary: fc.subarray<Scope>([...everyScope], { minLength: 1 }) },
);
const member: fc.Arbitrary<Membership> = fc.record({ user: fc.nat(4), team: fc.nat(2), role: fc.constantFrom(...roles), scopes });
/** Somebody in each team can do everything, and one person is in two teams; the rest is chance. */
const settled: Membership[] = [
  { user: 0, team: 0, role: "owner", scopes: [...everyScope] },
  { user: 1, team: 0, role: "member", scopes: [...everyScope] },
  { user: 1, team: 1, role: "member", scopes: [...everyScope] },
  { user: 2, team: 2, role: "owner", scopes: [...everyScope] },
];
const members = fc.array(member, { minLength: 2, maxLength: 5 }).map((more) => [...settled, ...more]);

const operation = (tool: fc.Arbitrary<string>): fc.Arbitrary<Op> =>
  fc.record({
    tool,
    who: fc.nat(99),
    target: fc.nat(99),
    key: fc.nat(3),
    place: fc.nat(5),
    visibility: fc.constantFrom("private", "shared", "public"),
    variant: fc.nat(127),
    flag: fc.boolean(),
    limit: fc.integer({ min: 1, max: 6 }),
  });
const anything = fc.oneof(...Object.keys(commands).map((name) => ({ weight: weights[name] ?? 1, arbitrary: fc.constant(name) })));
/** First a few memories, so that there is something to hide. */
const operations = fc
  .tuple(
    fc.array(operation(fc.constant("omn_store_memory")), { maxLength: 10, size: "max" }),
    fc.array(operation(anything), { minLength: 1, maxLength: 46, size: "max" }),
  )
  .map(([first, then]) => [...first, ...then]);

/** Vitest hands on to workerd what begins with VITE_: `VITE_ISOLATION_RUNS=500 VITE_PROPERTY_SEED=1 npx vitest run test/properties`. */
const setting = (name: string): number | undefined => {
  const value = process.env[`VITE_ISOLATION_${name}`];
  return value === undefined ? undefined : Number(value);
};
const numRuns = setting("RUNS") ?? 60;
const endOnFailure = setting("SHRINK") === 0;
/** Of a failure, to begin with it: `VITE_ISOLATION_PATH=36:1:3` with its seed. */
const path = process.env["VITE_ISOLATION_PATH"];

async function carryOut(server: TestServer, p: Principal, op: Op): Promise<void> {
  if (!p.active) {
    const answer = await server.tool(p, op.tool in tools ? op.tool : "omn_list_memories", {});
    expect(answer, "who has left the team is refused").toMatchObject({ status: 401 });
    server.scan(p, answer, {});
    if (op.tool !== "team: come") return;
  }
  await (commands[op.tool] as Command)(server, p, op, op.tool);
  if (op.tool in writing) await server.tick();
}

/** What somebody else reads: as the model says, and to the letter as before if nothing that they may see has changed. */
async function lookOn(server: TestServer, p: Principal, op: Op): Promise<void> {
  if (!p.active || !canRead(p)) return;
  const { model } = server;
  const own = model.own(p, {}, "all");
  const stats = await server.tool(p, "omn_memory_stats", {});
  expect(stats.structured).toMatchObject(model.stats(p, Date.now()));
  const page = await server.tool(p, "omn_list_memories", { limit: 2, full: true });
  server.scan(p, page, {}, own.map((entry) => ({ entry, state: entry.versions.at(-1)?.state ?? {} })));
  const seen = model.fingerprint(p);
  const said = `${JSON.stringify(withoutProgress(stats.structured))}\n${page.raw}`;
  const before = server.answers.get(`${p.token} ${seen}`);
  if (before !== undefined) expect(said, `what ${p.name} reads after ${op.tool} of others`).toBe(before);
  server.answers.set(`${p.token} ${seen}`, said);
}

/** What the caller's own questions and the work behind their own writes move is left out; how many vectors there are to be is not. */
function withoutProgress(stats: Record<string, unknown>): Record<string, unknown> {
  const { indexed, waiting, failed } = stats["vectors"] as Record<"indexed" | "waiting" | "failed", number>;
  return { ...stats, caches: undefined, vectors: indexed + waiting + failed, graph: undefined };
}

test("every tool of the catalogue takes part in the model [S6] [S16]", () => {
  expect(Object.keys(tools).sort()).toEqual(catalogue.map(({ name }) => name).sort());
});

test(
  "nobody learns of what they may not see, whatever anybody does with any tool [S6] [S14] [S15] [S17] [A1] [A13] [B1]",
  async () => {
    const figures = { runs: 0, operations: 0, memories: 0, superseded: 0, answers: {} as Record<string, number> };
    const started = Date.now();
    await fc.assert(
      fc.asyncProperty(members, operations, async (members, operations) => {
        const server = await TestServer.create(members);
        const { principals } = server;
        for (const [i, op] of operations.entries()) {
          await carryOut(server, principals[op.who % principals.length] as Principal, op);
          // After each write the next in turn looks on; at the end, all.
          if (op.tool in writing) await lookOn(server, principals[i % principals.length] as Principal, op);
        }
        await server.learn();
        const last = operations.at(-1) as Op;
        for (const p of principals) await lookOn(server, p, last);
        const asking = principals[operations.length % principals.length] as Principal;
        for (const target of server.model.entries.keys()) await carryOut(server, asking, { ...last, tool: "resources/read", flag: false, target });
        figures.runs += 1;
        figures.operations += operations.length;
        figures.memories += server.model.entries.length;
        figures.superseded += server.model.entries.filter((entry) => now(entry).supersededBy !== null).length;
        for (const [code, count] of server.answered) figures.answers[code] = (figures.answers[code] ?? 0) + count;
      }),
      // A failure is shrunk for as long as there is time; what it was shrunk to by then is printed with its seed.
      { numRuns, ...(path === undefined ? {} : { path }), endOnFailure, interruptAfterTimeLimit: 400_000 },
    );
    console.info(`isolation: ${JSON.stringify(figures)} in ${Math.round((Date.now() - started) / 1000)} s`);
  },
  600_000,
);
