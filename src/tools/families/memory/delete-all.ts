import * as z from "zod";
import { invalid } from "../../../domain/errors.ts";
import { joined, say } from "../../../domain/frame.ts";
import * as field from "../../../domain/memories/fields.ts";
import { forget } from "../../../domain/memories/forget.ts";
import { filterWithMessages, scopeFilter } from "../../../domain/memories/session-scope.ts";
import { preview } from "../../../domain/recall/presentation/excerpt.ts";
import { bulkCost, defineTool, destructive } from "../../define-tool.ts";
import { confirmText, moreText, questionOf } from "../../render.ts";
import { succeeded, successOf } from "./answer.ts";
import { contextOf, sessionScope } from "./scope.ts";

const mostShown = 20;
const previewed = 120;

/** Delete all of the document, with its bulk result; a person sees first what would go. */
export const memoryDeleteAll = defineTool({
  name: "memory_delete_all",
  title: "Delete all memories of a scope",
  description: "Delete all memories of a person, agent or conversation, 500 a call: `more` says what is left. The first call only previews and returns a confirm token; repeat it with confirm.",
  scope: "memory:write",
  annotations: destructive,
  cost: bulkCost,
  input: z.strictObject({
    ...sessionScope,
    confirm: field.phrase("confirm", 100).optional(),
  }),
  output: successOf(z.looseObject({ success_count: z.number(), failure_count: z.number() })),
  async handler(ctx, { confirm, ...ids }) {
    const session = contextOf(ctx, ids);
    const filter = filterWithMessages(scopeFilter(session));
    if (Object.keys(filter).length === 0) throw invalid("Neither user_id, agent_id nor run_id was given.", "Say whose memories are to go.");
    const started = ctx.now;
    const result = await forget(ctx, { filter, mode: "archive", confirm, hint: "Check user_id, agent_id and run_id." });
    if (result.outcome === "preview") {
      const { memories, changed } = result;
      const lines = memories.slice(0, mostShown).map((memory) => say`- ${preview(memory.content, previewed)}`);
      const shown = succeeded(ctx, session, {
        event: "PREVIEW", count: memories.length, confirm: result.confirm, more: result.more, success_count: 0, failure_count: 0,
        would_delete: memories.slice(0, mostShown).map(({ id, content }) => ({ id, memory: preview(content, previewed).toString() })),
        message: `${confirmText(changed)}Nothing is deleted yet. Repeat the call with this confirm.`,
      });
      return { ...shown, question: questionOf(result.confirm, joined([...moreText(result), say`This would delete ${memories.length}:`], " "), lines, memories.length) };
    }
    const { ids: gone, proposals = [] } = result;
    if (gone.length > 0) ctx.changed({ ids: gone, listChanged: true });
    const held = proposals.map(({ id, memoryId, state }) => ({ id: memoryId, event: "NONE", proposal: { id, state } }));
    return succeeded(ctx, session, {
      success_count: gone.length, failure_count: held.length, more: result.more,
      results: [...gone.map((id) => ({ id, event: "DELETE" })), ...held],
      message: held.length > 0 ? "Some wait for an admin: this team reviews what members change of what others see." : "omn_update_memory with archived: false restores one.",
      total_execution_time_ms: Math.max(0, Date.now() - started),
    });
  },
});
