import { aside, type Framed, lines, say } from "../domain/frame.ts";
import type { Context } from "../domain/context.ts";
import { authorsOf, originOf } from "../domain/memories/authorship.ts";
import type { KeptReason } from "../domain/memories/reversion-plan.ts";
import type { RevertOutcome, UndoOutcome } from "../domain/memories/revert.ts";
import { preview } from "../domain/recall/presentation/excerpt.ts";
import { asFound } from "../domain/secrets/redaction.ts";
import type { Question } from "./define-tool.ts";
import { adviceOf, audienceOf, confirmText, handleOf, questionOf } from "./render.ts";

/** An answer in both its forms. */
export interface Rendered {
  structured: Record<string, unknown>;
  text: Framed;
  question?: Question | undefined;
}

const mostLines = 50;
/** Of a preview, for what is kept: a person is to look at it. */
const mostKeptLines = 20;

/** In words. */
export const keptReasons: Record<KeptReason, string> = {
  changed: "changed since by others, or outside of what was selected",
  hidden: "what it said before is not yours to see",
  expired: "what it said before has expired",
  unreadable: "its secret cannot be opened",
  visibility: "only its owner or a team admin may change who sees it, or let it expire",
  review: "this team reviews changes of what others see: an admin of the team reverts it",
  key: "another memory has the key that it had",
};

/** What was done or would be, what is kept and why, and how to go on. */
export async function renderRevert(ctx: Context, result: RevertOutcome | UndoOutcome): Promise<Rendered> {
  const changes = result.outcome === "preview" ? result.changes : [];
  const authorOf = await authorsOf(ctx, [...changes, ...result.kept].map(({ memory }) => memory));
  const shown = changes.slice(0, mostLines - Math.min(result.kept.length, mostKeptLines)).map(({ memory, restored }) => {
    const said = preview(asFound(memory).content, 80);
    const note = restored === null ? "to be archived" : `back to version ${restored}`;
    return {
      fields: { ...nameOf(memory), ...audienceOf(memory, authorOf(memory)), version: memory.version, ...(restored === null ? {} : { to_version: restored }), preview: said },
      line: say`- ${handleOf(memory)}${aside(audienceOf(memory, undefined).scope, ...originOf(memory, authorOf(memory)), note)}: ${said}`,
    };
  });
  const kept = result.kept.slice(0, mostLines - shown.length);
  const [fields, summary, advice] = factsOf(result);
  return {
    structured: {
      outcome: result.outcome, ...fields, ...adviceOf(advice),
      ...(result.outcome === "preview" ? { would_revert: shown.map((one) => one.fields) } : {}),
      ...(result.kept.length === 0 ? {} : { kept: result.kept.length, kept_memories: kept.map(({ memory, reason }) => ({ ...nameOf(memory), reason })) }),
    },
    text: lines([
      summary,
      ...shown.map(({ line }) => line),
      ...(changes.length > shown.length ? [say`… and ${changes.length - shown.length} more`] : []),
      ...(result.kept.length === 0 ? [] : [say`${result.kept.length} ${result.kept.length === 1 ? "stays as it is" : "stay as they are"}, for a person to look at:`]),
      ...kept.map(({ memory, reason }) => say`- ${handleOf(memory)}${aside(...originOf(memory, authorOf(memory)))}: ${keptReasons[reason]}`),
      advice,
    ]),
    question: result.outcome === "preview" ? questionOf(result.confirm, summary, shown.map(({ line }) => line), changes.length) : undefined,
  };
}

const nameOf = ({ id, key }: { id: string; key: string | null }) => ({ memory_id: id, ...(key === null ? {} : { key }) });

/** Counts, those that are 0 left out where that is as usual; what they are in words; and what to do next. */
function factsOf(result: RevertOutcome | UndoOutcome): [fields: Record<string, unknown>, summary: Framed, advice: Framed] {
  if (result.outcome === "undone") {
    const { run, ids, already, gone } = result;
    return [
      { run, count: ids.length, ...(already > 0 ? { already } : {}), ...(gone > 0 ? { gone } : {}) },
      say`undone ${ids.length} of run ${run}${already > 0 ? `; undone before: ${already}` : ""}${gone > 0 ? `; erased, expired or no longer yours to see: ${gone}` : ""}.`,
      say``,
    ];
  }
  const next = result.more ? say` More match than one call reverts: repeat it afterwards for the next, or narrow it with since and until.` : say``;
  const more = result.more ? { more: true } : {};
  if (result.outcome === "reverted") {
    const { run, ids, archived, restored, undone } = result;
    return [
      { run, count: ids.length, archived, restored, ...(undone > 0 ? { undone } : {}), ...more },
      say`reverted ${ids.length}: ${archived} archived, ${restored} as they were before${undone > 0 ? `, of which ${undone} have been undone since` : ""}.`,
      say`To undo it, call again with undo: "${run}".${next}`,
    ];
  }
  const { changes, confirm, changed, done } = result;
  const archived = changes.filter(({ restored }) => restored === null).length;
  const restored = changes.length - archived;
  const stale = confirmText(changed);
  return [
    { count: changes.length, archived, restored, ...(confirm === undefined ? {} : { confirm }), ...(done > 0 ? { done } : {}), ...more },
    changes.length === 0
      ? say`Nothing ${done > 0 ? `more to revert; a run that was interrupted reverted ${done}` : "to revert"}.`
      : say`Nothing ${done > 0 ? `more reverted yet; a run that was interrupted reverted ${done}` : "reverted yet"}. It would archive ${archived} and set back ${restored}:`,
    say`${stale}${confirm === undefined ? "" : `To go ahead, repeat the call with confirm: "${confirm}".`}${next}`,
  ];
}
