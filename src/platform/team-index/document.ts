import type { Memory, Version } from "../../domain/memories/memory.ts";

/** What the index holds of a memory: its searchable text and the fields that filters ask for. */
export interface IndexDocument {
  teamId: string;
  memoryId: string;
  version: number;
  /** Sequence number of the change; 0 when the document comes from a rebuild, which is complete as a whole. */
  seq: number;
  alias: number;
  key: string | null;
  content: string;
  /** Key, tags, summary and keywords. */
  label: string;
  /** Who wrote it and when it happened, in words, so that "May 2023" finds it. */
  moment: string;
  namespace: string;
  visibility: string;
  ownerId: string;
  authorId: string;
  type: string;
  importance: number;
  tags: string[];
  /** Place in its thread: when it happened, otherwise when it was stored. */
  position: number;
  updatedAt: number;
  expiresAt: number | null;
  /** Archived memories stay searchable in the past only. */
  archived: boolean;
}

const spoken = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

export function toDocument(memory: Memory): IndexDocument {
  return {
    teamId: memory.teamId,
    memoryId: memory.id,
    version: memory.version,
    seq: memory.seq,
    alias: memory.alias,
    key: memory.key,
    content: memory.content,
    label: [memory.key, memory.summary, ...memory.tags, ...memory.keywords].filter(Boolean).join(" "),
    moment: [memory.agentId, memory.occurredAt === null ? undefined : spoken.format(memory.occurredAt)].filter(Boolean).join(" "),
    namespace: memory.namespace,
    visibility: memory.visibility,
    ownerId: memory.ownerId,
    authorId: memory.updatedBy,
    type: memory.type,
    importance: memory.importance,
    tags: memory.tags,
    position: memory.occurredAt ?? memory.createdAt,
    updatedAt: memory.updatedAt,
    expiresAt: memory.expiresAt,
    archived: memory.archivedAt !== null,
  };
}

/** An earlier version of the memory. */
export const toPastDocument = (memory: Memory, { version, at, actorId, state }: Pick<Version, "version" | "at" | "actorId" | "state">): IndexDocument =>
  toDocument({ ...memory, ...state, version, updatedAt: at, updatedBy: actorId });
