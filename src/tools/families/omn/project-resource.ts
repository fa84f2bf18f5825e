import { isOfMemories } from "../../../domain/events/change-of.ts";
import { json } from "../../../domain/frame.ts";
import * as field from "../../../domain/memories/fields.ts";
import { knownProjects, projectKnowledge } from "../../../domain/memories/project-knowledge.ts";
import { mostCompletions } from "../../define-prompt.ts";
import { defineResource } from "../../define-resource.ts";
import { shownPattern } from "./workflow-patterns.ts";

/** OmniMemory document, resource 3. Its file_index is the code memory's (docs/limits.md). */
export const projectResource = defineResource({
  uri: "omnimemory://project/{project_id}",
  // A git remote has slashes, whether or not a client encodes them.
  variables: { project_id: ".{1,600}" },
  isNamedFreely: true,
  name: "project",
  title: "What is known of a project",
  description: "A project by its git remote, folder or name: how much is known of it, and what you usually do there",
  scope: "memory:read",
  async read(ctx, [given = ""]) {
    const { data: project } = field.project.safeParse(decoded(given));
    const known = project === undefined ? undefined : await projectKnowledge(ctx, project);
    if (!known || project === undefined) return undefined;
    const { workspacePath, memories, graph, patterns } = known;
    return json({
      project_id: project,
      workspace_path: workspacePath,
      memories,
      knowledge_graph: { nodes: graph.nodes, edges: graph.edges, of_newest: graph.ofNewest },
      common_patterns: patterns.map(shownPattern),
    });
  },
  completions: { project_id: async (ctx, begun) => (await knownProjects(ctx)).filter((project) => project.startsWith(begun)).slice(0, mostCompletions + 1) },
  changedWith: () => [],
  mayChangeWith: (change) => isOfMemories(change) || change.linked === true || change.patterns !== undefined,
});

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
