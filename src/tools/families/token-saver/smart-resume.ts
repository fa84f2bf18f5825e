import * as z from "zod";
import { valueOf } from "../../../domain/memories/any-value.ts";
import { type AuthorOf, authorsOf } from "../../../domain/memories/authorship.ts";
import { briefing } from "../../../domain/memories/briefing.ts";
import { list } from "../../../domain/memories/list.ts";
import type { Memory } from "../../../domain/memories/memory.ts";
import { estimateTokens } from "../../../domain/text/token-count.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { preview } from "../../../domain/recall/presentation/excerpt.ts";
import { trustFieldOf } from "../../render.ts";
import { filterOf, projectOf, scopeOf, where, withoutReplaced } from "./scope.ts";

/** How many memories the briefing looks at: a project's keys are few; the newest matter. */
const window = 200;
/** Some clients hand the model the structured answer, so it must stay small as well: keys, and short values beside them. */
const contextTokens = 400;
const shortValue = 80;

function entryOf(memory: Memory, authorOf: AuthorOf): Record<string, unknown> {
  const value = valueOf(memory);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const author = authorOf(memory);
  return {
    key: memory.key,
    value: text.length <= shortValue ? value : preview(text, shortValue),
    scope: scopeOf(memory),
    ...(author === undefined ? {} : { author }),
    ...trustFieldOf(memory),
  };
}

/** As many of each group as there is room for: what is in work first, then the project, then what the team shares. */
function contextOf(groups: { project: Memory[]; current: Memory[]; shared: Memory[] }, authorOf: AuthorOf): Record<string, unknown[]> {
  const context: Record<string, unknown[]> = { project: [], current: [], shared: [] };
  let left = contextTokens;
  for (const [name, share] of [["current", 0.5], ["project", 0.6], ["shared", 1]] as const) {
    let room = left * share;
    for (const memory of groups[name]) {
      const entry = entryOf(memory, authorOf);
      const cost = estimateTokens(JSON.stringify(entry));
      if (cost > room) break;
      context[name]?.push(entry);
      room -= cost;
      left -= cost;
    }
  }
  return context;
}

/** Token Saver document, core tool 5: where the work stands, in 200–500 tokens. */
export const smartResume = defineTool({
  name: "smart_resume",
  aliases: ["token_saver_smart_resume"],
  title: "Resume work",
  description: "Call first: a short briefing of the project's task, progress, blockers, next steps and findings.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject(where),
  output: z.looseObject({ briefing: z.string(), context: z.looseObject({}), token_count: z.number() }),
  async handler(ctx, input) {
    const filter = filterOf(ctx, undefined, input);
    // The newest of the project, and what is in work however long ago its keys were first written.
    const [newest, inWork] = await Promise.all([
      list(ctx, { filter, limit: window }),
      list(ctx, { filter, keyPattern: "current.*", limit: window }),
    ]);
    const found = withoutReplaced(ctx, input, [...inWork.memories, ...newest.memories], (memory) => memory);
    const byId = new Map(found.map((memory) => [memory.id, memory]));
    // Ids ascend with time (UUIDv7): newest first, whichever list brought it.
    const memories = [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
    const isCurrent = (memory: Memory): boolean => memory.namespace.startsWith("session:") || (memory.key ?? "").startsWith("current.");
    const groups = {
      project: memories.filter((memory) => memory.visibility === "private" && !isCurrent(memory)),
      current: memories.filter((memory) => memory.visibility === "private" && isCurrent(memory)),
      shared: memories.filter((memory) => memory.visibility !== "private"),
    };
    const authorOf = await authorsOf(ctx, memories);
    const { text, tokens, whole } = briefing(memories, { userId: ctx.principal.userId, authorOf });
    ctx.recalled?.note(ctx.now, whole);
    return {
      structured: {
        briefing: text.toString(),
        context: contextOf(groups, authorOf),
        token_count: tokens,
        project: projectOf(ctx, input),
      },
      text,
    };
  },
});
