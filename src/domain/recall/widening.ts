import type { Context } from "../context.ts";
import { namespaceOf, sessionNamespaceOf, topicOf, withFormerNamespace } from "../memories/memory.ts";
import { cachedRecall } from "./cache/cached-recall.ts";
import type { Recalled, RecallInput, RecallOutcome } from "./recall.ts";
import { isPromising } from "./selection/certainty.ts";

/** Where a question is asked, if it says so or the connection does. */
export interface Place {
  /** The namespace that the question names. */
  namespace?: string | undefined;
  project?: string | undefined;
  session?: string | undefined;
}

/** Namespaces that are searched together; undefined for all. */
type Stage = string[] | undefined;

/**
 * Priority retrieval of the Mnemosyne document: a session's memories, then its project's, then the global ones. A named global
 * scope means all memories. Whoever names none starts at the connection's session and may end anywhere.
 */
export function stagesOf({ namespace, project, session }: Place): Stage[] {
  if (namespace === undefined) {
    const own = project === undefined ? [] : [...(session === undefined ? [] : [withFormerNamespace(sessionNamespaceOf(project, session))]), withFormerNamespace(namespaceOf(project))];
    return own.length === 0 ? [undefined] : [...own, ["global"], undefined];
  }
  if (namespace === "global") return [undefined];
  const own = withFormerNamespace(namespace);
  return namespace.startsWith("session:") ? [own, withFormerNamespace(namespaceOf(topicOf(namespace))), ["global"]] : [own, ["global"]];
}

export interface Widened {
  items: Recalled[];
  /** Nothing is certain in any stage: the items are leads. */
  uncertain: boolean;
  degraded: string[];
  receipts: NonNullable<RecallOutcome["receipt"]>[];
}

/**
 * Recall in stages, each asked only while there is room for more; what a narrow stage finds stands before what a wide one does.
 * Leads take no room: they are shown where no stage finds anything promising.
 */
export async function recallWidening(ctx: Context, { filter, limit, ...input }: RecallInput, place: Place, form: string): Promise<Widened> {
  const found = new Map<string, Recalled>();
  const leads = new Map<string, Recalled>();
  const degraded = new Set<string>();
  const receipts: Widened["receipts"] = [];
  let isCertain = false;
  for (const namespaces of stagesOf(place)) {
    if (found.size >= limit) break;
    // The widest stage finds what the narrow ones did, too.
    const wanted = namespaces ? limit - found.size : limit;
    const outcome = await cachedRecall(ctx, { ...input, limit: wanted, filter: { ...filter, ...(namespaces ? { namespaces } : {}) } }, form);
    const kept = outcome.uncertain && !isPromising(outcome.items) ? leads : found;
    isCertain ||= outcome.items.length > 0 && !outcome.uncertain;
    for (const item of outcome.items) if (kept.size < limit && !kept.has(item.memory.id)) kept.set(item.memory.id, item);
    for (const line of outcome.degraded) degraded.add(line);
    if (outcome.receipt) receipts.push(outcome.receipt);
  }
  const items = [...(found.size === 0 ? leads : found).values()];
  return { items, uncertain: items.length > 0 && !isCertain, degraded: [...degraded], receipts };
}
