import type { Context } from "../domain/context.ts";
import { aside, lines, say } from "../domain/frame.ts";
import { authorsOf, originOf } from "../domain/memories/authorship.ts";
import type { Fix } from "../domain/memories/repair.ts";
import type { RevertOutcome } from "../domain/memories/revert.ts";
import { asFound } from "../domain/secrets/redaction.ts";
import { preview } from "../domain/recall/presentation/excerpt.ts";
import { adviceOf, audienceOf, confirmText, handleOf, questionOf } from "./render.ts";
import { keptReasons, type Rendered } from "./render-revert.ts";

const mostLines = 50;

/** What a fix of the report card archives or has archived, what it leaves and why, and how to go on or back. */
export async function renderRepair(ctx: Context, fix: Fix, result: RevertOutcome): Promise<Rendered> {
  const changes = result.outcome === "preview" ? result.changes : [];
  const [shown, kept] = [changes.slice(0, mostLines), result.kept.slice(0, mostLines)];
  const authorOf = await authorsOf(ctx, [...shown, ...kept].map(({ memory }) => memory));
  const named = ({ id, key }: { id: string; key: string | null }) => ({ memory_id: id, ...(key === null ? {} : { key }) });
  const next = result.more ? " More are left: repeat the call afterwards for the next." : "";
  const [summary, advice] =
    result.outcome === "preview"
      ? [
          say`${confirmText(result.changed)}Nothing ${result.done > 0 ? `more archived yet; a run that was interrupted archived ${result.done}` : "archived yet"}${changes.length === 0 ? "" : `. It would archive ${changes.length}`}${changes.length === 0 ? "." : ":"}`,
          say`${result.confirm === undefined ? "" : `To go ahead, repeat the call with confirm: "${result.confirm}".`}${next}`,
        ]
      : [say`archived ${result.ids.length}${result.undone > 0 ? `, of which ${result.undone} have been undone since` : ""}.`, say`To undo it, call omn_revert with undo: "${result.run}".${next}`];
  const listed = shown.map(({ memory }) => say`- ${handleOf(memory)}${aside(audienceOf(memory, undefined).scope, ...originOf(memory, authorOf(memory)))}: ${preview(asFound(memory).content, 80)}`);
  return {
    structured: {
      outcome: result.outcome === "preview" ? "preview" : "archived",
      fix,
      ...(result.outcome === "preview"
        ? {
            count: changes.length,
            ...(result.confirm === undefined ? {} : { confirm: result.confirm }),
            would_forget: shown.map(({ memory }) => ({ ...named(memory), ...audienceOf(memory, authorOf(memory)), version: memory.version, preview: preview(asFound(memory).content, 80) })),
          }
        : { count: result.ids.length, run: result.run, memory_ids: result.ids }),
      ...(result.more ? { more: true } : {}),
      ...adviceOf(advice),
      ...(result.kept.length === 0 ? {} : { kept: result.kept.length, kept_memories: kept.map(({ memory, reason }) => ({ ...named(memory), reason })) }),
    },
    text: lines([
      summary,
      ...listed,
      ...(changes.length > shown.length ? [say`… and ${changes.length - shown.length} more`] : []),
      ...(result.kept.length === 0 ? [] : [say`${result.kept.length} ${result.kept.length === 1 ? "stays as it is" : "stay as they are"}:`]),
      ...kept.map(({ memory, reason }) => say`- ${handleOf(memory)}: ${keptReasons[reason]}`),
      advice,
    ]),
    question: result.outcome === "preview" ? questionOf(result.confirm, summary, listed, changes.length) : undefined,
  };
}
