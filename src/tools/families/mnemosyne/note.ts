import type { MemoryLink } from "../../../domain/graph/graph.ts";
import type { AuthorOf } from "../../../domain/memories/authorship.ts";
import { initialState, toIso } from "../../../domain/memories/memory-fields.ts";
import type { Memory } from "../../../domain/memories/memory.ts";
import { preview } from "../../../domain/recall/presentation/excerpt.ts";
import { rounded } from "../../../domain/rounded.ts";
import { beginningOf } from "../../beginning.ts";
import { audienceOf, outdatedBy, trustFieldOf } from "../../render.ts";
import { pascal, toTen } from "./words.ts";

/** In characters. */
const summaryLength = 120;

/** The entry of `metadata` that keeps a note's context: the circumstances in which it was made. */
export const contextEntry = "context";

export const summaryOf = ({ summary, content }: Memory): string => summary ?? preview(content, summaryLength);

export interface Shown {
  author?: string | undefined;
  relevance?: number | undefined;
  truncated?: boolean;
  laterId?: string;
}

/** A memory as the document's MemoryNote; of what the document does not name only what is not as usual. */
export function noteOf(memory: Memory, { author, relevance, truncated = false, ...found }: Shown = {}): Record<string, unknown> {
  const { [contextEntry]: context, ...metadata } = memory.metadata;
  return {
    memory_id: memory.id,
    ...(memory.key === null ? {} : { key: memory.key }),
    namespace: memory.namespace,
    content: memory.content,
    ...(truncated ? { truncated: true } : {}),
    ...(memory.summary === null ? {} : { summary: memory.summary }),
    ...(memory.keywords.length === 0 ? {} : { keywords: memory.keywords }),
    tags: memory.tags,
    ...(context === undefined ? {} : { context }),
    memory_type: pascal(memory.type),
    importance: toTen(memory.importance),
    ...(memory.confidence === initialState.confidence ? {} : { confidence: memory.confidence }),
    ...(memory.agentId === null ? {} : { agent_role: memory.agentId }),
    ...(memory.relatedFiles.length === 0 ? {} : { related_files: memory.relatedFiles }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...audienceOf(memory, author),
    ...trustFieldOf(memory),
    ...(memory.sensitivity === "secret" ? { sensitivity: "secret" } : {}),
    created_at: toIso(memory.createdAt),
    ...(memory.updatedAt > memory.createdAt ? { updated_at: toIso(memory.updatedAt) } : {}),
    ...(memory.version > 1 ? { version: memory.version } : {}),
    ...(memory.occurredAt === null ? {} : { occurred_at: toIso(memory.occurredAt) }),
    ...(memory.accessCount === 0 ? {} : { access_count: memory.accessCount, last_accessed_at: toIso(memory.accessedAt) }),
    ...(memory.expiresAt === null ? {} : { expires_at: toIso(memory.expiresAt) }),
    ...(memory.supersededBy === null ? {} : { superseded_by: memory.supersededBy }),
    ...outdatedBy(found),
    ...(relevance === undefined ? {} : { score: rounded(relevance) }),
  };
}

/** Of long contents the beginning; mnemosyne_context has them whole by their ids. */
export const briefNotesOf = (memories: readonly Memory[], authorOf: AuthorOf): Record<string, unknown>[] =>
  memories.map((memory) => {
    const content = beginningOf(memory.content);
    return noteOf({ ...memory, content }, { author: authorOf(memory), truncated: content !== memory.content });
  });

export const linkOf = ({ source, target, type, strength, reason, madeBy }: MemoryLink): Record<string, unknown> => ({
  source_id: source, target_id: target, link_type: pascal(type), strength, ...(reason === "" ? {} : { reason }), origin: madeBy,
});
