import * as z from "zod";
import { valueOf } from "../../../domain/memories/any-value.ts";
import type { AuthorOf } from "../../../domain/memories/authorship.ts";
import type { BriefingPart } from "../../../domain/memories/briefing.ts";
import type { Memory } from "../../../domain/memories/memory.ts";
import { projectBriefing } from "../../../domain/memories/project-briefing.ts";
import { sessionParts } from "../../../domain/sessions/session-briefing.ts";
import { estimateTokens } from "../../../domain/text/token-count.ts";
import { defineTool, readOnly, type ToolContext } from "../../define-tool.ts";
import { preview } from "../../../domain/recall/presentation/excerpt.ts";
import { trustFieldOf } from "../../render.ts";
import { filterOf, projectOf, scopeOf, where, withoutReplaced } from "./scope.ts";

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

/** What the person was at when they last worked on the project, with whatever tool. */
async function lastSession({ sessions, principal }: ToolContext, project: string): Promise<BriefingPart[]> {
  const [session] = await sessions.list(principal, { project, limit: 1 });
  return session ? sessionParts(session) : [];
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
    const { text, tokens, memories, authorOf } = await projectBriefing(ctx, {
      filter: filterOf(ctx, undefined, input),
      select: (found) => withoutReplaced(ctx, input, found, (memory) => memory),
      // The session's row comes beside the memories, not after them: the answer waits for the slower of both.
      beside: lastSession(ctx, projectOf(ctx, input)),
    });
    const isCurrent = (memory: Memory): boolean => memory.namespace.startsWith("session:") || (memory.key ?? "").startsWith("current.");
    const groups = {
      project: memories.filter((memory) => memory.visibility === "private" && !isCurrent(memory)),
      current: memories.filter((memory) => memory.visibility === "private" && isCurrent(memory)),
      shared: memories.filter((memory) => memory.visibility !== "private"),
    };
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
