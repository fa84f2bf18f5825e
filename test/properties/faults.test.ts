import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { embeddingText, isEmbeddable } from "../../src/domain/indexing/embedding-text.ts";
import { archiveOne } from "../../src/domain/memories/forget.ts";
import type { Memory } from "../../src/domain/memories/memory.ts";
import { revise } from "../../src/domain/memories/revise.ts";
import { EmbeddingFailure } from "../../src/domain/embedding/embedder.ts";
import { busy, down, Jobs, RecordingIndex, rows, ScriptedEmbedder, shardOf, Unannounced, vectorOf, type Trouble } from "../support/indexing.ts";
import { commits, minute, newTeam, now, services, type Team } from "../support/team.ts";
import { D1VectorStore } from "../../src/platform/d1/vector-store.ts";
import type { VectorStore } from "../../src/domain/indexing/progress-store.ts";

/** What people and machines do, in any order. */
type Step =
  | { kind: "remember"; text: number; secret: boolean }
  | { kind: "revise" | "archive" | "erase"; which: number; text: number }
  | { kind: "run"; twice: boolean; memories: number }
  | { kind: "sweep"; minutes: number }
  | { kind: "embedder" | "index"; troubles: number[] }
  | { kind: "database"; call: string }
  | { kind: "stall"; which: number; text: number; erase: boolean }
  | { kind: "poison"; text: number | undefined }
  | { kind: "model"; space: number };

const troubles: Trouble[] = [
  undefined,
  busy(),
  busy(3 * minute),
  down,
  () => {
    throw new EmbeddingFailure("401", { retryable: false });
  },
];

const text = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("remember" as const), text, secret: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("revise" as const, "archive" as const, "erase" as const), which: fc.nat(20), text }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("run" as const), twice: fc.boolean(), memories: fc.integer({ min: 1, max: 10 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("sweep" as const), minutes: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("embedder" as const, "index" as const), troubles: fc.array(fc.nat(4), { maxLength: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("stall" as const), which: fc.nat(20), text, erase: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("database" as const), call: fc.constantFrom("claim", "doomed", "acknowledge", "removed", "cached", "serve", "retire", "forget") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("poison" as const), text: fc.option(text, { nil: undefined }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("model" as const), space: fc.nat(2) }) },
);

/** One of everything, and a database that fails a call before or after it was done. */
class World {
  readonly index = new RecordingIndex();
  readonly embedders = [0, 1, 2].map((n) => new ScriptedEmbedder(`test:${n}:4`, 3));
  readonly team: Team;
  readonly ada: Unannounced;
  readonly memories: Memory[] = [];
  readonly #failing: string[] = [];
  jobs: Jobs;
  at = now;

  constructor(team: Team) {
    this.team = team;
    // The running Worker has another model, and would make its own the serving one between two steps.
    this.ada = Unannounced.of(team.owner);
    this.jobs = this.deploy(0);
  }

  deploy(space: number): Jobs {
    const vectors = new Proxy<VectorStore>(new D1VectorStore(shardOf), {
      get: (store, name: keyof VectorStore) => async (...args: never[]) => {
        const found = this.#failing.indexOf(name);
        const work = () => (store[name] as (...args: never[]) => Promise<unknown>).apply(store, args);
        if (found === -1) return work();
        this.#failing.splice(found, 1);
        // The answer is lost: half the time the work was done.
        if (args.length % 2 === 0) await work();
        throw new Error("D1 is away");
      },
    });
    this.jobs = new Jobs(this.team, this.jobs?.now ?? now, {
      embedder: this.embedders[space] as ScriptedEmbedder,
      earlier: this.embedders,
      index: this.index,
      within: { vectors },
    });
    return this.jobs;
  }

  async take(step: Step): Promise<void> {
    const { ada } = this;
    this.at += 1;
    const memory = "which" in step ? this.memories[step.which % Math.max(1, this.memories.length)] : undefined;
    switch (step.kind) {
      case "remember":
        this.memories.push((await ada.remember(`text ${step.text}`, step.secret ? { sensitivity: "secret" } : {}, this.at)).memory);
        return;
      case "revise":
        if (memory) this.#replace((await revise(ada.at(this.at), { target: { id: memory.id }, changes: { content: `text ${step.text}`, sensitivity: "normal" } })));
        return;
      case "archive":
        if (memory) await archiveOne(ada.at(this.at), memory);
        if (memory) this.memories.splice(this.memories.indexOf(memory), 1);
        return;
      case "erase":
        if (memory) await commits.erase(ada.principal, ada.at(this.at), [memory]);
        if (memory) this.memories.splice(this.memories.indexOf(memory), 1);
        return;
      case "run":
        await Promise.all([this.jobs.run(this.team, step.memories), step.twice ? this.jobs.run(this.team, step.memories) : undefined]);
        return;
      case "sweep":
        return this.jobs.sweep(step.minutes);
      case "embedder":
        for (const embedder of this.embedders) embedder.script.push(...step.troubles.map((n) => troubles[n]));
        return;
      case "index":
        this.index.script.push(...step.troubles.map((n) => troubles[n]));
        return;
      case "stall":
        // The next vectors are on their way for so long that another run takes over, and the world goes on.
        this.index.script.push(async () => {
          this.jobs.now += 4 * minute;
          await this.take({ kind: step.erase ? "erase" : "revise", which: step.which, text: step.text });
          await this.jobs.run(this.team);
        });
        return;
      case "database":
        this.#failing.push(step.call);
        return;
      case "poison":
        for (const embedder of this.embedders) embedder.poison.clear();
        if (step.text !== undefined) for (const embedder of this.embedders) embedder.poison.add(`text ${step.text}`);
        return;
      case "model":
        this.deploy(step.space);
    }
  }

  #replace(outcome: Awaited<ReturnType<typeof revise>>): void {
    if (!("memory" in outcome)) return;
    const { memory } = outcome as { memory: Memory };
    this.memories[this.memories.findIndex(({ id }) => id === memory.id)] = memory;
  }

  recover(): Promise<void> {
    for (const embedder of this.embedders) {
      embedder.script.length = 0;
      embedder.poison.clear();
    }
    this.index.script.length = 0;
    this.#failing.length = 0;
    // Longer than any wait: five minutes of a stage, an hour of a memory, ten minutes of a space that served.
    return this.jobs.sweep(90);
  }
}

