import * as z from "zod";
import { json } from "../../../domain/frame.ts";
import { linksAmong } from "../../../domain/graph/neighbourhood.ts";
import { authorsOf } from "../../../domain/memories/authorship.ts";
import * as field from "../../../domain/memories/fields.ts";
import { type Memory, ownNamespaceOf, topicOf, withFormerNamespace } from "../../../domain/memories/memory.ts";
import { projectContext } from "../../../domain/memories/project-context.ts";
import { projectName } from "../../../domain/project.ts";
import { getMany } from "../../../domain/recall/get-many.ts";
import { rounded } from "../../../domain/rounded.ts";
import { beginningLength } from "../../beginning.ts";
import { defineTool, readOnly, type ToolContext } from "../../define-tool.ts";
import { briefNotesOf, linkOf, noteOf } from "./note.ts";
import { agentRole, namespace } from "./words.ts";

/** Mnemosyne document, orient 4: whole memories by id, or what a session begins with (Context Building Flow). */
export const context = defineTool({
  name: "mnemosyne_context",
  title: "Project context",
  description: "Without ids: the project's recent and important memories, what they are linked to, and statistics. With memory_ids: these, whole.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject({
    memory_ids: z.array(field.memoryRef).min(1, "memory_ids must hold at least one id").max(50, "at most 50 memory_ids").optional(),
    include_links: z.boolean().default(true),
    namespace: namespace.optional(),
    agent_role: agentRole.optional(),
  }),
  output: z.looseObject({ links: z.array(z.looseObject({})).optional() }),
  async handler(ctx, { memory_ids, include_links, namespace, agent_role }) {
    const answer = memory_ids ? await named(ctx, memory_ids, include_links) : await overview(ctx, { namespace, agentView: agent_role }, include_links);
    return { structured: answer, text: json(answer) };
  },
});

async function named(ctx: ToolContext, ids: readonly (string | number)[], withLinks: boolean): Promise<Record<string, unknown>> {
  const { memories, missing } = await getMany(ctx, ids);
  const [authorOf, links] = await Promise.all([authorsOf(ctx, memories), withLinks ? linksAmong(ctx, memories) : undefined]);
  return { memories: memories.map((memory) => noteOf(memory, { author: authorOf(memory) })), ...(links ? { links: links.map(linkOf) } : {}), ...(missing.length > 0 ? { missing } : {}) };
}

async function overview(ctx: ToolContext, { namespace, agentView }: { namespace: string | undefined; agentView: string | undefined }, withLinks: boolean): Promise<Record<string, unknown>> {
  const place = namespace ?? ownNamespaceOf(ctx);
  const places = place === undefined ? [] : withFormerNamespace(place);
  const sessions = places.flatMap((one) => (one.startsWith("project:") ? [`session:${topicOf(one)}/*`] : []));
  const namespaces = place === undefined || place === "global" ? undefined : [...places, ...sessions, "global"];
  const { recent, important, connected, links, statistics } = await projectContext(ctx, { namespaces, agentView, length: beginningLength });
  const authorOf = await authorsOf(ctx, [...recent, ...important, ...connected]);
  const shown = new Set(recent.map(({ id }) => id));
  const isNew = ({ id }: Memory): boolean => !shown.has(id);
  return {
    project: { namespace: place ?? "global", ...(ctx.project === undefined ? {} : { name: projectName(ctx.project) }) },
    recent: briefNotesOf(recent, authorOf),
    important: briefNotesOf(important.filter(isNew), authorOf),
    /** Ids of all that are important, whether recent or not. */
    important_ids: important.map(({ id }) => id),
    connected: briefNotesOf(connected, authorOf),
    ...(withLinks ? { links: links.map(linkOf) } : {}),
    statistics: { total_memories: statistics.total, shown: statistics.shown, coverage: rounded(statistics.coverage), link_density: rounded(statistics.linkDensity) },
  };
}
