import * as z from "zod";
import { briefing } from "../../../domain/memories/briefing.ts";
import { list } from "../../../domain/memories/list.ts";
import type { Memory } from "../../../domain/memories/memory.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { filterOf, projectOf, tokenSaverMemory, valueOf, where } from "./scope.ts";

/** How many memories the briefing looks at: a project's keys are few; the newest matter. */
const window = 200;
/** How many the structured context lists, as keys with short values. */
const listed = 10;

/** Token Saver document, core tool 5: where the work stands, in 200–500 tokens. */
export const smartResume = defineTool({
  name: "smart_resume",
  aliases: ["token_saver_smart_resume"],
  family: "token-saver",
  title: "Resume work",
  description: "Call first in a session: a short briefing of the project's task, progress, blockers, next steps and findings.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject(where),
  output: z.looseObject({ briefing: z.string(), context: z.looseObject({}), token_count: z.number() }),
  async handler(ctx, input) {
    const { memories } = await list(ctx, { filter: filterOf(ctx, undefined, input), limit: window });
    const isCurrent = (memory: Memory): boolean => memory.namespace.startsWith("session:") || (memory.key ?? "").startsWith("current.");
    const groups = {
      project: memories.filter((memory) => memory.visibility === "private" && !isCurrent(memory)),
      current: memories.filter((memory) => memory.visibility === "private" && isCurrent(memory)),
      shared: memories.filter((memory) => memory.visibility !== "private"),
    };
    const { text, tokens } = briefing(groups);
    const short = (group: Memory[]) =>
      group.slice(0, listed).map((memory) => {
        const full = tokenSaverMemory(memory);
        return JSON.stringify(valueOf(memory)).length <= 200 ? full : { ...full, value: `${memory.content.slice(0, 150)}…` };
      });
    return {
      structured: {
        briefing: text,
        context: { project: short(groups.project), current: short(groups.current), shared: short(groups.shared) },
        token_count: tokens,
        project: projectOf(ctx, input),
      },
      text,
    };
  },
});
