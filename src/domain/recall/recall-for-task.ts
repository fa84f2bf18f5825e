import type { Context } from "../context.ts";
import { citesFilesOf, normalPath } from "../memories/citations.ts";
import { attributed, authorsOf } from "../memories/authorship.ts";
import { queryTerms } from "../text/query-terms.ts";
import { withSuccessors } from "./selection/succession.ts";
import { cachedRecall } from "./cache/cached-recall.ts";
import { pack, type Rendering } from "./presentation/budget.ts";
import { questionAbout, type TaskSubject } from "./question-about.ts";
import type { Recalled, RecallOutcome } from "./recall.ts";

export interface TaskContext extends TaskSubject {
  /** A memory that goes with the task, or several, by key (`*` is a wildcard). */
  key?: string | undefined;
  project?: string | undefined;
  /** Names the rendering for the cache of answers. */
  form: string;
  rendering: Rendering;
  /** Of the whole context, in o200k tokens. */
  maxTokens: number;
}

const mostFound = 8;
const mostNamed = 5;
const mostAboutFiles = 5;

/** What is known for a task, within a budget: what was named, then what cites its files, then what a search for its words finds. */
export async function recallForTask(ctx: Context, task: TaskContext): Promise<RecallOutcome> {
  const { key, project, rendering, maxTokens, form } = task;
  const query = questionAbout(task);
  const nothing: RecallOutcome = { items: [], totalFound: 0, more: [], degraded: [] };
  const [named, citing, found] = await Promise.all([
    key === undefined ? nothing : cachedRecall(ctx, { key, limit: mostNamed, compressed: "to fit", maxTokens, rendering, project }, form),
    aboutFiles(ctx, (task.files ?? []).flatMap((file) => file ?? []), project),
    query.trim() === "" ? nothing : cachedRecall(ctx, { query, limit: mostFound, passages: true, rendering, project }, form),
  ]);
  const items = [...new Map([...named.items, ...citing, ...found.items].toReversed().map((item) => [item.memory.id, item])).values()].toReversed();
  const degraded = [...new Set([...named.degraded, ...found.degraded])];
  const certain = named.items.length + citing.length > 0;
  const outcome: RecallOutcome = {
    items,
    totalFound: items.length,
    more: [],
    degraded,
    ...(found.passages ? { passages: true as const } : {}),
    ...(found.uncertain && !certain ? { uncertain: true } : {}),
  };
  return pack(outcome, maxTokens, rendering, queryTerms(query).map(({ word }) => word));
}

/** A client may name a file by its place on its disk; memories cite it by its place in the repository. */
function* namesOf(file: string): Generator<string> {
  const path = normalPath(file);
  if (!path.startsWith("/") && !/^[a-z]:/i.test(path)) return yield path;
  const parts = path.split("/").filter(Boolean);
  for (let from = 0; from < parts.length; from += 1) yield parts.slice(from).join("/");
  yield path;
}

async function aboutFiles(ctx: Context, files: readonly string[], project: string | undefined): Promise<Recalled[]> {
  const paths = files.flatMap((file) => [...namesOf(file)]).filter((path) => path !== "");
  if (paths.length === 0) return [];
  const ids = await ctx.memories.aboutFiles(ctx.principal, ctx.now, { paths, limit: mostAboutFiles });
  if (ids.length === 0) return [];
  const { memories } = await ctx.memories.hydrate(ctx.principal, ctx.now, ids);
  const shown = await withSuccessors(ctx, memories.filter((memory) => citesFilesOf(project, memory)));
  const authorOf = await authorsOf(ctx, shown);
  ctx.noteAccess(shown.map(({ id }) => id));
  ctx.recalled?.note(ctx.now, shown);
  ctx.reading?.drew(shown);
  return shown.map((memory): Recalled => ({ ...attributed({ ...memory, compressed: null }, authorOf), truncated: false }));
}
