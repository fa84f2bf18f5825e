import type { EntityType } from "./graph.ts";

/**
 * An entity or relationship as a search index holds it: one document for each visibility key, made from the memories of that
 * key alone, so that nobody finds by a name that only somebody else's private memory uses.
 */
export interface GraphDocument {
  kind: "entity" | "relationship";
  /** Unique within its visibility key: the same entity under another key has another id. */
  id: string;
  /** '' for what the team shares, otherwise the one person who may see it. */
  visibilityKey: string;
  fields: Record<string, string>;
}

/** The newest change of an entity or relationship; without a document it is no more. */
export interface GraphChange {
  /** Grows with each change of any document. */
  seq: number;
  kind: GraphDocument["kind"];
  id: string;
  document?: GraphDocument;
}

/** For these types nearness in meaning says nothing: `1.2` is no nearer to `1.3` than to `9`. Their words find them. */
const literal = new Set(["version", "url", "ticket", "date"] satisfies EntityType[] as string[]);

/**
 * The text that is embedded; undefined when only letters distinguish the entity. The type is left out: it would weigh as much
 * as a short name.
 */
export function meaningOf({ kind, fields }: GraphDocument): string | undefined {
  if (kind === "relationship") return [fields["statement"], fields["context"]].filter(Boolean).join(" ");
  return literal.has(fields["type"] ?? "") ? undefined : [fields["name"], fields["aliases"]].filter(Boolean).join(" · ");
}

export const entityDocument = (visibilityKey: string, entity: { id: string; names: string[]; type: EntityType }): GraphDocument => ({
  kind: "entity",
  id: entity.id,
  visibilityKey,
  fields: { name: entity.names[0] ?? "", aliases: entity.names.slice(1).join(" · "), type: entity.type },
});

export const relationshipDocument = (
  visibilityKey: string,
  relationship: { id: string; source: string; type: string; target: string; temporalContext: string | null },
): GraphDocument => ({
  kind: "relationship",
  id: relationship.id,
  visibilityKey,
  fields: {
    statement: `${relationship.source} ${relationship.type.replaceAll("_", " ")} ${relationship.target}`,
    context: relationship.temporalContext ?? "",
  },
});
