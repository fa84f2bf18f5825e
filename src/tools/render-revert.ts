import { aside, type Framed, joined, say } from "../domain/frame.ts";
import type { Context } from "../domain/context.ts";
import { type AuthorOf, authorsOf, originOf } from "../domain/memories/authorship.ts";
import type { Memory } from "../domain/memories/memory.ts";
import type { KeptReason } from "../domain/memories/reversion-plan.ts";
import type { Change, Kept } from "../domain/memories/reversion-writes.ts";
import type { RevertOutcome, UndoOutcome } from "../domain/memories/revert.ts";
import { preview } from "../domain/recall/presentation/excerpt.ts";
import { asFound } from "../domain/secrets/redaction.ts";
import { adviceOf, audienceOf, handleOf, trustFieldOf } from "./render.ts";

/** An answer in both its forms. */
export interface Rendered {
  structured: Record<string, unknown>;
  text: Framed;
}

const mostLines = 50;
/** Of a preview, for what is kept: a person is to look at it. */
const mostKeptLines = 20;
const previewed = 80;

const reasons: Record<KeptReason, Framed> = {
  changed: say`changed since by others, or outside of what was selected`,
  hidden: say`what it said before is not yours to see`,
  expired: say`what it said before has expired`,
  unreadable: say`its secret cannot be opened`,
  visibility: say`only its owner or a team admin may change who sees it`,
  review: say`this team reviews changes of what others see: an admin of the team reverts it`,
  key: say`another memory has the key that it had`,
};

export async function renderRevert(ctx: Context, result: RevertOutcome | UndoOutcome): Promise<Rendered> {
  if (result.outcome === "preview") return renderPreview(result, await authorsOf(ctx, [...result.changes, ...result.kept].map(({ memory }) => memory)));
  const kept = result.outcome === "reverted" ? result.kept : result.conflicts;
  const lines = keptLines(kept, await authorsOf(ctx, kept.map(({ memory }) => memory)));
  const { outcome, run, ids } = result;
  if (outcome === "undone") {
    const { already, gone } = result;
    return {
      structured: { outcome, run, count: ids.length, ...keptFields("conflict", kept), ...(already > 0 ? { already } : {}), ...(gone > 0 ? { gone } : {}) },
      text: joined([
        say`undone ${ids.length} of revert ${run}${already > 0 ? say`, ${already} were undone before` : say``}${gone > 0 ? say`, ${gone} are erased, expired or no longer yours to see` : say``}.`,
        ...(kept.length > 0 ? [say`${kept.length} stay as they are:`, ...lines] : []),
      ]),
    };
  }
  const { archived, restored, undone, more } = result;
  const advice = joined([say`To undo it, call again with undo: "${run}".`, ...(undone > 0 ? [say`${undone} of them have been undone since.`] : []), ...moreAdvice(more)], " ");
  return {
    structured: { outcome, run, count: ids.length, archived, restored, ...(undone > 0 ? { undone } : {}), ...keptFields("kept", kept), ...(more ? { more } : {}), ...adviceOf(advice) },
    text: joined([say`reverted ${ids.length}: ${archived} archived, ${restored} as they were before. ${advice}`, ...(kept.length > 0 ? [say`${kept.length} kept for a person to look at:`, ...lines] : [])]),
  };
}

function renderPreview({ changes, kept, more, confirm, changed, done }: Extract<RevertOutcome, { outcome: "preview" }>, authorOf: AuthorOf): Rendered {
  const [gone, back] = [changes.filter(({ restored }) => restored === null), changes.filter(({ restored }) => restored !== null)];
  const before = joined([
    ...(changed ? [say`The selection has changed since that preview.`] : []),
    done > 0 ? say`${done} were reverted by that run before it was interrupted; the rest not yet.` : say`Nothing reverted yet.`,
  ], " ");
  const advice = joined([confirm === undefined ? say`There is nothing to confirm: all of it is for a person to look at.` : say`To go ahead, repeat the call with confirm: "${confirm}".`, ...moreAdvice(more)], " ");
  const line = ({ memory, restored }: Change): Framed => say`- ${lineOf(memory, authorOf, restored === null ? undefined : `back to version ${restored}`)}: ${preview(asFound(memory).content, previewed)}`;
  const shown = [...gone, ...back].slice(0, mostLines - Math.min(kept.length, mostKeptLines));
  const left = mostLines - shown.length;
  const entry = ({ memory, restored }: Change) => ({
    ...nameOf(memory), ...audienceOf(memory, authorOf(memory)), ...trustFieldOf(memory), version: memory.version,
    ...(restored === null ? {} : { to_version: restored }), preview: preview(asFound(memory).content, previewed),
  });
  return {
    structured: {
      outcome: "preview", count: changes.length, archived: gone.length, restored: back.length,
      ...(confirm === undefined ? {} : { confirm }), ...(more ? { more } : {}), ...adviceOf(say`${before} ${advice}`),
      would_revert: shown.map(entry),
      ...keptFields("kept", kept, left),
    },
    text: joined([
      say`${before} It would archive ${gone.length} and set back ${back.length}:`,
      ...shown.map(line),
      ...(changes.length > shown.length ? [say`… and ${changes.length - shown.length} more`] : []),
      ...(kept.length > 0 ? [say`${kept.length} would be kept for a person to look at:`, ...keptLines(kept, authorOf, left)] : []),
      advice,
    ]),
  };
}

const moreAdvice = (more: boolean): Framed[] => (more ? [say`More match than one call reverts: repeat it afterwards for the next, or narrow it with since and until.`] : []);

const nameOf = ({ id, key }: Memory) => ({ memory_id: id, ...(key === null ? {} : { key }) });
const lineOf = (memory: Memory, authorOf: AuthorOf, note: string | undefined): Framed => say`${handleOf(memory)}${aside(audienceOf(memory, undefined).scope, ...originOf(memory, authorOf(memory)), note)}`;

function keptFields(name: "kept" | "conflict", kept: readonly Kept[], most = mostLines): Record<string, unknown> {
  if (kept.length === 0) return {};
  const list = kept.slice(0, most).map(({ memory, reason }) => ({ ...nameOf(memory), reason }));
  return name === "kept" ? { kept: kept.length, kept_memories: list } : { conflicts: kept.length, conflicting_memories: list };
}

function keptLines(kept: readonly Kept[], authorOf: AuthorOf, most = mostLines): Framed[] {
  const lines = kept.slice(0, most).map(({ memory, reason }) => say`- ${lineOf(memory, authorOf, undefined)}: ${reasons[reason]}`);
  return kept.length > lines.length ? [...lines, say`… and ${kept.length - lines.length} more`] : lines;
}
