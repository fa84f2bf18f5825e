import type { Recalled } from "../domain/memories/recall.ts";
import type { CacheRates, LevelRate } from "../domain/search/recall-cache.ts";
import type { Memory } from "../domain/memories/memory.ts";
import type { Proposal } from "../domain/memories/review-ports.ts";
import type { Related } from "../domain/search/related.ts";

const iso = (ms: number): string => new Date(ms).toISOString();

/** Where a text comes from, unless the person said it; a model must not take quarantined text for more than a quotation. */
const trustOf = ({ trust }: Memory): string | undefined =>
  trust.quarantined ? "quarantined" : trust.source === "user" ? undefined : trust.source;

/**
 * A memory in the names of the OmniMemory document; fields at their default are left out to save tokens. Of a truncated
 * one only what is needed to judge it and to fetch the whole.
 */
export function omnMemory(memory: Memory, extra: Partial<Omit<Recalled, "memory">> = {}): Record<string, unknown> {
  const trust = trustOf(memory);
  const named = {
    memory_id: memory.id,
    ...(memory.key === null ? {} : { key: memory.key }),
    content: memory.content,
    ...(trust === undefined ? {} : { trust }),
  };
  const relevance = extra.relevance === undefined ? {} : { relevance_score: Math.round(extra.relevance * 1000) / 1000 };
  const related = extra.related ? { related: extra.related } : {};
  if (extra.truncated) return { ...named, truncated: true, tokens_total: extra.tokensTotal, ...relevance, ...related };
  return {
    ...named,
    ...(memory.value === null ? {} : { value: memory.value }),
    metadata: {
      ...memory.metadata,
      ...(memory.tags.length ? { tags: memory.tags } : {}),
      importance: memory.importance,
      scope: memory.visibility,
      ...(memory.sensitivity === "secret" ? { sensitivity: "secret" } : {}),
      ...(memory.expiresAt === null ? {} : { expiry: iso(memory.expiresAt) }),
    },
    namespace: memory.namespace,
    ...(memory.summary === null ? {} : { summary: memory.summary }),
    ...(memory.type === "standard" ? {} : { type: memory.type }),
    ...relevance,
    version: memory.version,
    ...(memory.occurredAt === null ? {} : { occurred_at: iso(memory.occurredAt) }),
    created_at: iso(memory.createdAt),
    ...(memory.version > 1 ? { updated_at: iso(memory.updatedAt) } : {}),
    author: memory.updatedBy,
    tool: memory.updatedTool,
    ...(memory.archivedAt === null ? {} : { archived_at: iso(memory.archivedAt) }),
    ...related,
  };
}

const attribute = (name: string, value: string | number | undefined): string =>
  value === undefined ? "" : ` ${name}="${String(value).replaceAll('"', "'").replaceAll("\n", " ")}"`;

/** Recalled text is data, not instruction: each memory stands between tags that its own text cannot close. */
export function memoryText({ memory, relevance, truncated, tokensTotal, related = [] }: Recalled): string {
  return (
    `<memory${attribute("id", memory.id)}${attribute("key", memory.key ?? undefined)}` +
    `${memory.namespace === "global" ? "" : attribute("namespace", memory.namespace)}` +
    `${attribute("when", iso(memory.occurredAt ?? memory.updatedAt).slice(0, 10))}` +
    `${attribute("relevance", relevance === undefined ? undefined : relevance.toFixed(2))}` +
    `${attribute("trust", trustOf(memory))}` +
    `${truncated ? ' truncated="true"' : ""}${attribute("tokens_total", truncated ? tokensTotal : undefined)}>` +
    `\n${inert(memory.content)}\n${related.map(relatedText).join("")}</memory>`
  );
}

const inert = (text: string): string => text.replaceAll("</memory", "<\\/memory");

const relatedText = ({ id, key, title, why, quarantined }: Related): string =>
  `<related${attribute("id", id)}${attribute("key", key)}${attribute("why", why)}${attribute("trust", quarantined ? "quarantined" : undefined)}>${inert(title)}</related>\n`;
/** How much of one's own reading was answered from what was kept. */
export function ratesOf({ l1, l2, tokens }: CacheRates): Record<string, unknown> {
  const rate = ({ hits, misses }: LevelRate) => ({ hits, misses, rate: hits === 0 ? 0 : Math.round((hits / (hits + misses)) * 1000) / 1000 });
  return { l1: rate(l1), l2: rate(l2), tokens_not_fetched_again: tokens };
}

/** Of a store that was a repeat: what the model can do about it. */
export const duplicateText = ({ id, key }: Memory, updateTool: string): string =>
  `duplicate: nothing was stored. This session recalled just that from memory ${id}${key === null ? "" : ` (key ${key})`}, which still says it. ` +
  `If something changed, say what: update that memory with ${updateTool}. To keep it a second time all the same, repeat the call with allow_duplicate: true.`;

/** Of a write that others would see, in a team that looks at such things first. */
export const proposalOf = (proposal: Proposal | undefined): Record<string, unknown> =>
  proposal ? { proposal: { id: proposal.id, scope: proposal.visibility, state: proposal.state } } : {};

/** A write whose only effect is a proposal that waits says so. */
export const outcomeWith = <T extends string>(outcome: T, proposal: Proposal | undefined): T | "proposed" =>
  outcome === "unchanged" && proposal?.state === "pending" ? "proposed" : outcome;

const shareAdvice = {
  pending: "It waits until an admin of the team accepts it; until then it is as private as before.",
  accepted: "It was accepted before; since then it has been made private again.",
  refused: "An admin of the team refused that; change it, or ask them, before proposing it again.",
} as const;

const changeAdvice = {
  pending: "It waits until an admin of the team accepts it; until then everybody, you included, finds the memory as it was. It takes the place of what you proposed for it before.",
  accepted: "It was accepted before.",
  refused: shareAdvice.refused,
} as const;

export function proposalText(proposal: Proposal | undefined): string {
  if (!proposal) return "";
  return proposal.proposed || proposal.links
    ? ` Not changed yet: this team reviews what members change of what others see. ${changeAdvice[proposal.state]}`
    : ` Not ${proposal.visibility} yet: this team reviews what members share. ${shareAdvice[proposal.state]}`;
}
