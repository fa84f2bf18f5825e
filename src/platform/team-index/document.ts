import { indexedFields, sealedFields, toShortJson, wordsOf } from "../../domain/memories/memory-fields.ts";
import { asVersion, type Memory, type Version } from "../../domain/memories/memory.ts";
import { mergedInto } from "../../domain/memories/supersede.ts";
import { asFound } from "../../domain/secrets/redaction.ts";

/** What orders a version of a memory and says who sees it, and the fields that filters ask for. */
export interface DocumentHead {
  teamId: string;
  memoryId: string;
  version: number;
  /** Sequence number of the change; 0 when the document comes from a rebuild, which is complete as a whole. */
  seq: number;
  alias: number;
  key: string | null;
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
  /** Since when it is so, where that is not `updatedAt`: upkeep leaves the date of a memory as it is. */
  since?: number;
  expiresAt: number | null;
  /** Archived memories stay searchable in the past only. */
  archived: boolean;
  /** Id of the memory that it was merged into (`mergedInto`). */
  mergedInto: string | null;
  /** A secret is found by its key, its tags and when it was, and by no word of what it says. */
  secret: boolean;
}

/** A memory as the index holds it. */
export interface IndexDocument extends DocumentHead {
  /** The memory as `toShortJson` writes it, without what is sealed of a secret. */
  body: string;
}

/** Made at first use: it costs 14 ms of start-up. */
let spoken: Intl.DateTimeFormat | undefined;
const inWords = (instant: number): string =>
  (spoken ??= new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric", timeZone: "UTC" })).format(instant);

/** The words by which a memory is found. */
export interface IndexedWords {
  content: string;
  /** Key, tags, summary and keywords. */
  label: string;
  /** Who wrote it and when it happened, in words, so that "May 2023" finds it. */
  moment: string;
}

const fieldsOf = (text: "content" | "label" | "moment") => {
  const all = indexedFields(text);
  return { all, plain: all.filter((field) => !(sealedFields as string[]).includes(field)) };
};
const texts = { content: fieldsOf("content"), label: fieldsOf("label"), moment: fieldsOf("moment") };

/** Of the body of a document. */
export function indexedWords(body: string): IndexedWords {
  const memory = JSON.parse(body) as Partial<Memory>;
  const words = (text: keyof IndexedWords): string => {
    const { all, plain } = texts[text];
    return wordsOf(memory, memory.sensitivity === "secret" ? plain : all, inWords).join(" ");
  };
  return { content: words("content"), label: words("label"), moment: words("moment") };
}

/** `at`: when this version was made. */
export const toDocument = (memory: Memory, at = memory.updatedAt): IndexDocument => ({
  ...headOf(memory),
  ...(at === memory.updatedAt ? {} : { since: at }),
  body: toShortJson(asFound(memory)),
});

export const sinceOf = ({ since, updatedAt }: Pick<DocumentHead, "since" | "updatedAt">): number => since ?? updatedAt;

export function headOf(memory: Memory): DocumentHead {
  return {
    teamId: memory.teamId,
    memoryId: memory.id,
    version: memory.version,
    seq: memory.seq,
    alias: memory.alias,
    key: memory.key,
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
    mergedInto: mergedInto(memory),
    secret: memory.sensitivity === "secret",
  };
}

/** An earlier version of the memory; secret when the memory is now, or was then. */
export const toPastDocument = (memory: Memory, version: Version): IndexDocument => toDocument(asVersion(memory, version));
