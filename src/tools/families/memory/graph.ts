import * as z from "zod";
import { graphAround } from "../../../domain/graph/graph-around.ts";
import type { Entity, Relationship } from "../../../domain/graph/graph.ts";
import { authorsOf } from "../../../domain/memories/authorship.ts";
import * as field from "../../../domain/memories/fields.ts";
import { toIso } from "../../../domain/memories/memory-fields.ts";
import { scopeFilter } from "../../../domain/memories/session-scope.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { succeeded, successOf } from "./answer.ts";
import { recordOf } from "./record.ts";
import { contextOf, sessionScope } from "./scope.ts";

/** Entities and relationships of the document (sections 7 and 8), and the memories that they come from. */
export const memoryGraph = defineTool({
  name: "memory_graph",
  title: "Memory graph",
  description: "What the memories around one memory, or around an entity, name: entities, relationships, links. Up to 3 hops.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject({
    memory_id: field.memoryRef.optional(),
    entity: field.filled("entity", 200).optional().describe("a name"),
    ...sessionScope,
    max_hops: z.number().int().min(1).max(3).default(1),
    limit: z.number().int().min(1).max(50).default(20),
  }),
  output: successOf(z.looseObject({ memories: z.array(z.looseObject({})), entities: z.array(z.looseObject({})), relationships: z.array(z.looseObject({})) })),
  async handler(ctx, { memory_id, entity, max_hops, limit, ...ids }) {
    const session = contextOf(ctx, ids);
    const { nodes, links, entities, relationships } = await graphAround(ctx, { memory: memory_id, entity, within: scopeFilter(session), depth: max_hops, limit });
    const authorOf = await authorsOf(ctx, nodes.map(({ memory }) => memory));
    return succeeded(ctx, session, {
      memories: nodes.map(({ memory, distance }) => ({ ...recordOf(memory, { author: authorOf(memory) }), distance })),
      links: links.map(({ source, target, type, strength, reason, madeBy }) => ({ source_id: source, target_id: target, link_type: type, strength, ...(reason === "" ? {} : { reason }), origin: madeBy })),
      entities: entities.map(({ entity: one, memories }) => entityOf(one, memories)),
      relationships: relationships.map(relationshipOf),
    });
  },
});

const entityOf = ({ name, type, aliases, confidence }: Entity, memories: string[]): Record<string, unknown> => ({
  name, type, ...(aliases.length > 0 ? { aliases } : {}), confidence, source_memory_ids: memories,
});

const relationshipOf = ({ source, type, target, confidence, temporalContext, validFrom, validTo, sourceMemories: [memory] }: Relationship): Record<string, unknown> => ({
  source_entity_name: source,
  relationship_type: type,
  target_entity_name: target,
  confidence,
  ...(memory === undefined ? {} : { source_memory_id: memory }),
  ...(temporalContext === null ? {} : { temporal_context: temporalContext }),
  ...(validFrom === null ? {} : { valid_from: toIso(validFrom) }),
  ...(validTo === null ? {} : { valid_to: toIso(validTo) }),
});
