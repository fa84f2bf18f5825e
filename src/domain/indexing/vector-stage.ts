import { meaningOf, type GraphChange } from "../graph/documents.ts";
import type { Memory } from "../memories/memory.ts";
import type { Embedder } from "../embedding/embedder.ts";
import { embeddingText, isEmbeddable } from "./embedding-text.ts";
import type { Stage } from "./stage.ts";
import { takePage, type Subject, type VectorPorts } from "./vector-page.ts";

export const vectorStageName = "vectors";
/** Entities and relationships, which follow the graph instead of the memories. */
export const graphVectorStageName = "graph_vectors";

/** Keeps the vectors of the memories, in one space, as the memories are. */
export const vectorStage = (ports: VectorPorts, embedder: Embedder): Stage<Memory> => ({
  name: vectorStageName,
  space: embedder.space,
  take: (run, memories, limits) => {
    const now = limits.clock();
    return takePage(ports, embedder, run, memories.map((memory) => subjectOf(memory, now)), limits, { kinds: ["memory"], immutable: false });
  },
});

const subjectOf = (memory: Memory, now: number): Subject => {
  const { id, seq, version, visibility, ownerId } = memory;
  return { kind: "memory", id, seq, version, visibility, ownerId, ...(isEmbeddable(memory, now) ? { text: embeddingText(memory) } : {}) };
};

/**
 * Keeps the vectors of entities and relationships as the graph is. A name that the provider refuses has no vector until it
 * changes: its memories are found without it.
 */
export const graphVectorStage = (ports: VectorPorts, embedder: Embedder): Stage<GraphChange> => ({
  name: graphVectorStageName,
  space: embedder.space,
  take: async (run, changes, limits) => {
    const taken = await takePage(ports, embedder, run, changes.map(conceptOf), limits, { kinds: ["entity", "relationship"], immutable: true });
    return { ...taken, setAside: [] };
  },
});

/** The graph never leaves its team: other teams cannot search it, so shared is the widest visibility. */
function conceptOf({ seq, kind, id, document }: GraphChange): Subject {
  const visibilityKey = document?.visibilityKey ?? "";
  const text = document && meaningOf(document);
  return { kind, id, seq, version: seq, visibility: visibilityKey === "" ? "shared" : "private", ownerId: visibilityKey, ...(text === undefined ? {} : { text }) };
}
