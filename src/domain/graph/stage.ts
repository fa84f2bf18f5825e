import type { Stage } from "../indexing/stage.ts";
import { drawGraph, extractionRules } from "./draw.ts";
import type { GraphWriter } from "./ports.ts";

/** Draws the graph from what changed; better rules draw it anew from the beginning. */
export const graphStage = (graph: GraphWriter): Stage => ({
  name: "graph",
  space: extractionRules,
  async take({ home }, memories, { clock }) {
    await drawGraph({ graph }, home, clock(), memories);
    return { done: memories.length, setAside: [] };
  },
});
