import type { Context } from "../context.ts";
import type { Memory } from "../memories/memory.ts";

/** Keys of the Token Saver document that say what is in work. */
const stateKey = /^current\./;
const decisionName = /(?:^|[.:/_-])decisions?(?:$|[.:/_-])/i;

const isDecision = ({ type, key, tags }: Memory): boolean => type === "architecture_decision" || [key ?? "", ...tags].some((name) => decisionName.test(name));

/** Notes in the session's trail what a memory that was just written says of the work. A secret one says nothing. */
export function noteWrite({ trail }: Context, memory: Memory): void {
  if (!trail || memory.sensitivity === "secret" || memory.quarantine !== null) return;
  for (const path of new Set([...memory.relatedFiles, ...memory.citations.map((citation) => citation.path)])) trail.note({ kind: "file", path });
  if (isDecision(memory)) trail.note({ kind: "decision", id: memory.id });
  if (memory.key !== null && stateKey.test(memory.key)) trail.note({ kind: "state", key: memory.key, id: memory.id });
}
