import { type Framed, joined, named, quoted, say } from "../../../domain/frame.ts";
import type { Entity, Relationship } from "../../../domain/graph/graph.ts";
import type { ToolContext } from "../../define-tool.ts";

export const graphFields = ["links", "entities", "relationships"] as const;
type Part = (typeof graphFields)[number];

const mostRelationships = 20;
const iso = (ms: number): string => new Date(ms).toISOString();

/** What the graph knows of one memory, in the parts asked for: for the structured answer, and in lines to read. */
export async function graphOf(ctx: ToolContext, id: string, parts: readonly Part[]): Promise<{ structured: Record<string, unknown>; lines: Framed[] }> {
  const { graph, principal, now } = ctx;
  const [links, entities, relationships] = await Promise.all([
    parts.includes("links") ? graph.links(principal, now, [id]) : undefined,
    parts.includes("entities") ? graph.entitiesOf(principal, now, [id]).then((found) => found.get(id) ?? []) : undefined,
    parts.includes("relationships") ? graph.relationshipsOf(principal, now, [id], mostRelationships) : undefined,
  ]);
  return {
    structured: {
      ...(links && {
        links: links.map(({ source, target, type, strength, reason, madeBy, createdBy, createdAt }) => ({
          from: source, to: target, type, strength, ...(reason ? { reason } : {}), origin: madeBy, ...(createdBy === null ? {} : { created_by: createdBy }), created_at: iso(createdAt),
        })),
      }),
      ...(entities && { entities: entities.map(portableEntity) }),
      ...(relationships && { relationships: relationships.map(portableRelationship) }),
    },
    lines: [
      ...(links ?? []).map(({ source, target, type, reason, madeBy }) => say`link: ${source === id ? "this memory" : source} ${type} ${target === id ? "this memory" : target}${inBrackets(reason)}${madeBy === "said" ? say`` : say`, by ${madeBy}`}`),
      ...(entities?.length ? [say`entities: ${joined(entities.map(({ name, type, aliases }) => say`${named(name)} [${joined([type, ...aliases].map(named), ", ")}]`), "; ")}`] : []),
      ...(relationships ?? []).map(({ source, type, target, temporalContext }) => say`relationship: ${named(source)} ${named(type)} ${named(target)}${inBrackets(temporalContext)}`),
    ],
  };
}

const inBrackets = (text: string | null): Framed => (text ? say` (${quoted(text)})` : say``);

const portableEntity = ({ id, name, type, aliases, confidence, mentions }: Entity) => ({ id, name, type, ...(aliases.length ? { aliases } : {}), confidence, mentions });

const portableRelationship = ({ source, type, target, temporalContext, validFrom, validTo, confidence }: Relationship) => ({
  source,
  relationship: type,
  target,
  ...(temporalContext === null ? {} : { temporal_context: temporalContext }),
  ...(validFrom === null ? {} : { valid_from: iso(validFrom) }),
  ...(validTo === null ? {} : { valid_to: iso(validTo) }),
  confidence,
});
