import { sha256Hex } from "../hash.ts";
import type { Memory } from "../memories/memory.ts";
import type { Embedder } from "../search/embedder.ts";
import type { VectorIndex } from "../search/vector-index.ts";
import { embeddingText, isEmbeddable } from "./embedding-text.ts";
import { embedTexts } from "./embed.ts";
import { leaseMs } from "./follow.ts";
import type { VectorClaim, VectorStore } from "./ports.ts";
import { LeaseLost, StageFailure, type Pace, type Run, type SetAside, type Stage, type Track } from "./stage.ts";

export interface VectorPorts {
  vectors: VectorStore;
  vectorIndex: VectorIndex;
}

export const vectorStageName = "vectors";

/** How many entries go into one call of the index: Vectorize takes 1,000. */
const indexBatch = 1_000;

/** Keeps the vectors of one space as the memories are. */
export function vectorStage(ports: VectorPorts, embedder: Embedder): Stage {
  const { vectors, vectorIndex } = ports;
  return {
    name: vectorStageName,
    space: embedder.space,
    async take(run, memories, pace) {
      const now = pace.clock();
      const wanted = await Promise.all(memories.filter((memory) => isEmbeddable(memory, now)).map(toPassage));
      const passages = new Map(wanted.map((passage) => [passage.memory.id, passage]));
      const { ready, setAside, done, interrupted } = await embedded(run, memories, passages, pace);
      if (interrupted && done === 0) throw interrupted;

      const reached = memories.slice(0, done);
      const claims: VectorClaim[] = reached.flatMap(({ id, version }) => {
        const hash = passages.get(id)?.hash;
        return hash !== undefined && ready.vectors.has(hash) ? [{ id, version, hash }] : [];
      });
      const claimed = new Set(claims.map(({ id }) => id));
      // A memory that may not be found, and one whose newest text has no vector, must not be found by an older one.
      const unwanted = reached.filter(({ id }) => !claimed.has(id)).map(({ id }) => id);
      const accepted = await vectors.claim(run, pace.clock() + leaseMs, claims, unwanted, ready.fresh);
      await removeDoomed(ports, run);
      const current = claims.filter(({ id }) => accepted.has(id));
      await upsert(run, reached, current, ready.vectors);
      return { done, setAside, ...(interrupted ? { interrupted } : {}) };
    },
  };

  async function embedded(run: Run, memories: Memory[], passages: ReadonlyMap<string, Passage>, pace: Pace) {
    const byHash = new Map([...passages.values()].map(({ hash, text }) => [hash, text]));
    const known = byHash.size === 0 ? new Map<string, Float32Array>() : await vectors.cached(run, [...byHash.keys()]);
    const missing = [...byHash].filter(([hash]) => !known.has(hash));
    const answer = await embedTexts(embedder, missing.map(([, text]) => text), pace);
    const fresh = new Map(missing.flatMap(([hash, text]) => {
      const vector = answer.vectors.get(text);
      return vector ? [[hash, vector] as const] : [];
    }));
    const refused = (passage: Passage): string | undefined => answer.refused.get(passage.text);
    const ready = { fresh, vectors: new Map([...known, ...fresh]) };
    const open = memories.findIndex(({ id }) => {
      const passage = passages.get(id);
      return passage !== undefined && !ready.vectors.has(passage.hash) && refused(passage) === undefined;
    });
    const done = open === -1 ? memories.length : open;
    const setAside: SetAside[] = memories.slice(0, done).flatMap(({ id, version }) => {
      const passage = passages.get(id);
      const code = passage && refused(passage);
      return code === undefined ? [] : [{ id, version, code }];
    });
    return { ready, setAside, done, interrupted: answer.interrupted };
  }

  async function upsert(run: Run, memories: Memory[], claims: VectorClaim[], values: ReadonlyMap<string, Float32Array>): Promise<void> {
    if (claims.length === 0) return;
    const byId = new Map(memories.map((memory) => [memory.id, memory]));
    const entries = claims.map(({ id, version, hash }) => {
      const { visibility, ownerId } = byId.get(id) as Memory;
      return { kind: "memory" as const, id, version, visibility, ownerId, values: values.get(hash) as Float32Array };
    });
    try {
      await vectorIndex.upsert(run.home, run.space, entries);
    } catch (error) {
      throw new StageFailure("index_unavailable", { cause: error });
    }
    if (await vectors.acknowledge(run, claims)) return;
    await vectors.disown(run, claims, Math.min(...memories.map(({ seq }) => seq)) - 1);
    throw new LeaseLost();
  }
}

/** Takes from the index what has no place there any more. */
export async function removeDoomed({ vectors, vectorIndex }: VectorPorts, track: Track): Promise<void> {
  for (;;) {
    const doomed = await vectors.doomed(track, indexBatch);
    if (doomed.length === 0) return;
    try {
      await vectorIndex.remove(track.home, doomed, track.space);
    } catch (error) {
      throw new StageFailure("index_unavailable", { cause: error });
    }
    await vectors.removed(track, doomed);
    if (doomed.length < indexBatch) return;
  }
}

interface Passage {
  memory: Memory;
  text: string;
  hash: string;
}

async function toPassage(memory: Memory): Promise<Passage> {
  const text = embeddingText(memory);
  return { memory, text, hash: await sha256Hex(text) };
}

