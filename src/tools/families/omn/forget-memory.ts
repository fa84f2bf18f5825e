import * as z from "zod";
import { aside, joined, named, say } from "../../../domain/frame.ts";
import { authorsOf, originOf } from "../../../domain/memories/authorship.ts";
import * as field from "../../../domain/memories/fields.ts";
import { forget } from "../../../domain/memories/forget.ts";
import type { Memory } from "../../../domain/memories/memory.ts";
import { isOfOther } from "../../../domain/recall/selection/project.ts";
import { fixes, type Fix, repair, repairInput } from "../../../domain/memories/repair.ts";
import { describeProblems } from "../../../domain/problems.ts";
import { invalid } from "../../../domain/errors.ts";
import { defineTool, destructive, type ToolContext, type ToolResult } from "../../define-tool.ts";
import { preview } from "../../../domain/recall/presentation/excerpt.ts";
import { adviceOf, audienceOf, confirmText, handleOf, moreText, questionOf, trustFieldOf } from "../../render.ts";
import { renderRepair } from "../../render-repair.ts";
import { sameFilters, toFilter } from "./filters.ts";

const shown = 50;

/** OmniMemory document 1.4; users 4 (preview, then confirm). */
export const forgetMemory = defineTool({
  name: "omn_forget_memory",
  title: "Forget memories",
  description:
    "Forget by id, key (* = wildcard) or filters. The first call only previews and returns a confirm token; repeat it with confirm. archive can be restored, erase is final.",
  scope: "memory:write",
  annotations: destructive,
  input: z.strictObject({
    id: field.memoryRef.optional(),
    ids: z.array(field.memoryRef).min(1).max(100).optional(),
    key: field.keyPattern.optional(),
    filters: sameFilters.optional(),
    mode: z.enum(["archive", "erase"]).default("archive"),
    /** A section of the report card, which names this argument: all of it is archived in one run, or those of `ids`. */
    fix: z.enum(fixes).optional().meta({ listed: null }),
    confirm: field.phrase("confirm", 100).optional(),
  }),
  output: z.looseObject({ outcome: z.enum(["preview", "archived", "erased", "proposed", "unchanged"]).meta({ listed: { type: "string" } }), count: z.number() }),
  async handler(ctx, input) {
    if (input.fix !== undefined) return fixed(ctx, input.fix, input);
    const ids = [...(input.ids ?? []), ...(input.id === undefined ? [] : [input.id])];
    const result = await forget(ctx, {
      ids,
      key: input.key,
      filter: toFilter(input.filters, ctx.now),
      mode: input.mode,
      confirm: input.confirm,
    });
    const kept = result.keptBack ? [say`${result.keptBack} in quarantine`] : [];
    if (result.outcome !== "preview") {
      const { outcome, ids: gone, proposals = [] } = result;
      if (gone.length > 0) ctx.changed({ ids: gone, listChanged: true });
      const waiting = proposals.filter(({ state }) => state === "pending").length;
      const refused = proposals.length - waiting;
      const notes = [
        ...(waiting > 0 ? [say`${waiting} wait until an admin of the team accepts it: this team reviews what members change of what others see`] : []),
        ...(refused > 0 ? [say`Of ${refused} an admin of the team refused it before`] : []),
        ...moreText(result),
      ];
      // Who named it by its key may not know the id, without which nothing archived is restored.
      const wayBack = outcome === "archived" && gone.length === 1 ? [say`To restore it: omn_update_memory with id ${gone[0] as string} and archived: false`] : [];
      return {
        structured: { outcome, count: gone.length, memory_ids: gone, kept_back: result.keptBack, ...(waiting > 0 ? { proposed: waiting } : {}), ...(refused > 0 ? { refused } : {}), more: result.more, ...adviceOf(joined(notes, ". ")) },
        text: joined([joined([say`${outcome} ${gone.length} ${gone.length === 1 ? "memory" : "memories"}`, ...kept], ", and "), ...wayBack, ...notes], ". "),
      };
    }
    const apart = apartIn(result.memories, ctx.project);
    const authorOf = await authorsOf(ctx, result.memories);
    const lines = result.memories.slice(0, shown).map((memory) => {
      const { scope, namespace } = { ...audienceOf(memory, undefined), ...apart(memory) };
      return say`- ${handleOf(memory)}${aside(scope, namespace === undefined ? undefined : named(namespace), ...originOf(memory, authorOf(memory)))}: ${preview(memory.content, 80)}`;
    });
    const more = result.memories.length - lines.length;
    const summary = joined([say`${result.mode} would remove ${result.memories.length}`, ...kept], ", and ");
    const before = say`${confirmText(result.changed)}Nothing forgotten yet.`;
    const left = moreText(result);
    const advice = joined([say`To go ahead, repeat the call with confirm: "${result.confirm}".`, ...left], " ");
    return {
      structured: {
        outcome: "preview",
        count: result.memories.length,
        kept_back: result.keptBack,
        mode: result.mode,
        confirm: result.confirm,
        more: result.more,
        ...adviceOf(say`${before} ${advice}`),
        would_forget: result.memories
          .slice(0, shown)
          .map((memory) => ({
            memory_id: memory.id,
            ...(memory.key === null ? {} : { key: memory.key }),
            ...audienceOf(memory, authorOf(memory)),
            ...trustFieldOf(memory),
            ...apart(memory),
            preview: preview(memory.content, 80),
            ...(memory.version > 1 ? { version: memory.version } : {}),
          })),
      },
      text: joined([
        say`${before} ${summary}:`,
        ...lines,
        ...(more > 0 ? [say`… and ${more} more`] : []),
        advice,
      ]),
      question: questionOf(result.confirm, say`${joined([...left, summary], " ")}:`, lines, result.memories.length),
    };
  },
});

/** Of what changed, so many resources are named to the person's other clients. */
const mostChanged = 100;

async function fixed(ctx: ToolContext, fix: Fix, input: { id?: unknown; key?: unknown; filters?: unknown; ids?: (string | number)[] | undefined; mode: string; confirm?: string | undefined }): Promise<ToolResult> {
  const { id, key, filters, mode, ids, confirm } = input;
  if ([id, key, filters].some((other) => other !== undefined) || mode !== "archive") throw invalid("fix archives what the report card names: it goes with ids and confirm, and with nothing else.", "Leave out id, key, filters and mode.");
  const asked = repairInput.safeParse({ fix, ids, confirm });
  if (!asked.success) throw invalid(`Invalid arguments for a fix: ${describeProblems(asked.error, repairInput, { fix, ids, confirm })}.`, "Name memories by the ids that omn_memory_health says.");
  const result = await repair(ctx, asked.data);
  if (result.outcome !== "preview" && result.ids.length > 0) ctx.changed({ ids: result.ids.slice(0, mostChanged), listChanged: true });
  return renderRepair(ctx, fix, result);
}

/** The fields that distinguish memories of one key, where they are not the same for all, or not of the project of the caller. */
function apartIn(memories: Memory[], project: string | undefined): (memory: Memory) => { scope?: string; namespace?: string } {
  const differ = (field: "visibility" | "namespace") => memories.some((memory) => memory[field] !== memories[0]?.[field]);
  const [scopes, namespaces] = [differ("visibility"), differ("namespace")];
  return (memory) => ({ ...(scopes ? { scope: memory.visibility } : {}), ...(namespaces || isOfOther(memory, project) ? { namespace: memory.namespace } : {}) });
}
