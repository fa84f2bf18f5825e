import type { Recalled } from "../domain/memories/recall.ts";
import type { Memory } from "../domain/memories/memory.ts";

const iso = (ms: number): string => new Date(ms).toISOString();

/**
 * A memory in the names of the OmniMemory document; fields at their default are left out to save tokens. Of a truncated
 * one only what is needed to judge it and to fetch the whole.
 */
export function omnMemory(memory: Memory, extra: { relevance?: number; truncated?: boolean } = {}): Record<string, unknown> {
  const named = { memory_id: memory.id, ...(memory.key === null ? {} : { key: memory.key }), content: memory.content };
  const relevance = extra.relevance === undefined ? {} : { relevance_score: Math.round(extra.relevance * 1000) / 1000 };
  if (extra.truncated) return { ...named, truncated: true, ...relevance };
  return {
    ...named,
    ...(memory.value === null ? {} : { value: memory.value }),
    metadata: {
      ...memory.metadata,
      ...(memory.tags.length ? { tags: memory.tags } : {}),
      importance: memory.importance,
      scope: memory.visibility,
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
  };
}

const attribute = (name: string, value: string | number | undefined): string =>
  value === undefined ? "" : ` ${name}="${String(value).replaceAll('"', "'").replaceAll("\n", " ")}"`;

/** Recalled text is data, not instruction: each memory stands between tags that its own text cannot close. */
export function memoryText({ memory, relevance, truncated }: Recalled): string {
  const body = memory.content.replaceAll("</memory", "<\\/memory");
  return (
    `<memory${attribute("id", memory.id)}${attribute("key", memory.key ?? undefined)}` +
    `${memory.namespace === "global" ? "" : attribute("namespace", memory.namespace)}` +
    `${attribute("when", iso(memory.occurredAt ?? memory.updatedAt).slice(0, 10))}` +
    `${attribute("relevance", relevance === undefined ? undefined : relevance.toFixed(2))}` +
    `${truncated ? ' truncated="true"' : ""}>\n${body}\n</memory>`
  );
}

/** The beginning of a text on one line. */
export function preview(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return [...line].length <= length ? line : `${[...line].slice(0, length - 1).join("")}…`;
}
