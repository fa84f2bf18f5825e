import * as z from "zod";
import { authorsOf } from "../../../domain/memories/authorship.ts";
import * as field from "../../../domain/memories/fields.ts";
import { historyOf } from "../../../domain/memories/history.ts";
import type { Version } from "../../../domain/memories/memory.ts";
import { changesBeside } from "../../../domain/memories/portable.ts";
import { scopeFilter } from "../../../domain/memories/session-scope.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { toolOf } from "../../render.ts";
import { succeeded, successOf } from "./answer.ts";
import { contextOf, sessionScope } from "./scope.ts";

/** What became of one memory, newest first (Data Flow, step 7: History Tracking). */
export const memoryGetHistory = defineTool({
  name: "memory_get_history",
  aliases: ["memory_history"],
  title: "History of a memory",
  description: "The versions of a memory, newest first: what it said before and after, what else changed, when, by whom and with which tool.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject({ memory_id: field.memoryRef, ...sessionScope, limit: z.number().int().min(1).max(200).default(50) }),
  output: successOf(z.looseObject({ memory_id: z.string(), history: z.array(z.looseObject({})), total_count: z.number() })),
  async handler(ctx, { memory_id, limit, ...ids }) {
    const session = contextOf(ctx, ids);
    const { memory, entries, total } = await historyOf(ctx, { target: { id: memory_id, within: scopeFilter(session) }, limit });
    const authorOf = await authorsOf(ctx, entries.map(({ version }) => ({ updatedBy: version.actorId })));
    const history = entries.map(({ version, before }) => {
      const changed = before ? changesBeside(before.state, version.state) : {};
      const author = authorOf({ updatedBy: version.actorId });
      return {
        version: version.version,
        event: eventOf(version, before),
        action: version.action,
        ...(before && before.state.content !== version.state.content ? { old_memory: before.state.content } : {}),
        new_memory: version.state.content,
        ...(Object.keys(changed).length > 0 ? { changed } : {}),
        created_at: new Date(version.at).toISOString(),
        tool: toolOf(version.state, version.tool),
        ...(author === undefined ? {} : { author }),
      };
    });
    return succeeded(ctx, session, { memory_id: memory.id, history, total_count: total });
  },
});

/** In the words of the document. Restoring is a change; so is what left the words as they were. */
const eventOf = ({ version, state }: Version, before: Version | undefined): string =>
  version === 1 ? "ADD" : state.archivedAt !== null && before?.state.archivedAt === null ? "DELETE" : "UPDATE";
