import { valueOf } from "../../../domain/memories/any-value.ts";
import { asSaid, initialState, toIso } from "../../../domain/memories/memory-fields.ts";
import { type Memory, namespaceOf } from "../../../domain/memories/memory.ts";
import { rounded } from "../../../domain/rounded.ts";
import type { ToolContext } from "../../define-tool.ts";
import { audienceOf, outdatedBy, trustFieldOf } from "../../render.ts";

/** The `toolNamespace` of the document, with underscores for dots: `kom.memory.v1.save_context` is found as well. */
export const aliasOf = (name: string): string => `kom_memory_v1_${name}`;

/** Where what names no namespace is stored. */
export const placeOf = ({ project }: ToolContext, namespace: string | undefined): { namespace?: string } =>
  namespace !== undefined ? { namespace } : project === undefined ? {} : { namespace: namespaceOf(project) };

/** What the document does not name, where it is not as usual. */
const otherwiseOf = (memory: Memory, author: string | undefined): Record<string, unknown> => ({
  ...(memory.namespace === initialState.namespace ? {} : { namespace: memory.namespace }),
  ...audienceOf(memory, author),
  ...trustFieldOf(memory),
  ...(memory.type === initialState.type ? {} : { type: memory.type }),
  ...(memory.tier === initialState.tier ? {} : { tier: memory.tier }),
  ...(memory.occurredAt === null ? {} : { occurred_at: toIso(memory.occurredAt) }),
  ...(memory.expiresAt === null ? {} : { expires_at: toIso(memory.expiresAt) }),
  ...(memory.supersededBy === null ? {} : { superseded_by: memory.supersededBy }),
});

/** An item of recall_context. */
export const komItem = (whole: Memory, author: string | undefined): Record<string, unknown> => itemOf(asSaid(whole), author);

const itemOf = (memory: Memory, author: string | undefined): Record<string, unknown> => ({
  id: memory.id,
  ...(memory.key === null ? {} : { key: memory.key }),
  content: valueOf(memory),
  ...(memory.tags.length === 0 ? {} : { tags: memory.tags }),
  created_at: toIso(memory.createdAt),
  ...(memory.updatedAt > memory.createdAt ? { updated_at: toIso(memory.updatedAt) } : {}),
  ...(memory.version > 1 ? { version: memory.version } : {}),
  ...(memory.importance === initialState.importance ? {} : { importance: memory.importance }),
  ...(Object.keys(memory.metadata).length === 0 ? {} : { metadata: memory.metadata }),
  ...(memory.sensitivity === "secret" ? { sensitivity: "secret" } : {}),
  ...otherwiseOf(memory, author),
});

/** A match of search_memory. `metadata` is what upsert_memory takes. */
export function komMatch(whole: Memory, { relevance = 0, author, truncated, ...found }: { relevance?: number | undefined; author?: string | undefined; truncated: boolean; laterId?: string }): Record<string, unknown> {
  const memory = asSaid(whole);
  const metadata = {
    ...(truncated ? {} : memory.metadata),
    ...(memory.tags.length === 0 ? {} : { tags: memory.tags }),
    ...(memory.importance === initialState.importance ? {} : { importance: memory.importance }),
    ...(memory.sensitivity === "secret" ? { sensitivity: "secret" } : {}),
  };
  return {
    id: memory.id,
    ...(memory.key === null ? {} : { key: memory.key }),
    score: rounded(relevance),
    text: memory.content,
    ...(truncated ? { truncated: true } : {}),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...otherwiseOf(memory, author),
    ...outdatedBy(found),
  };
}
