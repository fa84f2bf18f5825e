import type { Stage } from "../indexing/stage.ts";
import { visibilityKeyOf } from "../memories/memory.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";
import { extractGraph, extractionRules } from "./extract-graph.ts";
import type { GraphChanges, GraphWriter } from "./graph-store.ts";

/** The team's index, which is told of what D1 committed behind it: answers kept about these memories hold no longer. */
export interface GraphListener {
  graphChanged(team: TeamRef, changes: GraphChanges): Promise<void>;
}

export const graphStageName = "graph";

/** Draws the graph from what changed; better rules draw it anew from the beginning. */
export const graphStage = (graph: GraphWriter, listener: GraphListener): Stage => ({
  name: graphStageName,
  space: extractionRules,
  async take({ team }, memories, { clock }) {
    const contributions = await extractGraph({ graph }, team, clock(), memories);
    // When this fails, the page comes again: no change is lost on the way.
    await listener.graphChanged(team, {
      seq: memories.reduce((newest, { seq }) => Math.max(newest, seq), 0),
      contributions,
      changes: memories.map(({ id, visibility, ownerId }) => ({ visibilityKey: visibilityKeyOf(visibility, ownerId), memoryId: id })),
    });
    return { done: memories.length, setAside: [] };
  },
});
