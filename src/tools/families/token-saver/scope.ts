import * as z from "zod";
import { valueOf } from "../../../domain/memories/any-value.ts";
import * as field from "../../../domain/memories/fields.ts";
import { asSaid, initialState, saidIn } from "../../../domain/memories/memory-fields.ts";
import { isRemote, projectName } from "../../../domain/project.ts";
import { type Memory, namespaceOf, sessionNamespaceOf, topicOf, visibilityKeyOf, withFormerNamespace } from "../../../domain/memories/memory.ts";
import type { MemoryFilter } from "../../../domain/memories/memory-store.ts";
import { invalid } from "../../../domain/errors.ts";
import type { ToolContext } from "../../define-tool.ts";
import { dayOf, toolOf, trustFieldOf } from "../../render.ts";

/** Scopes of the Token Saver document, as places of the one memory: shared is what the team sees of the project. */
export const memoryScope = z.enum(["global", "project", "session", "shared"]);
export type MemoryScope = z.output<typeof memoryScope>;

export const where = {
  project_path: field.projectGiven("project_path").optional().describe("git remote or folder"),
  session_id: field.namespacePart("session_id", 40).optional().describe("if not this connection's"),
};
export interface Where {
  project_path?: string | undefined;
  session_id?: string | undefined;
}

/** The project of the call. A folder that is called as the connection's project is where that is checked out. */
export function projectOf({ project }: ToolContext, { project_path: named }: Where): string {
  if (named === undefined) return project ?? "default";
  return project !== undefined && !isRemote(named) && projectName(named) === projectName(project) ? project : named;
}

export const sessionOf = (ctx: ToolContext, at: Where): string => at.session_id ?? ctx.sessionId ?? "default";

export function placeOf(ctx: ToolContext, scope: MemoryScope, at: Where): { namespace: string; visibility: "private" | "shared" } {
  const project = projectOf(ctx, at);
  switch (scope) {
    case "global":
      return { namespace: "global", visibility: "private" };
    case "project":
      return { namespace: namespaceOf(project), visibility: "private" };
    case "session":
      return { namespace: sessionNamespaceOf(project, sessionOf(ctx, at)), visibility: "private" };
    case "shared":
      return { namespace: namespaceOf(project), visibility: "shared" };
  }
}

/** All scopes of the connection, when none is named. */
export function filterOf(ctx: ToolContext, scope: MemoryScope | undefined, at: Where): MemoryFilter {
  if (scope === undefined) {
    const project = projectOf(ctx, at);
    return { namespaces: ["global", ...withFormerNamespace(namespaceOf(project)), ...withFormerNamespace(sessionNamespaceOf(project, sessionOf(ctx, at)))] };
  }
  const { namespace, visibility } = placeOf(ctx, scope, at);
  return { namespaces: withFormerNamespace(namespace), visibility };
}

/** What stands under a key in the project's own place goes for what stands under it in the place of its former name. */
export function withoutReplaced<T>(ctx: ToolContext, at: Where, found: readonly T[], memoryOf: (item: T) => Memory): T[] {
  const project = projectOf(ctx, at);
  const nameOf = ({ namespace, visibility, ownerId, key, id }: Memory): string => JSON.stringify([namespace.slice(0, namespace.indexOf(":")), visibilityKeyOf(visibility, ownerId), key ?? id]);
  const isOwn = (item: T): boolean => topicOf(memoryOf(item).namespace) === project;
  const own = new Set(found.filter(isOwn).map((item) => nameOf(memoryOf(item))));
  return found.filter((item) => isOwn(item) || !own.has(nameOf(memoryOf(item))));
}

export const scopeOf = (memory: Memory): MemoryScope =>
  memory.visibility !== "private" ? "shared" : memory.namespace.startsWith("project:") ? "project" : memory.namespace.startsWith("session:") ? "session" : "global";

const iso = (ms: number): string => new Date(ms).toISOString();

/** What the document does not name and changes how a value is to be taken. */
const stateOf = ({ supersededBy, sensitivity, visibility }: Memory): Record<string, unknown> => ({
  ...(visibility === "public" ? { visibility } : {}),
  ...(sensitivity === "secret" ? { sensitivity } : {}),
  ...(supersededBy === null ? {} : { superseded_by: supersededBy }),
});

/** The document's Memory structure; what is not in the document only where it is not as usual. */
export function tokenSaverMemory(whole: Memory, author: string | undefined): Record<string, unknown> {
  const memory = asSaid(whole);
  const [createdBy, updatedBy] = [toolOf(memory, memory.createdTool), toolOf(memory, memory.updatedTool)];
  return {
    id: memory.id,
    key: memory.key,
    value: valueOf(memory),
    scope: scopeOf(memory),
    metadata: {
      created_at: iso(memory.createdAt),
      updated_at: iso(memory.updatedAt),
      accessed_at: iso(memory.accessedAt ?? memory.createdAt),
      created_by: createdBy,
      ...(updatedBy === createdBy ? {} : { updated_by: updatedBy }),
      ...(author === undefined ? {} : { author }),
      ...trustFieldOf(memory),
      ...(memory.expiresAt === null ? {} : { ttl: Math.max(0, Math.round((memory.expiresAt - memory.updatedAt) / 1000)) }),
      ...tagsOf(memory),
      access_count: memory.accessCount,
      ...(memory.version > 1 ? { version: memory.version } : {}),
      ...(memory.importance === initialState.importance ? {} : { importance: memory.importance }),
      ...(memory.type === initialState.type ? {} : { type: memory.type }),
      ...(Object.keys(memory.metadata).length === 0 ? {} : { custom: memory.metadata }),
      ...stateOf(memory),
    },
  };
}

/** The same for a model to read: what it needs to use the memory and to name it. */
export function readableMemory(memory: Memory, author: string | undefined): Record<string, unknown> {
  return {
    key: memory.key ?? memory.id,
    value: valueOf(memory),
    ...(scopeOf(memory) === "project" ? {} : { scope: scopeOf(memory) }),
    ...(author === undefined ? {} : { author }),
    ...trustFieldOf(memory),
    ...tagsOf(memory),
    when: dayOf(memory),
    tool: toolOf(memory, memory.updatedTool),
    ...(memory.expiresAt === null ? {} : { expires: iso(memory.expiresAt) }),
    ...(memory.version > 1 ? { version: memory.version } : {}),
    ...stateOf(memory),
  };
}

/** Those that somebody gave. */
function tagsOf(memory: Memory): { tags?: string[] } {
  const tags = saidIn(memory, "tags");
  return tags.length === 0 ? {} : { tags };
}

/** The one memory that a write in this vocabulary would replace. */
export function requireExactKey(key: string): void {
  if (key.includes("*")) throw invalid("A wildcard is not a key.", "Name one key exactly; list_memories shows which there are.");
}