const remembered: Step = { kind: "remember", text: 0, secret: false };
const slow = (erase: boolean): Step => ({ kind: "stall", which: 0, text: 0, erase });
/** What was found once: a vector came to the index after its memory was erased, and nothing took it away again. */
const found: Step[][] = [
  // Another run took over, and nobody heard whether the late one still had its lease.
  [{ kind: "database", call: "acknowledge" }, slow(true), remembered, slow(false), { kind: "run", twice: false, memories: 1 }, { kind: "sweep", minutes: 1 }],
  // Two runs under a new model: one removed what the other was about to store.
  [{ kind: "run", twice: false, memories: 1 }, remembered, slow(true), { kind: "revise", which: 0, text: 0 }, { kind: "model", space: 1 }, { kind: "run", twice: true, memories: 1 }, remembered],
];

describe("whatever fails, in whatever order [E3]", () => {
  test("after recovery every live memory has one vector, of its newest version, and nothing else has one", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const server = new World(await newTeam());
        for (const step of steps) await server.take(step);
        await server.recover();

        const { team, jobs, index } = server;
        const live = (await services.memories.list(team.owner.principal, jobs.now, {}, { below: undefined, limit: 1_000 })).items.filter((memory) => isEmbeddable(memory, jobs.now));
        const held = [...index.held.values()].map(({ space, id, version, values }) => ({ space, id, version, values }));
        const wanted = live.map((memory) => ({ space: jobs.embedder.space, id: memory.id, version: memory.version, values: vectorOf(embeddingText(memory)) }));
        const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
        expect(held.sort(byId)).toEqual(wanted.sort(byId));

        const cached = await rows<{ space: string }>("SELECT space FROM vector_cache WHERE team_id = ?", team.id);
        expect(cached.length).toBeLessThanOrEqual(new Set(live.map(embeddingText)).size);
        expect(new Set(cached.map(({ space }) => space)).size).toBeLessThanOrEqual(1);
        expect(await rows("SELECT 1 FROM index_failures WHERE team_id = ?", team.id)).toEqual([]);
        expect((await team.owner.call("omn_memory_stats")).structured["vectors"]).toMatchObject({ indexed: live.length, waiting: 0, failed: 0 });
      }),
      { numRuns: 25, examples: found.map((steps): [Step[]] => [steps]) },
    );
  }, 300_000);
});
