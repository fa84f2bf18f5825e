import type { Context } from "../context.ts";
import type { Framed } from "../frame.ts";
import { type AuthorOf, authorsOf } from "./authorship.ts";
import { briefing, type BriefingPart, standingTypes } from "./briefing.ts";
import { list } from "./list.ts";
import type { Memory } from "./memory.ts";
import type { MemoryFilter } from "./memory-store.ts";

/** How many memories a briefing looks at: a project's keys are few; the newest matter. */
const window = 200;
/** More than there is room for. */
const mostStanding = 40;

export interface ProjectBriefing {
  text: Framed;
  tokens: number;
  /** Newest first. */
  memories: Memory[];
  authorOf: AuthorOf;
}

interface Briefed {
  filter: MemoryFilter;
  /** Those of what the filter finds that count. */
  select(found: Memory[]): Memory[];
  budget?: number | undefined;
  /** What the session tells. */
  beside: Promise<BriefingPart[]>;
}

/** Where the work stands, for whoever resumes it or takes it over. */
export async function projectBriefing(ctx: Context, { filter, select, budget, beside }: Briefed): Promise<ProjectBriefing> {
  // The newest of the project, and what is in work or holds for all of it, however long ago it was first written.
  const [newest, standing, inWork, told] = await Promise.all([
    list(ctx, { filter, limit: window }),
    list(ctx, { filter: { ...filter, types: standingTypes }, limit: mostStanding }),
    list(ctx, { filter, keyPattern: "current.*", limit: window }),
    beside,
  ]);
  // What the reader sees replaced is told by what replaced it; what has ended holds no more.
  const counts = (memory: Memory): boolean => memory.supersededBy === null && (memory.validTo === null || memory.validTo > ctx.now) && isFor(ctx.tool, memory);
  const byId = new Map(select([...inWork.memories, ...standing.memories, ...newest.memories]).filter(counts).map((memory) => [memory.id, memory]));
  // Ids ascend with time (UUIDv7): newest first, whichever list brought it.
  const memories = [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
  const authorOf = await authorsOf(ctx, memories);
  const { text, tokens, whole } = briefing(memories, { userId: ctx.principal.userId, authorOf }, budget, told);
  ctx.recalled?.note(ctx.now, whole);
  return { text, tokens, memories, authorOf };
}

/** Under `ai.<tool>.` stands what one tool alone is to know: `ai.claude.preferences` is told to `claude-code`. */
function isFor(tool: string, { key }: Memory): boolean {
  const [, of] = /^ai\.([^.]+)\./.exec(key ?? "") ?? [];
  return of === undefined || wordsIn(tool).join(" ").includes(wordsIn(of).join(" "));
}

const wordsIn = (name: string): string[] => name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
