import type { Context } from "../context.ts";
import { linksAmong } from "../graph/neighbourhood.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { requireScope } from "../tenancy/principal.ts";
import { type WorkflowPattern, workflowPatterns } from "../workflows/patterns.ts";
import { namespaceOf, topicOf, withFormerNamespace } from "./memory.ts";

/** Memories that the graph is counted over: the newest. */
const mostLookedAt = 200;
const mostRelationships = 1_000;
const mostPatterns = 20;

/** What is known of a project, as far as the caller may see it. */
export interface ProjectKnowledge {
  /** Where the caller's session that was used last has it. */
  workspacePath: string | null;
  memories: number;
  /** Entities that the newest memories name, and what ties those and the memories to each other. */
  graph: { nodes: number; edges: number; ofNewest: number };
  /** What the caller usually does step by step there. */
  patterns: WorkflowPattern[];
}

/** Undefined where nothing is known of it. */
export async function projectKnowledge(ctx: Sessions, project: string): Promise<ProjectKnowledge | undefined> {
  requireScope(ctx.principal, "memory:read");
  const { principal, now } = ctx;
  const filter = { namespaces: withFormerNamespace(namespaceOf(project)) };
  const [{ total }, { items: memories }, patterns, [session]] = await Promise.all([
    ctx.memories.stats(principal, now, filter),
    ctx.memories.list(principal, now, filter, { below: undefined, limit: mostLookedAt }),
    workflowPatterns(ctx, { project, limit: mostPatterns }),
    ctx.sessions.list(principal, { project, limit: 1 }),
  ]);
  if (total === 0 && patterns.length === 0 && !session) return undefined;
  const ids = memories.map(({ id }) => id);
  const [named, relationships, links] = ids.length === 0
    ? [new Map<string, { id: string }[]>(), [], []]
    : await Promise.all([ctx.graph.entitiesOf(principal, now, ids), ctx.graph.relationshipsOf(principal, now, ids, mostRelationships), linksAmong(ctx, memories)]);
  const entities = new Set([...named.values()].flatMap((some) => some.map(({ id }) => id)));
  return {
    workspacePath: session?.workspacePath ?? null,
    memories: total,
    graph: { nodes: entities.size, edges: relationships.length + links.length, ofNewest: ids.length },
    patterns,
  };
}

/** Those that the caller has memories of or sees some, those with most first. */
export async function knownProjects({ memories, principal, now }: Context): Promise<string[]> {
  const { byNamespace } = await memories.stats(principal, now);
  return Object.entries(byNamespace).filter(([namespace]) => namespace.startsWith(namespaceOf(""))).sort(([, a], [, b]) => b - a).map(([namespace]) => topicOf(namespace));
}
