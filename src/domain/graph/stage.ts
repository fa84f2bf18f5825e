import type { Stage } from "../indexing/stage.ts";
import type { TeamHome } from "../search/vector-index.ts";
import { drawGraph, extractionRules } from "./draw.ts";
import type { GraphWriter } from "./ports.ts";

/** Told of what changed behind the index: whose kept answers hold no longer; `undefined` is everybody. */
export interface ChangeListener {
  changed(home: TeamHome, audiences: readonly (string | undefined)[]): Promise<void>;
}

/** Draws the graph from what changed; better rules draw it anew from the beginning. */
export const graphStage = (graph: GraphWriter, listener: ChangeListener): Stage => ({
  name: "graph",
  space: extractionRules,
  async take({ home }, memories, { clock }) {
    await drawGraph({ graph }, home, clock(), memories);
    await listener.changed(home, [...new Set(memories.map(({ visibility, ownerId }) => (visibility === "private" ? ownerId : undefined)))]);
    return { done: memories.length, setAside: [] };
  },
});
