import fc from "fast-check";
import { expect, test } from "vitest";
import { actions } from "./actions.ts";
import type { Command, Op } from "./commands.ts";
import { canWrite, isAdmin } from "./model.ts";
import { everybodyObserves } from "./observers.ts";
import { tokenSaver } from "./token-saver.ts";
import { everyScope, TestTeams, type Credential } from "./test-teams.ts";
import type { Membership } from "./test-server.ts";
import { omnWrites } from "./writes.ts";

const writes: Record<string, Command> = { ...omnWrites, write_memory: tokenSaver["write_memory"] as Command, delete_memory: tokenSaver["delete_memory"] as Command };
const writeWeights: Record<string, number> = { omn_store_memory: 13, omn_update_memory: 6, omn_forget_memory: 2, omn_import_memories: 3, write_memory: 5, delete_memory: 1 };

const people = 5;
/** Each team has an owner, one person is in two teams; two more people are what chance makes them. */
const settled: Membership[] = [
  { user: 0, team: 0, role: "owner", scopes: [...everyScope] },
  { user: 1, team: 0, role: "member", scopes: [...everyScope] },
  { user: 1, team: 1, role: "owner", scopes: [...everyScope] },
  { user: 2, team: 2, role: "owner", scopes: [...everyScope] },
];
const others = fc
  .record({ second: fc.constantFrom("owner", "admin", "member"), third: fc.constantFrom("member", "viewer") })
  .map(({ second, third }): Membership[] => [
    { user: 2, team: 0, role: second, scopes: [...everyScope] },
    { user: 3, team: 0, role: third, scopes: ["memory:read", "memory:write"] },
  ]);

const operation = (tool: fc.Arbitrary<string>): fc.Arbitrary<Op> =>
  fc.record({
    tool,
    who: fc.nat(999),
    target: fc.nat(99),
    key: fc.nat(3),
    place: fc.nat(5),
    visibility: fc.constantFrom("private", "shared", "shared", "public"),
    variant: fc.nat(127),
    flag: fc.boolean(),
    limit: fc.integer({ min: 1, max: 6 }),
  });
const weighted = [...Object.entries(writeWeights), ...Object.entries(actions).map(([name, { weight }]) => [name, weight] as const)];
const anything = fc.oneof(...weighted.map(([name, weight]) => ({ weight, arbitrary: fc.constant(name) })));
/** First somebody is invited and some things are written; then anything. Not the smallest numbers first: with them nobody may do much. */
const operations = fc.noBias(
  fc
    .tuple(
      fc.array(operation(fc.constantFrom("omn_store_memory", "omn_store_memory", "omn_store_memory", "write_memory", "invite")), { minLength: 4, maxLength: 7, size: "max" }),
      fc.array(operation(anything), { minLength: 12, maxLength: 30, size: "max" }),
    )
    .map(([first, then]) => [...first, ...then]),
);

/** Mostly who may try it at all, and what a member writes is what a review is about; now and then anybody, with whatever they have or had. */
function actor(server: TestTeams, { tool, who }: Op): Credential {
  const writing = tool in writes;
  const all = writing ? server.credentials : [...server.credentials, ...server.seats];
  const here = all.filter(({ active, team }) => active && team === server.teams[0]?.id);
  const likely = here.filter((p) => (writing ? canWrite(p) && (who % 4 === 1 || !isAdmin(p)) : p.kind === "web" && isAdmin(p)));
  const among = who % 4 === 0 || likely.length === 0 ? all : likely;
  return among[Math.floor(who / 4) % among.length] as Credential;
}

/** Most of the towns' first teams review what their members share. */
async function begin(server: TestTeams, [first]: Op[]): Promise<void> {
  const owner = server.seats.find(({ active, role }) => active && role === "owner") as Credential;
  await actions["review"]?.act(server, owner, first as Op);
}

/** Mostly with a word on who is to see it, and not under the idempotency key that everybody uses; mostly of a memory that is there for them. */
function likely(server: TestTeams, p: Credential, op: Op): Op {
  if (op.limit <= 2) return op;
  if (op.tool === "omn_store_memory") return { ...op, variant: op.variant & 62 };
  if (op.tool !== "omn_update_memory") return op;
  const seen = server.model.own(p, {}, "all");
  const entry = seen[op.target % Math.max(1, seen.length)];
  return { ...op, target: entry ? server.indexOf(entry) : op.target, limit: 1, variant: (op.variant & 61) | (op.flag ? 2 : 1) };
}

async function carryOut(server: TestTeams, op: Op): Promise<void> {
  const p = actor(server, op);
  const write = writes[op.tool];
  if (!write) await actions[op.tool]?.act(server, p, op);
  else if (p.active) await write(server, p, likely(server, p, op), op.tool);
  else expect(await server.tool(p, op.tool, {}), `${p.name} is refused`).toMatchObject({ status: 401 });
  server.follow();
  await Promise.all([server.checkRoster(), server.learn()]);
  if (write || ["decide", "change what waits", "change what is shared"].includes(op.tool)) await server.tick();
}

/** As in the property of isolation: `VITE_ISOLATION_RUNS=100 VITE_PROPERTY_SEED=1 npx vitest run test/properties/membership.test.ts`. */
const setting = (name: string): number | undefined => {
  const value = process.env[`VITE_ISOLATION_${name}`];
  return value === undefined ? undefined : Number(value);
};

test(
  "whoever comes, goes, or becomes something else: everybody sees and may do what they are by now, and no more [S6] [F3] [F4] [S17]",
  async () => {
    const figures = { runs: 0, operations: 0, memories: 0, credentials: 0, links: {} as Record<string, number>, proposals: {} as Record<string, number>, answers: {} as Record<string, number> };
    const count = (counts: Record<string, number>, name: string, by = 1): void => void (counts[name] = (counts[name] ?? 0) + by);
    const started = Date.now();
    await fc.assert(
      fc.asyncProperty(others, operations, async (others, operations) => {
        const server = await TestTeams.settled([...settled, ...others], people);
        await begin(server, operations);
        for (const [step, op] of operations.entries()) {
          await carryOut(server, op);
          await everybodyObserves(server, step, op);
        }
        figures.runs += 1;
        figures.operations += operations.length;
        figures.memories += server.model.entries.length;
        figures.credentials += server.credentials.length;
        for (const { state } of server.roster.links) count(figures.links, state);
        for (const { state } of server.model.proposals) count(figures.proposals, state);
        for (const [code, times] of server.answered) count(figures.answers, code, times);
      }),
      { numRuns: setting("RUNS") ?? 12, endOnFailure: setting("SHRINK") === 0, interruptAfterTimeLimit: 400_000 },
    );
    console.info(`membership: ${JSON.stringify(figures)} in ${Math.round((Date.now() - started) / 1000)} s`);
  },
  600_000,
);
