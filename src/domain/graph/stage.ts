import type { Stage } from "../indexing/stage.ts";
import type { HomeChange } from "../ports.ts";
import { homeOf } from "../memories/memory.ts";
import type { TeamHome } from "../search/vector-index.ts";
import { drawGraph, extractionRules } from "./draw.ts";
import type { GraphWriter } from "./ports.ts";

/** Told of what changed behind the index: kept answers about these memories hold no longer. */
export interface ChangeListener {
  changed(team: TeamHome, changes: readonly HomeChange[]): Promise<void>;
}

export const graphStageName = "graph";

/** Draws the graph from what changed; better rules draw it anew from the beginning. */
export const graphStage = (graph: GraphWriter, listener: ChangeListener): Stage => ({
  name: graphStageName,
  space: extractionRules,
  async take({ home }, memories, { clock }) {
    await drawGraph({ graph }, home, clock(), memories);
    await listener.changed(home, memories.map(({ id, visibility, ownerId }) => ({ home: homeOf(visibility, ownerId), memoryId: id })));
    return { done: memories.length, setAside: [] };
  },
});
