import type { DomainError } from "../errors.ts";

/** The one memory record that all five vocabularies share (architecture, "One memory record"). */

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Who may see a memory: its owner, the owner's team, or the whole organization. */
export const visibilities = ["private", "shared", "public"] as const;
export type Visibility = (typeof visibilities)[number];

/** Nine types of the Mnemosyne document and three of the memory-server document. */
export const memoryTypes = [
  "architecture_decision",
  "code_pattern",
  "bug_fix",
  "configuration",
  "constraint",
  "entity",
  "insight",
  "reference",
  "preference",
  "standard",
  "procedural",
  "graph",
] as const;
export type MemoryType = (typeof memoryTypes)[number];

/** What one version of a memory says. Instants in ms since the epoch; importance and confidence in 0–1. */
export interface MemoryState {
  key: string | null;
  content: string;
  value: Json;
  summary: string | null;
  namespace: string;
  visibility: Visibility;
  ownerId: string;
  agentId: string | null;
  runId: string | null;
  type: MemoryType;
  importance: number;
  confidence: number;
  tags: string[];
  keywords: string[];
  metadata: Record<string, Json>;
  relatedFiles: string[];
  sensitivity: "normal" | "secret";
  trust: { source: string; quarantined: boolean };
  tier: "episodic" | "semantic";
  compressed: string | null;
  compressionRatio: number | null;
  occurredAt: number | null;
  validFrom: number | null;
  validTo: number | null;
  expiresAt: number | null;
  archivedAt: number | null;
  supersededBy: string | null;
}

export interface Memory extends MemoryState {
  id: string;
  teamId: string;
  /** Integer name within the team, given at creation. */
  alias: number;
  /** Team-wide sequence number of the last change. */
  seq: number;
  /** 1 at creation, +1 with every change; the optimistic lock. */
  version: number;
  createdAt: number;
  createdBy: string;
  createdTool: string;
  updatedAt: number;
  updatedBy: string;
  updatedTool: string;
  accessCount: number;
  accessedAt: number | null;
  /** Why the sealed fields of a secret are not here: nobody asked for just this memory, or it could not be opened. Such a memory is never written. */
  withheld?: Withheld;
}

export type Withheld = "concealed" | DomainError;

/** An entry of a memory's history: a state, and who made it when, with which tool. */
export interface Version {
  version: number;
  at: number;
  actorId: string;
  tool: string;
  action: string;
  state: MemoryState;
  withheld?: Withheld;
}

/** The memory as it was in one of its versions. What is secret now, or was then, is secret. */
export const asVersion = ({ withheld: _ofPresent, ...memory }: Memory, { version, at, actorId, tool, state, withheld }: Version): Memory => ({
  ...memory,
  ...state,
  sensitivity: memory.sensitivity === "secret" ? "secret" : state.sensitivity,
  ...(withheld ? { withheld } : {}),
  version,
  updatedAt: at,
  updatedBy: actorId,
  updatedTool: tool,
});

/** Where a text comes from, unless the person said it; a model must not take quarantined text for more than a quotation. */
export const trustOf = ({ trust }: Pick<MemoryState, "trust">): string | undefined =>
  trust.quarantined ? "quarantined" : trust.source === "user" ? undefined : trust.source;

const stateDefaults: Omit<MemoryState, "content" | "ownerId"> = {
  key: null,
  value: null,
  summary: null,
  namespace: "global",
  visibility: "private",
  agentId: null,
  runId: null,
  type: "standard",
  importance: 0.5,
  confidence: 1,
  tags: [],
  keywords: [],
  metadata: {},
  relatedFiles: [],
  sensitivity: "normal",
  trust: { source: "user", quarantined: false },
  tier: "episodic",
  compressed: null,
  compressionRatio: null,
  occurredAt: null,
  validFrom: null,
  validTo: null,
  expiresAt: null,
  archivedAt: null,
  supersededBy: null,
};

export const stateFields = [...Object.keys(stateDefaults), "content", "ownerId"] as (keyof MemoryState)[];

export const newState = (fields: Partial<MemoryState> & Pick<MemoryState, "content" | "ownerId">): MemoryState => ({
  ...stateDefaults,
  ...fields,
});

export function stateOf(memory: MemoryState): MemoryState {
  return Object.fromEntries(stateFields.map((field) => [field, memory[field]])) as unknown as MemoryState;
}

/** Equal as data, whatever the order of keys inside `metadata` and `value`. */
export const sameState = (a: MemoryState, b: MemoryState): boolean => canonical(stateOf(a)) === canonical(stateOf(b));

/** JSON with sorted object keys: the same data always gives the same text (RFC 8785, for the types we store). */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return `{${entries
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`)
      .join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}

/** What a namespace says its memories are about, or "": a project or a person; a thread only tells where something was said. */
export function topicOf(namespace: string): string {
  const name = namespace.slice(namespace.indexOf(":") + 1);
  if (/^(?:project|user):/.test(namespace)) return name;
  return namespace.startsWith("session:") && name.includes("/") ? name.slice(0, name.indexOf("/")) : "";
}

/** The domain in which a key is unique: each person's private memories, and what the team holds together. */
export const homeOf = (visibility: Visibility, ownerId: string): string => (visibility === "private" ? ownerId : "");

export const isExpired = (memory: Pick<MemoryState, "expiresAt">, now: number): boolean =>
  memory.expiresAt !== null && memory.expiresAt <= now;
