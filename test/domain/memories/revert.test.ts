import fc from "fast-check";
import { expect, test } from "vitest";
import { DomainError } from "../../../src/domain/errors.ts";
import { exportMemories } from "../../../src/domain/memories/export.ts";
import { archiveOne } from "../../../src/domain/memories/forget.ts";
import { importMemories } from "../../../src/domain/memories/import.ts";
import { fateOf } from "../../../src/domain/memories/reversion-plan.ts";
import type { RevertSelection, WrittenVersion } from "../../../src/domain/memories/reversion-store.ts";
import { revert, type RevertOutcome, undoRevert } from "../../../src/domain/memories/revert.ts";
import { remember } from "../../../src/domain/memories/remember.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import type { Context } from "../../../src/domain/context.ts";
import { resolveOne } from "../../../src/domain/memories/resolve.ts";
import { minute, newTeam, now, type Person } from "../../support/team.ts";

interface Step {
  who: number;
  tool: string;
  verb: "store" | "update" | "archive" | "restore" | "import" | "revert" | "revert and undo";
  key: string;
  target: number;
  visibility: "private" | "shared" | "public";
  secret: boolean;
  word: number;
  later: boolean;
}

const tools = ["cursor", "bad-client"];
const keys = ["a", "b", "c"];
const step: fc.Arbitrary<Step> = fc.record({
  who: fc.nat(1),
  tool: fc.constantFrom(...tools),
  verb: fc.constantFrom<Step["verb"]>("store", "store", "store", "update", "update", "update", "archive", "restore", "import", "revert", "revert and undo"),
  key: fc.constantFrom(...keys),
  target: fc.nat(20),
  visibility: fc.constantFrom("private", "shared", "shared", "public"),
  secret: fc.boolean(),
  word: fc.nat(3),
  later: fc.boolean(),
});
const selection = fc.record(
  { author: fc.nat(1), tool: fc.constantFrom(...tools), since: fc.nat(15), until: fc.nat(15) },
  { requiredKeys: [], noNullPrototype: true },
).filter(({ author, tool }) => author !== undefined || tool !== undefined);
type Selected = typeof selection extends fc.Arbitrary<infer T> ? T : never;

/** Two writers in one team, and a clock that often stands still. */
class History {
  readonly people: [Person, Person];
  readonly ids: string[] = [];
  clock = now;
  #requests = 0;

  constructor(people: [Person, Person]) {
    this.people = people;
  }

  static async begin(): Promise<History> {
    const team = await newTeam();
    return new History([team.owner, await team.join("member")]);
  }

  as({ who, tool }: Pick<Step, "who" | "tool">): Context {
    this.#requests += 1;
    return { ...(this.people[who] as Person).at(this.clock, tool), requestId: `request-${this.#requests}` };
  }

  selectionOf({ author, tool, since, until }: Selected): RevertSelection {
    const at = (minutes: number | undefined): number | undefined => (minutes === undefined ? undefined : now + minutes * minute);
    return { author: author === undefined ? undefined : this.people[author]?.id, tool, since: at(since), until: since !== undefined && until !== undefined && until <= since ? undefined : at(until) };
  }

  /** What nobody may do is not done. */
  async take(one: Step): Promise<void> {
    if (one.later) this.clock += minute;
    try {
      await this.#take(one);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
  }

  async #take(one: Step): Promise<void> {
    const ctx = this.as(one);
    const id = this.ids[one.target % Math.max(1, this.ids.length)];
    const said = { content: `word ${one.word} by ${one.who}`, sensitivity: one.secret ? ("secret" as const) : ("normal" as const) };
    if (one.verb === "store") {
      const { memory } = await remember(ctx, { ...said, key: one.key, visibility: one.visibility, tags: [`t${one.word}`] });
      if (!this.ids.includes(memory.id)) this.ids.push(memory.id);
    } else if (one.verb === "import") {
      const { ids } = await importMemories(ctx, { records: [{ content: said.content, key: one.key, visibility: one.visibility, updated_at: now - minute, updated_tool: "claimed" }], onConflict: "update" });
      this.ids.push(...ids.filter((known) => !this.ids.includes(known)));
    } else if (one.verb === "revert" || one.verb === "revert and undo") {
      const done = await confirmed(ctx, { tool: one.tool });
      if (done?.outcome === "reverted" && one.verb === "revert and undo") await undoRevert(this.as(one), { run: done.run });
    } else if (id === undefined) return;
    else if (one.verb === "archive") await archiveOne(ctx, await resolveOne(ctx, { id }));
    else await revise(ctx, { target: { id }, changes: one.verb === "restore" ? { archivedAt: null } : { ...said, key: one.key, ...(one.word > 1 ? { visibility: one.visibility } : {}) } });
  }

