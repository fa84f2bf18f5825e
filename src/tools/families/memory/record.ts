import * as z from "zod";
import { categoryEntry } from "../../../domain/memories/fields.ts";
import { asSaid, initialState, toIso } from "../../../domain/memories/memory-fields.ts";
import { type Memory, memoryTypes } from "../../../domain/memories/memory.ts";
import { scopeOf } from "../../../domain/memories/session-scope.ts";
import { audienceOf, trustFieldOf } from "../../render.ts";
import { scopeFields } from "./scope.ts";

/** STANDARD, PROCEDURAL or GRAPH, and the types that the document does not know; in any case of letters. */
export const memoryType = z
  .string()
  .transform((name) => name.toLowerCase())
  .pipe(z.enum(memoryTypes, { error: `must be one of ${memoryTypes.map((name) => name.toUpperCase()).join(", ")}` }))
  .meta({ listed: { type: "string", description: "STANDARD, PROCEDURAL, GRAPH, …" } });

export const typeName = ({ type }: Pick<Memory, "type">): string => type.toUpperCase();

interface Shown {
  author?: string | undefined;
  /** Without the metadata. */
  bare?: boolean | undefined;
  /** The content is a part of the whole. */
  truncated?: boolean;
}

/** Memory Record of section 1; of what the document does not name, in its metadata, only what is not as usual. */
export function recordOf(whole: Memory, { author, bare, truncated }: Shown = {}): Record<string, unknown> {
  const memory = asSaid(whole);
  const { [categoryEntry]: category, ...custom } = memory.metadata;
  const scope = scopeOf(memory);
  const superseded = memory.supersededBy === null ? {} : { superseded_by: memory.supersededBy };
  const metadata = {
    ...scopeFields(scope),
    created_at: toIso(memory.createdAt),
    updated_at: toIso(memory.updatedAt),
    memory_type: typeName(memory),
    ...(category === undefined ? {} : { category }),
    ...(memory.tags.length === 0 ? {} : { tags: memory.tags }),
    ...(Object.keys(custom).length === 0 ? {} : { custom_metadata: custom }),
    ...(memory.key === null ? {} : { key: memory.key }),
    ...(scope.userId !== undefined || memory.namespace === initialState.namespace ? {} : { namespace: memory.namespace }),
    ...(memory.importance === initialState.importance ? {} : { importance: memory.importance }),
    ...(memory.confidence === initialState.confidence ? {} : { confidence: memory.confidence }),
    ...(memory.occurredAt === null ? {} : { occurred_at: toIso(memory.occurredAt) }),
    ...(memory.expiresAt === null ? {} : { expiry: toIso(memory.expiresAt) }),
    ...superseded,
    ...(memory.sensitivity === "secret" ? { sensitivity: "secret" } : {}),
    ...audienceOf(memory, author),
  };
  // Whose word it is, and that it holds no more, stands beside the text also where the metadata is not wanted.
  return { id: memory.id, integer_id: memory.alias, content: memory.content, ...(truncated ? { truncated } : {}), ...trustFieldOf(memory), ...(bare ? superseded : { metadata }), version: memory.version };
}
