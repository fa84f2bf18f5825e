import { sha256Hex } from "../hash.ts";
import type { Embedder } from "../embedding/embedder.ts";
import type { VectorEntry, VectorIndex, VectorKind, VectorName } from "../embedding/vector-index.ts";
import { embedTexts } from "./embed.ts";
import { leaseMs } from "./follow.ts";
import type { VectorClaim, VectorStore } from "./progress-store.ts";
import { LeaseLost, StageFailure, type RunLimits, type Run, type BatchResult, type CursorKey } from "./stage.ts";

export interface VectorPorts {
  vectors: VectorStore;
  vectorIndex: VectorIndex;
}

/** Something that may have a vector. */
export interface Subject extends Omit<VectorEntry, "values"> {
  seq: number;
  /** To be embedded; without it nobody may find the subject by its meaning. */
  text?: string;
}

/** How many entries go into one call of the index: Vectorize takes 1,000. */
const indexBatch = 1_000;

/**
 * Brings the vectors of one space up to date with the subjects, as many as there is time for. `kinds` are those of the stage.
 * Where `immutable`, only the text of a subject ever changes, so that the index is not asked again to store what it has.
 */
export async function takePage(
  ports: VectorPorts,
  embedder: Embedder,
  run: Run,
  subjects: Subject[],
  limits: RunLimits,
  { kinds, immutable }: { kinds: readonly VectorKind[]; immutable: boolean },
): Promise<BatchResult> {
  const hashes = new Map(await Promise.all(subjects.flatMap(({ id, text }) => (text === undefined ? [] : sha256Hex(text).then((hash) => [id, hash] as const)))));
  const { fresh, known, refused, done, interrupted } = await embedded(ports, embedder, run, subjects, hashes, limits);
  if (interrupted && done === 0) throw interrupted;

  const reached = subjects.slice(0, done);
  const claims = reached.flatMap(({ kind, id, version }): VectorClaim[] => {
    const hash = hashes.get(id);
    return hash !== undefined && known.has(hash) ? [{ kind, id, version, hash }] : [];
  });
  const claimed = new Set(claims.map(({ id }) => id));
  // A subject that nobody may find, or whose newest text has no vector, must not be found by an older vector.
  const unwanted = reached.filter(({ id }) => !claimed.has(id)).map(({ kind, id }): VectorName => ({ kind, id }));
  const accepted = await ports.vectors.claim(run, limits.clock() + leaseMs, claims, unwanted, fresh);
  await removeDoomed(ports, run, kinds);
  await upsert(ports, run, reached, claims.filter(({ id }) => (immutable ? accepted.get(id) === 0 : accepted.has(id))), known);
  const setAside = reached.filter(({ text }) => text !== undefined && refused.has(text)).map(({ id, version }) => ({ id, version, code: "refused" }));
  return { done, setAside, ...(interrupted ? { interrupted } : {}) };
}

async function embedded({ vectors }: VectorPorts, embedder: Embedder, run: Run, subjects: Subject[], hashes: ReadonlyMap<string, string>, limits: RunLimits) {
  const texts = new Map(subjects.flatMap(({ id, text }) => (text === undefined ? [] : [[hashes.get(id) as string, text] as const])));
  const none = new Map<string, Float32Array>();
  const { own, former } = texts.size === 0 ? { own: none, former: none } : await vectors.cached(run, [...texts.keys()]);
  const missing = [...texts].filter(([hash]) => !own.has(hash) && !former.has(hash));
  const answer = await embedTexts(embedder, missing.map(([, text]) => text), limits);
  const made = missing.flatMap(([hash, text]) => {
    const vector = answer.vectors.get(text);
    return vector ? [[hash, vector] as const] : [];
  });
  const fresh = new Map([...former, ...made]);
  const known = new Map([...own, ...fresh]);
  const open = subjects.findIndex(({ id, text }) => text !== undefined && !known.has(hashes.get(id) as string) && !answer.refused.has(text));
  return { fresh, known, refused: answer.refused, done: open === -1 ? subjects.length : open, interrupted: answer.interrupted };
}

async function upsert({ vectors, vectorIndex }: VectorPorts, run: Run, subjects: Subject[], claims: VectorClaim[], values: ReadonlyMap<string, Float32Array>): Promise<void> {
  if (claims.length === 0) return;
  const byId = new Map(subjects.map((subject) => [subject.id, subject]));
  const entries = claims.map(({ kind, id, version, hash }): VectorEntry => {
    const { visibility, ownerId } = byId.get(id) as Subject;
    return { kind, id, version, visibility, ownerId, values: values.get(hash) as Float32Array };
  });
  try {
    await vectorIndex.upsert(run.team, run.space, entries);
  } catch (error) {
    throw new StageFailure("index_unavailable", { cause: error });
  }
  const disown = (): Promise<void> => vectors.disown(run, claims, Math.min(...subjects.map(({ seq }) => seq)) - 1);
  const isHeld = await vectors.acknowledge(run, claims).catch(async (error: unknown) => {
    // Nobody says whether the lease was held: another run may have removed these before they came.
    await disown();
    throw error;
  });
  if (isHeld) return;
  await disown();
  throw new LeaseLost();
}

/** Takes from the index what has no place there any more. Each kind is one run's alone, so that none removes what another just wrote. */
export async function removeDoomed({ vectors, vectorIndex }: VectorPorts, cursorKey: CursorKey, kinds: readonly VectorKind[]): Promise<void> {
  for (;;) {
    const doomed = await vectors.doomed(cursorKey, kinds, indexBatch);
    if (doomed.length === 0) return;
    try {
      await vectorIndex.remove(cursorKey.team, doomed, cursorKey.space);
    } catch (error) {
      throw new StageFailure("index_unavailable", { cause: error });
    }
    await vectors.removed(cursorKey, doomed);
    if (doomed.length < indexBatch) return;
  }
}