  /** What each of them sees, with and without secrets. */
  async exports(): Promise<string[]> {
    const all = this.people.flatMap((person) => [true, false].map((includeSecrets) => ({ person, includeSecrets })));
    const secretsToo = all.filter(({ person, includeSecrets }) => !includeSecrets || person.principal.scopes.includes("memory:admin"));
    return Promise.all(secretsToo.map(async ({ person, includeSecrets }) => (await exportMemories(person.at(this.clock), { format: "ndjson", limit: 1_000, includeHistory: true, includeSecrets })).data));
  }
}

async function confirmed(ctx: Context, selection: RevertSelection): Promise<RevertOutcome | undefined> {
  const preview = await revert(ctx, { selection });
  if (preview.outcome !== "preview" || preview.confirm === undefined) return undefined;
  const done = await revert(ctx, { selection, confirm: preview.confirm });
  expect(done).toMatchObject({ outcome: "reverted", run: preview.confirm });
  return done;
}

/** A revert and its undo; answers what the revert did, if there was something to do. */
async function there(history: History, who: number, asked: RevertSelection): Promise<Extract<RevertOutcome, { outcome: "reverted" }> | undefined> {
  history.clock += minute;
  const before = await history.exports();
  const done = await confirmed(history.as({ who, tool: "cursor" }), asked).catch((error: unknown) => {
    if (error instanceof DomainError && error.code === "MEMORY_NOT_FOUND") return undefined;
    throw error;
  });
  if (done?.outcome !== "reverted") {
    expect(await history.exports()).toEqual(before);
    return undefined;
  }
  const others = (data: string): string[] => data.split("\n").filter((line) => line !== "" && !done.ids.some((id) => line.includes(`"id":"${id}"`)));
  expect((await history.exports()).map(others)).toEqual(before.map(others));
  history.clock += minute;
  const undone = await undoRevert(history.as({ who, tool: "claude-code" }), { run: done.run });
  expect(undone).toMatchObject({ kept: [], gone: 0, already: 0 });
  expect(undone.ids.sort()).toEqual(done.ids.sort());
  expect(await history.exports()).toEqual(before);
  return done;
}

test("whatever two writers did: a revert changes nothing but what it names, and its undo gives back the same bytes", async () => {
  const figures = { runs: 0, restored: 0, archived: 0, kept: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 18, size: "max" }), selection, fc.nat(1), async (steps, chosen, who) => {
      const history = await History.begin();
      for (const one of steps) await history.take(one);
      const selections = [history.selectionOf(chosen), ...tools.map((tool) => ({ tool })), { author: history.people[who]?.id }];
      for (const asked of selections) await there(history, who, asked).then((done) => {
        if (!done) return;
        figures.runs += 1;
        figures.restored += done.restored;
        figures.archived += done.archived;
        figures.kept += done.kept.length;
      });
    }),
    { numRuns: Number(process.env["VITE_REVERT_RUNS"] ?? 25), interruptAfterTimeLimit: 150_000 },
  );
  console.info(`revert: ${JSON.stringify(figures)}`);
}, 240_000);

test("what becomes of a memory follows from who wrote which of its versions", () => {
  const [own, other, unseen, taken, inherited]: Partial<WrittenVersion>[] = [{ isSelected: true }, {}, { isSelected: true, isVisible: false }, { isSelected: true, stands: false }, { isSelected: true, tool: "other" }];
  const chain = (...versions: (Partial<WrittenVersion> | undefined)[]): WrittenVersion[] =>
    versions.map((version, i) => ({ version: i + 1, actorId: "u", tool: "t", isSelected: false, isInSession: true, stands: true, isVisible: true, ...version }));
  const bySession = { bySession: true };
  const plain = { bySession: false };
  expect(fateOf(chain(own, own), plain)).toEqual({ kind: "archive" });
  expect(fateOf(chain(other, own, own), plain)).toEqual({ kind: "restore", version: 1 });
  expect(fateOf(chain(own, other, own), plain)).toEqual({ kind: "restore", version: 2 });
  expect(fateOf(chain(own, other), plain)).toEqual({ kind: "keep", reason: "changed" });
  expect(fateOf(chain({ isVisible: false }, own), plain)).toEqual({ kind: "keep", reason: "hidden" });
  expect(fateOf(chain(unseen, own), plain)).toEqual({ kind: "archive" });
  expect(fateOf(chain(unseen, other), plain)).toBeUndefined();
  expect(fateOf(chain(other, taken, taken), plain)).toBeUndefined();
  expect(fateOf(chain(other, taken, taken, own), plain)).toEqual({ kind: "restore", version: 1 });
  expect(fateOf(chain(other), plain)).toBeUndefined();
  // A store under a key inherits the session of what is there.
  expect(fateOf(chain(own, inherited), bySession)).toEqual({ kind: "keep", reason: "changed" });
  expect(fateOf(chain(own, inherited, own), bySession)).toEqual({ kind: "restore", version: 2 });
  expect(fateOf(chain({ isInSession: false }, inherited, own), bySession)).toEqual({ kind: "keep", reason: "changed" });
});
