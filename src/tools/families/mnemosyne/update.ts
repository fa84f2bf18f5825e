import * as z from "zod";
import { defined } from "../../../domain/defined.ts";
import { json } from "../../../domain/frame.ts";
import { linkMemory, resolveEnds, unlinkMemory } from "../../../domain/graph/link.ts";
import { attributed, authorsOf } from "../../../domain/memories/authorship.ts";
import * as field from "../../../domain/memories/fields.ts";
import { revise } from "../../../domain/memories/revise.ts";
import { mayRead } from "../../../domain/tenancy/principal.ts";
import { conflictQuestion } from "../../conflict-question.ts";
import { additive, defineTool } from "../../define-tool.ts";
import { conflictForm } from "../../errors.ts";
import { quarantineQuestion } from "../../quarantine-question.ts";
import { guardOf, outcomeWith, proposalOf } from "../../render.ts";
import { links, removedLinks, toLinks, toUnlinks } from "./links.ts";
import { noteOf } from "./note.ts";
import { fromTen, importance, memoryType, namespace } from "./words.ts";

/** Mnemosyne document, act 7. */
export const update = defineTool({
  name: "mnemosyne_update",
  title: "Update a memory",
  description: "Change content, importance, tags (all, or add_tags), type, namespace or links of a memory; old versions are kept.",
  scope: "memory:write",
  annotations: additive,
  input: z.strictObject({
    memory_id: field.memoryRef,
    content: field.content.optional(),
    importance: importance.optional(),
    tags: field.tags.optional(),
    add_tags: field.tags.optional(),
    memory_type: memoryType.meta({ listed: { type: "string" } }).optional(),
    namespace: namespace.meta({ listed: { type: "string" } }).optional(),
    links: links.optional().meta({ listed: { type: "array", items: { type: "object" }, description: "as in mnemosyne_remember" } }),
    remove_links: removedLinks.optional().meta({ listed: { type: "array", items: { type: "object" }, description: "{target_id, link_type?}" } }),
    archived: z.literal(false).optional().meta({ listed: { const: false, description: "restores" } }),
    expected_version: z.number().int().positive().optional().meta({ listed: null }),
  }),
  output: z.looseObject({ memory_id: z.string(), updated: z.boolean(), outcome: z.string() }),
  async handler(ctx, input) {
    const [added, removed] = [toLinks(input.links), toUnlinks(input.remove_links)];
    // A link that leads nowhere is refused before anything is changed.
    await resolveEnds(ctx, [...added, ...removed]);
    const result = await revise(ctx, {
      target: { id: input.memory_id },
      expectedVersion: input.expected_version,
      maybeNothing: added.length + removed.length > 0,
      addTags: input.add_tags,
      changes: {
        ...defined({ content: input.content, importance: input.importance && fromTen(input.importance), tags: input.tags, type: input.memory_type, namespace: input.namespace }),
        ...(input.archived === undefined ? {} : { archivedAt: null }),
      },
    });
    if (result.outcome === "conflict") {
      const { author } = attributed(result.current, await authorsOf(ctx, [result.current]));
      const conflict = { memory_id: result.current.id, updated: false, outcome: "conflict", current: noteOf(result.current, { author }) };
      return { isError: true, error: conflictForm(`The memory is at version ${result.current.version}, not ${input.expected_version}. Nothing was written.`, { current: conflict.current }, ctx), structured: conflict, text: json(conflict), question: conflictQuestion(result.current, result.attempted, "expected_version") };
    }
    const { memory } = result;
    if (result.outcome === "quarantined") {
      const kept = { memory_id: memory.id, updated: false, outcome: "quarantined", ...guardOf("quarantined", result.reasons) };
      return { structured: kept, text: json(kept), question: quarantineQuestion(result.held) };
    }
    const linked = await linkMemory(ctx, memory, added);
    const proposal = (await unlinkMemory(ctx, memory, removed)) ?? linked ?? result.proposal;
    // Links are no part of a version, and yet of the memory.
    const isLinked = proposal === undefined && added.length + removed.length > 0;
    const outcome = outcomeWith(isLinked && result.outcome === "unchanged" ? "updated" : result.outcome, proposal);
    if (result.outcome === "updated") ctx.changed({ ids: [memory.id], listChanged: input.archived !== undefined });
    const structured = { memory_id: memory.id, updated: outcome === "updated", outcome, version: memory.version, ...(mayRead(ctx.principal) ? { tags: memory.tags } : {}), ...proposalOf(proposal), ...guardOf(outcome, result.masked) };
    return { structured, text: json(structured) };
  },
});
