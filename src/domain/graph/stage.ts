import type { Stage } from "../indexing/stage.ts";
import { homeOf } from "../memories/memory.ts";
import type { TeamHome } from "../search/vector-index.ts";
import { drawGraph, extractionRules } from "./draw.ts";
import type { GraphChanges, GraphWriter } from "./ports.ts";

/** The team's index, which is told of what D1 committed behind it: answers kept about these memories hold no longer. */
export interface GraphListener {
  graphChanged(team: TeamHome, changes: GraphChanges): Promise<void>;
}

export const graphStageName = "graph";

/** Draws the graph from what changed; better rules draw it anew from the beginning. */
export const graphStage = (graph: GraphWriter, listener: GraphListener): Stage => ({
  name: graphStageName,
  space: extractionRules,
  async take({ home }, memories, { clock }) {
    const contributions = await drawGraph({ graph }, home, clock(), memories);
    // When this fails, the page comes again: no change is lost on the way.
    await listener.graphChanged(home, {
      seq: memories.reduce((newest, { seq }) => Math.max(newest, seq), 0),
      contributions,
      changes: memories.map(({ id, visibility, ownerId }) => ({ home: homeOf(visibility, ownerId), memoryId: id })),
    });
    return { done: memories.length, setAside: [] };
  },
});
