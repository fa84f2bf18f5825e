import type { VectorKind } from "../../domain/search/vector-index.ts";

const prefixes: Record<VectorKind, string> = { memory: "m", entity: "e", relationship: "r" };
const kinds = new Map(Object.entries(prefixes).map(([kind, prefix]) => [prefix, kind as VectorKind]));

/**
 * `m:<UUID>:<space>` and, for the copy that other teams of the organization find, `m:<UUID>:<space>:o`: 49 of the 64 bytes
 * that Vectorize allows. The space is part of it because a new model's vectors are stored beside the old one's.
 */
export const vectorId = (kind: VectorKind, id: string, mark: string, copy: "team" | "organization"): string =>
  `${prefixes[kind]}:${id}:${mark}${copy === "organization" ? ":o" : ""}`;

export function parseVectorId(vectorId: string): { kind: VectorKind; id: string } {
  const [prefix = "", id = ""] = vectorId.split(":", 2);
  const kind = kinds.get(prefix);
  if (kind === undefined) throw new Error(`Not a vector id of OmniMemory: ${vectorId}`);
  return { kind, id };
}

/** 50 of 64 bytes. */
export const teamNamespace = (teamId: string, mark: string): string => `team:${teamId}:${mark}`;
export const organizationNamespace = (organizationId: string, mark: string): string => `org:${organizationId}:${mark}`;
