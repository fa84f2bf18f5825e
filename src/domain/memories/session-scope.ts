import type { Json } from "./memory-values.ts";
import { defined } from "../defined.ts";
import type { GivenState } from "./memory-fields.ts";
import type { Memory } from "./memory.ts";
import { namespaceOf } from "./memory.ts";
import type { MemoryFilter } from "./memory-store.ts";

/**
 * Session context of the memory-server document (section 2): whom a memory is about, which agent wrote it and in which conversation. It
 * narrows what the caller may see and never leads out of it: visibility and team are decided elsewhere, of the same caller.
 */
export interface SessionScope {
  userId?: string | undefined;
  agentId?: string | undefined;
  runId?: string | undefined;
}

/** What counts where a call says nothing. */
export interface SessionDefaults extends SessionScope {
  metadata: Record<string, Json>;
}

/** Where the context of a call comes from, in the words of the document. */
export type ContextSource = "Explicit" | "HttpHeaders" | "SessionInitialization" | "SystemDefaults";

export interface SessionContext extends SessionDefaults {
  /** The first that says any of the three. */
  source: ContextSource;
  /** Whether any of them comes from elsewhere than the call. */
  isFromSessionDefaults: boolean;
}

const names = ["userId", "agentId", "runId"] as const;

/** Arguments before headers, headers before the initialisation; who says nothing means all that the caller may see. */
export function sessionContext(explicit: SessionScope, headers: SessionDefaults | undefined, initialised: SessionDefaults | undefined): SessionContext {
  const sources: [ContextSource, SessionScope | undefined][] = [["Explicit", explicit], ["HttpHeaders", headers], ["SessionInitialization", initialised]];
  const said = names.map((name) => sources.find(([, scope]) => scope?.[name] !== undefined));
  const scope = Object.fromEntries(names.map((name, i) => [name, said[i]?.[1]?.[name]]));
  return {
    ...defined(scope as SessionScope),
    metadata: { ...initialised?.metadata, ...headers?.metadata },
    source: sources.find((source) => said.includes(source))?.[0] ?? "SystemDefaults",
    isFromSessionDefaults: said.some((source) => source !== undefined && source[0] !== "Explicit"),
  };
}

const userPrefix = "user:";

/** Only memories of this scope. */
export const scopeFilter = ({ userId, agentId, runId }: SessionScope): MemoryFilter =>
  defined({ namespaces: userId === undefined ? undefined : [userPrefix + userId], agentId, runId });

/** The same with the messages that memories about a user were taken from (`messages/message-record.ts`). */
export const filterWithMessages = ({ namespaces: [own] = [], ...others }: MemoryFilter): MemoryFilter => (own === undefined ? others : { ...others, namespaces: [own, `thread:${own}/*`] });

/** Where memories of a scope are stored: those about somebody in a namespace of theirs, the others in the connection's project. */
export const scopePlace = ({ userId, agentId, runId }: SessionScope, project: string | undefined): GivenState =>
  defined({ namespace: userId !== undefined ? userPrefix + userId : project === undefined ? undefined : namespaceOf(project), agentId, runId });

/** The scope that a memory belongs to. */
export const scopeOf = ({ namespace, agentId, runId }: Pick<Memory, "namespace" | "agentId" | "runId">): SessionScope =>
  defined({ userId: namespace.startsWith(userPrefix) ? namespace.slice(userPrefix.length) : undefined, agentId: agentId ?? undefined, runId: runId ?? undefined });
