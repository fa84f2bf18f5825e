import type { Stage } from "../indexing/stage.ts";
import { homeOf } from "../memories/memory.ts";
import type { TeamHome } from "../search/vector-index.ts";
import { drawGraph, extractionRules } from "./draw.ts";
import type { GraphWriter } from "./ports.ts";

/** Told of what changed behind the index: in which homes, whose kept answers hold no longer. */
export interface ChangeListener {
  changed(team: TeamHome, homes: readonly string[]): Promise<void>;
}

export const graphStageName = "graph";

/** Draws the graph from what changed; better rules draw it anew from the beginning. */
export const graphStage = (graph: GraphWriter, listener: ChangeListener): Stage => ({
  name: graphStageName,
  space: extractionRules,
  async take({ home }, memories, { clock }) {
    await drawGraph({ graph }, home, clock(), memories);
    await listener.changed(home, [...new Set(memories.map(({ visibility, ownerId }) => homeOf(visibility, ownerId)))]);
    return { done: memories.length, setAside: [] };
  },
});
