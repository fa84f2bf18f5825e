import type { ChangePage } from "../indexing/progress-store.ts";
import type { MemoryFilter, WriteContext } from "../memories/memory-store.ts";
import type { VisibilityChange } from "../recall/cache/index-state.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";
import type { Principal } from "../tenancy/principal.ts";
import type { Entity, LinkMaker, LinkType, MemoryLink, Relationship } from "./graph.ts";
import type { GraphChange } from "./documents.ts";

/** How a walk came to a memory: from the one before it in the path, over an entity that both name or over a link. */
export interface Step {
  /** The memory that the step leads to. */
  memoryId: string;
  via: { kind: "entity"; name: string } | { kind: "link"; type: LinkType };
}

export interface Walked {
  memoryId: string;
  /** Number of steps. */
  distance: number;
  /** 0–1: product of the strengths of the steps. */
  strength: number;
  path: Step[];
}

export interface WalkLimits {
  /** Most steps, 1–3. */
  depth: number;
  /** Most neighbours taken from one memory, 1–16. */
  breadth: number;
  /** Most memories answered, 1–100. */
  limit: number;
}

export interface Scored<T> {
  item: T;
  /** Higher is better; comparable within one search. */
  score: number;
}

/** Entities and relationships that a vector index finds near the question; `score` is how near. */
export interface Near {
  id: string;
  score: number;
}

export interface NearConcepts {
  entities: Near[];
  relationships: Near[];
}

/** An entity, and the newest of the memories that name it. */
export interface SourcedEntity extends Entity {
  sourceMemories: string[];
}

/** A link, with enough of the memory at its other end to decide whether to fetch it. */
export interface Tie {
  source: string;
  target: string;
  type: LinkType;
  strength: number;
  other: {
    id: string;
    key: string | null;
    /** The beginning. */
    content: string;
    quarantined: boolean;
    updatedBy: string;
    expiresAt: number | null;
  };
}

export interface Expansion {
  entities?: { terms: string[]; limit: number };
  relationships?: { terms: string[]; limit: number };
  /** Those of `near` that the viewer may see, with their content. */
  near?: NearConcepts;
  walk?: { memoryIds: string[]; limits: WalkLimits };
  /** Links from and to these, the strongest first. */
  ties?: { memoryIds: string[]; limit: number };
}

export interface Expanded {
  /** With their memories, as far as they have several names. */
  entities: Scored<SourcedEntity>[];
  relationships: Scored<Relationship>[];
  near: { entities: Scored<SourcedEntity>[]; relationships: Scored<Relationship>[] };
  walked: Walked[];
  ties: Tie[];
}

export const nothingFound = (): Expanded => ({ entities: [], relationships: [], near: { entities: [], relationships: [] }, walked: [], ties: [] });

export interface NewLink {
  source: string;
  target: string;
  type: LinkType;
  strength: number;
  reason: string;
  /** `said`, where nothing else is named. */
  madeBy?: LinkMaker;
  /** The versions that the writer has seen: others may see an end by now that was private then. */
  sourceVersion?: number;
  targetVersion?: number | undefined;
}

/**
 * The graph as a principal may see it: entities and relationships exist only through memories that they may see, and names,
 * counts and confidence come from those alone. Expired, archived and secret memories contribute nothing.
 */
export interface GraphStore {
  /** By memory id, those most sure of first. */
  entitiesOf(principal: Principal, now: number, memoryIds: string[]): Promise<Map<string, Entity[]>>;
  /** The memories that name any of the entities, newest first. */
  memoriesOf(principal: Principal, now: number, entityIds: string[], limit: number): Promise<string[]>;
  /** Relationships in the memories; those that most memories state come first. */
  relationshipsOf(principal: Principal, now: number, memoryIds: string[], limit: number): Promise<Relationship[]>;
  /** The memories around those, nearest first; those themselves are not among them. It meets only memories that `within` lets through. */
  walk(principal: Principal, now: number, memoryIds: string[], limits: WalkLimits, within?: MemoryFilter): Promise<Walked[]>;
  /** Links from and to the memories, archived ends included. */
  links(principal: Principal, now: number, memoryIds: string[]): Promise<MemoryLink[]>;
  /** All or none; a link that exists gets the new strength and reason, but for one that somebody stated and a rule finds too. @throws WriteRace when an end is gone, hidden or changed */
  link(principal: Principal, write: WriteContext, links: NewLink[]): Promise<void>;
  /** Answers how many there were. Without a type, links of any type. */
  unlink(principal: Principal, write: WriteContext, links: { source: string; target: string; type?: LinkType | undefined }[]): Promise<number>;
  /** `terms` are in index form. */
  findEntities(principal: Principal, now: number, terms: string[], limit: number): Promise<Scored<Entity>[]>;
  findRelationships(principal: Principal, now: number, terms: string[], limit: number): Promise<Scored<Relationship>[]>;
  stats(principal: Principal, now: number): Promise<GraphStats>;
  /** The request of one search to the graph, in one round trip; the store does not look for parts that are left out. */
  expand(principal: Principal, now: number, asked: Expansion): Promise<Expanded>;
}

/** Numbers from the memories that the principal may see. */
export interface GraphStats {
  entities: number;
  relationships: number;
  /** Memories that nothing was drawn from yet, and what was drawn and has not met the embedder. */
  waiting: number;
}

/** The entities and relationships of one version of a memory, ready to be stored. */
export interface Contribution {
  memoryId: string;
  version: number;
  entities: {
    /** Id of the entity within the memory's visibility key. */
    id: string;
    entity: string;
    norm: string;
    name: string;
    type: string;
    confidence: number;
    /** Words by which it is found, with the part of the name that each is. */
    tokens: [string, number][];
  }[];
  relationships: {
    id: string;
    source: string;
    type: string;
    target: string;
    sourceName: string;
    targetName: string;
    context: string | null;
    validFrom: number | null;
    validTo: number | null;
    confidence: number;
    tokens: [string, number][];
  }[];
  /** Ids and words that may be keys of other memories. */
  references: string[];
}

/** What a memory contributes, with those who see it and until when. */
export interface DrawnContribution extends Omit<Contribution, "references"> {
  /** '' for what the team shares, otherwise the one person who may see it. */
  home: string;
  expiresAt: number | null;
}

/** What the team's copy of the graph must hear of, once it is committed. */
export interface GraphChanges {
  /** The newest sequence number of the memories that it was drawn from; 0 when nothing was drawn. */
  seq: number;
  contributions: DrawnContribution[];
  /** Memories whose part in the graph changed, with their links, each for those who see this home. */
  changes: readonly VisibilityChange[];
}

/** The graph as scheduled work sees it: on nobody's behalf. */
export interface GraphWriter {
  /**
   * Stores what memories contribute in place of what they contributed before. One whose present version is another by now,
   * or that is archived or secret, is left out: whoever draws that version sees to it.
   */
  contribute(team: TeamRef, now: number, contributions: Contribution[]): Promise<void>;
  /** Entities and relationships whose documents changed after `after`, in order of change. */
  changedDocuments(team: TeamRef, after: number, limit: number): Promise<ChangePage<GraphChange>>;
}
