import type { VectorizeBindings } from "./bindings.ts";
import { readBatch } from "./deletion.ts";

/** How many getByIds run side by side: a Worker has six connections. */
const sideBySide = 6;

/** Calls to Vectorize in one run, so that a long queue does not use up what an invocation may call. */
const maxCalls = 120;

type Waiting = { seq: number; id: string; version: number; dimensions: number }[];

/** The index object whose vectors wait, or its stub. */
export interface Waiter {
  oldestVectors(limit: number, after: number): Waiting | Promise<Waiting>;
  vectorsVisible(seen: { id: string; version: number }[]): void | Promise<void>;
}

/** Asks Vectorize for what waits, oldest first, and lets go of what it shows in its version or a newer one. */
export async function settlePending(object: Waiter, bindings: VectorizeBindings): Promise<void> {
  let after = 0;
  for (let calls = 0; calls < maxCalls; calls += sideBySide) {
    const waiting = await object.oldestVectors(readBatch * sideBySide, after);
    if (waiting.length === 0) return;
    after = waiting.at(-1)?.seq ?? after;
    const parts = Array.from({ length: sideBySide }, (_, part) => waiting.slice(part * readBatch, (part + 1) * readBatch));
    const seen = (await Promise.all(parts.map((part) => visibleOf(part, bindings)))).flat();
    if (seen.length > 0) await object.vectorsVisible(seen);
  }
}

async function visibleOf(waiting: Waiting, bindings: VectorizeBindings): Promise<Waiting> {
  const seen: Waiting = [];
  for (const dimensions of new Set(waiting.map((vector) => vector.dimensions))) {
    const asked = waiting.filter((vector) => vector.dimensions === dimensions);
    const binding = await bindings.find(dimensions);
    // Its index is gone: nobody can ask in that space any more.
    if (!binding) seen.push(...asked);
    const shown = new Map((await binding?.getByIds(asked.map(({ id }) => id)))?.map(({ id, metadata }) => [id, Number(metadata?.["version"])]));
    seen.push(...asked.filter(({ id, version }) => (shown.get(id) ?? 0) >= version));
  }
  return seen;
}
