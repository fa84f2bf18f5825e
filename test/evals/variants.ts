import type { Arguments } from "./memories.ts";

export interface Variant {
  name: string;
  args: Arguments;
}

const legs = ["vector", "entities", "relationships", "graph", "neighbours", "rerank", "diversity", "dedupe"] as const;

export const base: Variant = { name: "all legs", args: {} };

export const variants: readonly Variant[] = [
  { name: "text only", args: { mode: "text" } },
  { name: "vector only", args: { mode: "vector" } },
  ...legs.map((leg) => ({ name: `without ${leg}`, args: { without: [leg] } })),
];
