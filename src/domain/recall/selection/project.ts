import { type Memory, topicOf } from "../../memories/memory.ts";
import { formerNameOf } from "../../project.ts";
import { projectWeights } from "../weights.ts";
import type { HitTrace } from "../presentation/receipt.ts";
import type { Ranked } from "./select-results.ts";

/** How near a memory is to a project: its own memories and its sessions', those under its former name, those of no project, those of another one. */
type Nearness = keyof typeof projectWeights;

function nearnessOf({ namespace }: Memory, project: string): Nearness {
  const topic = topicOf(namespace);
  if (topic === "" || namespace.startsWith("user:")) return "none";
  return topic === project ? "own" : topic === formerNameOf(project) ? "former" : "other";
}

/** The ranking for somebody who asks from within the project. */
export function preferred<R extends Ranked & { trace: HitTrace }>(ranked: readonly R[], project: string): R[] {
  return ranked
    .map((entry) => {
      const weight = projectWeights[nearnessOf(entry.memory, project)];
      const score = entry.score + weight;
      return weight === 0 ? entry : { ...entry, score, trace: { ...entry.trace, score, parts: { ...entry.trace.parts, project: weight } } };
    })
    .sort((a, b) => b.score - a.score);
}

/** A look-up has no scores: its order stays within what is equally near. */
export function nearestFirst(memories: readonly Memory[], project: string): Memory[] {
  const weights = new Map(memories.map((memory) => [memory, projectWeights[nearnessOf(memory, project)]]));
  return memories.toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0));
}
