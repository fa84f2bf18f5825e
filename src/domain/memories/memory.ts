import { defined, type Undefinable } from "../defined.ts";
import type { DomainError } from "../errors.ts";
import { formerNameOf } from "../project.ts";
import { initialState, stateFieldNames, type MemoryRecord, type MemoryState } from "./memory-fields.ts";
import type { Visibility } from "./memory-values.ts";

/** The one memory record that all five vocabularies share (architecture, "One memory record"). */

export { memoryTypes, visibilities, type Json, type MemoryType, type Visibility } from "./memory-values.ts";
export type { MemoryState } from "./memory-fields.ts";

export interface Memory extends MemoryRecord, MemoryState {
  /** Why the sealed fields of a secret are not here: nobody asked for just this memory, or it could not be opened. Such a memory is never written. */
  redaction?: Redaction;
}

export type Redaction = "redacted" | DomainError;

/** An entry of a memory's history: a state, and who made it when, with which tool. */
export interface Version {
  version: number;
  at: number;
  actorId: string;
  tool: string;
  action: string;
  /** Who wrote what it says, where upkeep made this version. */
  author?: { actorId: string; tool: string };
  state: MemoryState;
  redaction?: Redaction;
}

/** The memory as it was in one of its versions. What is secret now, or was then, is secret. */
export const asVersion = ({ redaction: _ofPresent, ...memory }: Memory, { version, at, actorId, tool, state, redaction }: Version): Memory => ({
  ...memory,
  ...state,
  sensitivity: memory.sensitivity === "secret" ? "secret" : state.sensitivity,
  ...(redaction ? { redaction } : {}),
  version,
  updatedAt: at,
  updatedBy: actorId,
  updatedTool: tool,
});

/** Where a text comes from, unless the person said it; a model must not take quarantined text for more than a quotation. */
export const trustOf = ({ trust }: Pick<MemoryState, "trust">): string | undefined =>
  trust.quarantined ? "quarantined" : trust.source === "user" ? undefined : trust.source;

/** A state in which what is not said, or left undefined, has its initial value. */
export const newState = (fields: Undefinable<Partial<MemoryState>> & Pick<MemoryState, "content" | "ownerId">): MemoryState => ({ ...initialState, ...defined(fields) });

export function stateOf(memory: MemoryState): MemoryState {
  return Object.fromEntries(stateFieldNames.map((field) => [field, memory[field]])) as unknown as MemoryState;
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

/** The project or person that a namespace is about, or "": a thread only says where something was said. The id of a session holds no slash, the project may. */
export function topicOf(namespace: string): string {
  const name = namespace.slice(namespace.indexOf(":") + 1);
  if (/^(?:project|user):/.test(namespace)) return name;
  return namespace.startsWith("session:") && name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : "";
}

/** Part of a conversation: what stands before and after it belongs to it. */
export const isInThread = ({ namespace }: Pick<Memory, "namespace">): boolean => namespace.startsWith("thread:") || namespace.startsWith("session:");

/** When it happened, or was last changed, ms since the epoch. */
export const happenedAt = ({ occurredAt, updatedAt }: Pick<Memory, "occurredAt" | "updatedAt">): number => occurredAt ?? updatedAt;

/** Where a connection to this project stores what names no place. */
export const namespaceOf = (project: string): string => `project:${project}`;

/** The same of a caller who may have none. */
export const ownNamespaceOf = ({ project }: { project?: string | undefined }): string | undefined => (project === undefined ? undefined : namespaceOf(project));

export const sessionNamespaceOf = (project: string, session: string): string => `session:${project}/${session.replaceAll("/", ":")}`;

/** A namespace as it is read: with the one that its project had under its former name, which nothing is written to any more. */
export function withFormerNamespace(namespace: string): string[] {
  const [kind, project] = [namespace.slice(0, namespace.indexOf(":")), topicOf(namespace)];
  const former = kind === "user" ? undefined : formerNameOf(project);
  return former === undefined ? [namespace] : [namespace, `${kind}:${former}${namespace.slice(kind.length + 1 + project.length)}`];
}

/** The domain in which a key is unique: each person's private memories, and what the team holds together. */
export const visibilityKeyOf = (visibility: Visibility, ownerId: string): string => (visibility === "private" ? ownerId : "");

export const isExpired = (memory: Pick<MemoryState, "expiresAt">, now: number): boolean =>
  memory.expiresAt !== null && memory.expiresAt <= now;
