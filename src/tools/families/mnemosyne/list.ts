import * as z from "zod";
import { defined } from "../../../domain/defined.ts";
import { json } from "../../../domain/frame.ts";
import { authorsOf } from "../../../domain/memories/authorship.ts";
import * as field from "../../../domain/memories/fields.ts";
import { list } from "../../../domain/memories/list.ts";
import { withFormerNamespace } from "../../../domain/memories/memory.ts";
import { beginningLength } from "../../beginning.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { briefNotesOf } from "./note.ts";
import { agentRole, atLeastTen, importance, memoryType, namespace } from "./words.ts";

/** Mnemosyne document, observe 2. */
export const listTool = defineTool({
  name: "mnemosyne_list",
  title: "List memories",
  description: "The newest or the most important memories, of a namespace, since a date, from an importance on.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject({
    namespace: namespace.optional(),
    limit: z.number().int().min(1).max(200).default(20),
    sort_by: z.enum(["recent", "importance"]).default("recent"),
    since: field.instant.optional().describe("ISO date"),
    min_importance: importance.optional(),
    memory_type: memoryType.optional(),
    tags: field.tags.optional(),
    agent_role: agentRole.optional(),
  }),
  output: z.looseObject({ memories: z.array(z.looseObject({})) }),
  async handler(ctx, { namespace, limit, sort_by, since, min_importance, memory_type, tags, agent_role }) {
    const filter = defined({
      namespaces: namespace === undefined ? undefined : withFormerNamespace(namespace),
      changedSince: since,
      minImportance: min_importance && atLeastTen(min_importance),
      type: memory_type,
      tags: tags?.length ? tags : undefined,
      agentView: agent_role,
    });
    const { memories } = await list(ctx, { filter, limit, order: sort_by, shown: beginningLength });
    const authorOf = await authorsOf(ctx, memories);
    const answer = { memories: briefNotesOf(memories, authorOf) };
    return { structured: answer, text: json(answer) };
  },
});
