import * as z from "zod";
import { joined, json, named, say } from "../../../domain/frame.ts";
import { linkInput, linkMemory, resolveEnds, unlinkInput, unlinkMemory } from "../../../domain/graph/link.ts";
import { attributed, authorsOf } from "../../../domain/memories/authorship.ts";
import * as field from "../../../domain/memories/fields.ts";
import { givenShape, offeredShape } from "../../../domain/memories/memory-fields.ts";
import { givenMetadata, toState } from "../../../domain/memories/portable.ts";
import { revise } from "../../../domain/memories/revise.ts";
import { additive, defineTool, listedAs } from "../../define-tool.ts";
import { ownNamespaceOf } from "../../../domain/memories/memory.ts";
import { isOfOther } from "../../../domain/recall/selection/project.ts";
import { mayRead } from "../../../domain/tenancy/principal.ts";
import { conflictForm } from "../../errors.ts";
import { conflictQuestion } from "../../conflict-question.ts";
import { quarantineQuestion } from "../../quarantine-question.ts";
import { privateStill, sharingQuestion } from "../../sharing-question.ts";
import { adviceOf, compressionMade, guardOf, guardText, handleOf, memoryText, namedTo, omnMemory, outcomeWith, proposalOf, proposalText } from "../../render.ts";

/** OmniMemory document 1.3; optimistic versions: features B row 2. */
export const updateMemory = defineTool({
  name: "omn_update_memory",
  title: "Update a memory",
  description: "Change fields of a memory; old versions are kept. With expected_version a concurrent change is reported, not overwritten.",
  scope: "memory:write",
  annotations: additive,
  input: z.strictObject({
    id: field.memoryRef.optional(),
    key: field.key.optional(),
    content: field.content.optional(),
    metadata: givenMetadata.meta({ listed: { type: "object", description: "as in omn_store_memory" } }),
    new_key: field.key.optional(),
    namespace: field.namespace.optional(),
    type: field.memoryType.meta({ listed: { type: "string" } }).optional(),
    summary: givenShape.summary,
    ...listedAs(null, offeredShape),
    citations: givenShape.citations.meta({ listed: null }),
    ...listedAs(null, { agent_id: givenShape.agent_id, run_id: givenShape.run_id }),
    archived: z.literal(false, "only restores: omn_forget_memory with mode: archive archives").meta({ listed: { const: false, description: "restores" } }).optional(),
    expected_version: z.number().int().positive().optional(),
    links: linkInput.optional().meta({ listed: null }),
    unlink: unlinkInput.optional().meta({ listed: null }),
  }),
  output: z.looseObject({ outcome: z.enum(["updated", "unchanged", "conflict", "proposed", "quarantined"]).meta({ listed: { type: "string" } }) }),
  async handler(ctx, { id, key, new_key, expected_version, archived, links = [], unlink = [], ...fields }) {
    // A link that leads nowhere is refused before anything is changed.
    await resolveEnds(ctx, [...links, ...unlink]);
    const result = await revise(ctx, {
      target: { id, key, near: ownNamespaceOf(ctx) },
      expectedVersion: expected_version,
      // Links are no part of a version: to change them alone is enough.
      maybeNothing: links.length + unlink.length > 0,
      keepsPrivate: ctx.asksPerson,
      changes: {
        ...toState({ ...fields, key: new_key }),
        ...(archived === undefined ? {} : { archivedAt: null }),
      },
    });
    if (result.outcome === "conflict") {
      const { memory, ...current } = { ...attributed(result.current, await authorsOf(ctx, [result.current])), truncated: false };
      const shown = omnMemory(memory, current);
      const message = say`not updated. The memory is at version ${memory.version}, not ${String(expected_version)}. Merge your change with the current content and update again with expected_version ${memory.version}.`;
      const advice = say`CONFLICT: ${message}`;
      return {
        isError: true,
        error: conflictForm(message.toString(), { current: shown, attempted: result.attempted }, ctx),
        structured: { outcome: "conflict", ...adviceOf(advice), current: shown, attempted: result.attempted },
        text: joined([
          advice,
          say`Current:`,
          memoryText({ memory, ...current }),
          say`Yours: ${json(result.attempted)}`,
        ]),
        question: conflictQuestion(memory, result.attempted, "expected_version"),
      };
    }
    if (result.outcome === "quarantined") {
      const { reasons } = result;
      const memory = namedTo(ctx.principal, result.memory, key, new_key);
      return {
        structured: { outcome: "quarantined", memory_id: memory.id, key: memory.key, version: memory.version, ...guardOf("quarantined", reasons) },
        text: say`Not updated: ${handleOf(memory)} stays at version ${memory.version}.${guardText("quarantined", reasons)}`,
        question: quarantineQuestion(result.held),
      };
    }
    const linked = await linkMemory(ctx, result.memory, links);
    const proposal = (await unlinkMemory(ctx, result.memory, unlink)) ?? linked ?? result.proposal;
    const outcome = outcomeWith(result.outcome, proposal);
    if (result.outcome === "updated") ctx.changed({ ids: [result.memory.id], listChanged: archived !== undefined });
    const called = namedTo(ctx.principal, result.memory, key, new_key);
    const still = result.wider && privateStill(result.wider);
    return {
      structured: { outcome, memory_id: result.memory.id, key: called.key, version: result.memory.version, ...compressionMade(result.memory), ...proposalOf(proposal), ...guardOf(outcome, result.masked), ...(still && adviceOf(still)) },
      text: say`${outcome} ${handleOf(called)} (version ${result.memory.version}${isOfOther(result.memory, ctx.project) && mayRead(ctx.principal) ? say`, ${named(result.memory.namespace)}` : say``})${proposalText(proposal)}${guardText(outcome, result.masked)}${still ? say` ${still}` : say``}`,
      question: sharingQuestion(result),
    };
  },
});
