import { type Memory, sessionNamespaceOf, topicOf, withFormerNamespace } from "../../memories/memory.ts";
import { formerNameOf } from "../../project.ts";
import { projectWeights, staged } from "../weights.ts";
import type { HitTrace } from "../presentation/receipt.ts";
import type { Ranked } from "./select-results.ts";

/** Where a question is asked. */
export interface Place {
  project: string;
  session?: string | undefined;
}

/** How near a memory is to a place, nearest first. */
const nearest = ["session", "own", "former", "none", "other"] as const;
type Nearness = (typeof nearest)[number];

/** Of the session; of the project, its other sessions among it; under its former name; of no project; of another one. */
function nearnessOf({ namespace }: Memory, { project, session }: Place): Nearness {
  if (session !== undefined && withFormerNamespace(sessionNamespaceOf(project, session)).includes(namespace)) return "session";
  const topic = topicOf(namespace);
  if (topic === "" || namespace.startsWith("user:")) return "none";
  return topic === project ? "own" : topic === formerNameOf(project) ? "former" : "other";
}

/** It belongs to another project than the one at work: whoever changes it by its key should see that. */
export const isOfOther = (memory: Memory, project: string | undefined): boolean => project !== undefined && nearnessOf(memory, { project }) === "other";

/**
 * Priority retrieval of the Mnemosyne document: an answer from the session comes before one from its project, that before one of no project,
 * and another project's last, each while there is room for it. What is too little relevant to
 * be shown beside an answer follows in the order of its score.
 */
export const stageIn = (place: Place) => ({ memory, relevance = 1 }: { memory: Memory; relevance?: number }): number =>
  relevance >= staged ? nearest.indexOf(nearnessOf(memory, place)) : nearest.length;

/** The ranking for somebody who asks from within the project. */
export function preferred<R extends Ranked & { trace: HitTrace }>(ranked: readonly R[], place: Place): R[] {
  return ranked
    .map((entry) => {
      const weight = projectWeights[nearnessOf(entry.memory, place)];
      const score = entry.score + weight;
      return weight === 0 ? entry : { ...entry, score, trace: { ...entry.trace, score, parts: { ...entry.trace.parts, project: weight } } };
    })
    .sort((a, b) => b.score - a.score);
}

/** A look-up has no scores: its order stays within what is equally near. */
export function nearestFirst(memories: readonly Memory[], place: Place): Memory[] {
  const stages = new Map(memories.map((memory) => [memory, nearest.indexOf(nearnessOf(memory, place))]));
  return memories.toSorted((a, b) => (stages.get(a) ?? 0) - (stages.get(b) ?? 0));
}
