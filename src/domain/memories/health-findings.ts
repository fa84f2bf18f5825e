import type { LinkType, MemoryLink } from "../graph/graph.ts";
import type { Memory } from "./memory.ts";
import type { Citation } from "./memory-values.ts";

/** What the report card is made of: rows of the store, as far as the principal may see them, and no verdict yet. */

/** A memory as the card names it. `beginning`: of what it says; "" of a secret. */
export interface Examined extends Pick<Memory, "id" | "key" | "namespace" | "visibility" | "ownerId" | "type" | "importance" | "accessCount" | "createdAt" | "updatedAt"> {
  beginning: string;
}

/** Some of so many. */
export interface Found<T> {
  total: number;
  items: T[];
}

export interface Findings {
  quarantined: Found<Pick<Memory, "id" | "createdAt"> & { reasons: string[] }>;
  /** Groups that say the same in the same namespace to the same people and agents; the largest first. */
  duplicates: Found<Examined[]>;
  /** Of at most usual importance, and neither read nor changed since; least read first. */
  stale: Found<Examined>;
  /** Short texts and those of many lines, of at most usual importance, newest first: what may be junk. */
  suspects: Found<Examined & { content: string }>;
  /** Two present memories, and a link that says that they contradict each other; neither was superseded or has ended. */
  contradicted: Found<{ first: Examined; second: Examined; reason: string }>;
  /** Still said to hold, though another present memory superseded it. */
  superseded: Found<{ memory: Examined; by: Examined }>;
  /** What a link leads to is archived, or what superseded the memory is (`type`: "superseded by"). One that is erased is like one that the caller may not see: the memory has none. */
  orphaned: Found<{ memory: Examined; type: LinkType | "superseded by"; origin: MemoryLink["origin"]; target: Pick<Memory, "id" | "key"> }>;
  /** Those that cite one of the files, newest first. */
  citing: Found<Examined & { citations: Citation[] }>;
  /** Files that memories cite, in alphabetical order, each with a namespace of such a memory. */
  cited: Found<{ path: string; namespace: string }>;
  /** Private decisions and constraints, and what is often read, in projects in which others share memories. */
  unshared: Found<Examined>;
  /** The team's memories, hidden ones too, counted up to one more than `mostExamined`; no items. */
  size: Found<never>;
  /** A private memory and a shared one of the same key and namespace. */
  twins: Found<{ own: Examined; shared: Examined }>;
}
export type Section = keyof Findings;

export interface Examination<S extends Section> {
  sections: readonly S[];
  /** Of each section; suspects and citing memories have bounds of their own. */
  limit: number;
  /** ms since the epoch. */
  staleBefore: number;
  /** Normal paths, for `citing`. */
  paths?: readonly string[] | undefined;
}

/** Memories that one section goes through: the newest, and of `stale` the oldest. */
export const mostExamined = 5_000;
/** Suspects and citing memories that are carried to where they are judged. */
export const mostJudged = 2_000;
/** Memories of one group of duplicates. */
export const mostInGroup = 500;
/** Reads of a memory that make it one that others may want, too. */
export const oftenRead = 5;
