import { formerSpace } from "../embedding/vector-space.ts";
import type { VectorIndex, VectorInspection, VectorKind, VectorName } from "../embedding/vector-index.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";
import { underLease, type FollowPorts } from "./follow.ts";
import type { ComparisonStore, VectorStore, WantedVector } from "./progress-store.ts";
import { LeaseLost, type Clock, type Run } from "./stage.ts";
import { graphVectorStageName, vectorStageName } from "./vector-stage.ts";

export interface ComparisonPorts extends FollowPorts {
  vectors: Pick<VectorStore, "spaces" | "acknowledge">;
  comparison: ComparisonStore;
  vectorIndex: VectorIndex & VectorInspection;
}

export interface Compared {
  compared: number;
  /** Written again from the cache. */
  missing: number;
  /** Removed. */
  unwanted: number;
}

/** By stage: the kinds that it keeps. */
const stages: [stage: string, kinds: readonly VectorKind[]][] = [
  [vectorStageName, ["memory"]],
  [graphVectorStageName, ["entity", "relationship"]],
];
/** So many are compared each time; whoever has no more has all of them compared. 15 reads of Vectorize. */
const pageSize = 300;
/** Before every entry. */
const start: VectorName = { kind: "" as VectorKind, id: "" };

/**
 * Compares the vector index with what it has to hold for a team, in the space that answers, and repairs the difference. Each
 * run compares one page from where the last comparison ended; when entries are missing, it goes on to the next pages as long as
 * there is time. It looks for surplus entries around an entry of the page. It holds the stage's lease, so that nothing is
 * written meanwhile. It skips a space of the former form, which is about to be replaced.
 */
export async function compareVectors(ports: ComparisonPorts, team: TeamRef, clock: Clock, deadline: number): Promise<Compared> {
  const total: Compared = { compared: 0, missing: 0, unwanted: 0 };
  const { serving } = await ports.vectors.spaces(team);
  if (!serving || formerSpace(serving.space) === undefined) return total;
  for (const [stage, kinds] of stages) {
    await underLease(ports, { team, stage, space: serving.space }, clock, async (run) => {
      await compareStage(ports, run, kinds, clock, deadline, total);
      return "done";
    });
  }
  return total;
}

async function compareStage(ports: ComparisonPorts, run: Run, kinds: readonly VectorKind[], clock: Clock, deadline: number, total: Compared): Promise<void> {
  const { comparison, vectorIndex } = ports;
  const at = clock();
  let upTo = (await comparison.comparedUpTo(run)) ?? start;
  let near: Float32Array | undefined;
  for (;;) {
    const page = await comparison.entriesAfter(run, kinds, upTo, pageSize);
    const missing = page.length > 0 ? await vectorIndex.missing(run.team, run.space, page) : [];
    if (missing.length > 0) await writeAgain(ports, run, page, missing, at);
    total.compared += page.length;
    total.missing += missing.length;
    near ??= page[Math.floor(Math.random() * page.length)]?.values;
    const last = page.at(-1);
    upTo = last && page.length === pageSize ? { kind: last.kind, id: last.id } : start;
    if (upTo === start || missing.length === 0 || clock() >= deadline) break;
  }
  const unwanted = await comparison.unwanted(run, await vectorIndex.shown(run.team, run.space, kinds, near));
  if (unwanted.own.length > 0) await vectorIndex.remove(run.team, unwanted.own, run.space);
  if (unwanted.copies.length > 0) await vectorIndex.withdrawCopies(run.team, run.space, unwanted.copies);
  total.unwanted += unwanted.own.length + unwanted.copies.length;
  await comparison.noteComparison(run, at, upTo);
}

/** Until the index has them again, statistics count them as waiting. */
async function writeAgain({ comparison, vectors, vectorIndex }: ComparisonPorts, run: Run, page: WantedVector[], missing: VectorName[], at: number): Promise<void> {
  await comparison.miss(run, missing, at);
  const names = new Set(missing.map(({ kind, id }) => `${kind} ${id}`));
  const entries = page.filter(({ kind, id }) => names.has(`${kind} ${id}`));
  await vectorIndex.upsert(run.team, run.space, entries);
  if (!(await vectors.acknowledge(run, entries.map(({ kind, id, version, hash }) => ({ kind, id, version, hash }))))) throw new LeaseLost();
}
