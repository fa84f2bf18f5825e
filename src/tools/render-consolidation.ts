import { aside, type Framed, joined, lines, say } from "../domain/frame.ts";
import type { Context } from "../domain/context.ts";
import { authorsOf, originOf } from "../domain/memories/authorship.ts";
import type { ConsolidateOutcome } from "../domain/memories/consolidate.ts";
import type { JudgedPair } from "../domain/memories/consolidation-pairs.ts";
import type { ProposalReason } from "../domain/memories/consolidation-steps.ts";
import type { Memory } from "../domain/memories/memory.ts";
import { preview } from "../domain/recall/presentation/excerpt.ts";
import { adviceOf, audienceOf, confirmText, handleOf, questionOf } from "./render.ts";
import type { Rendered } from "./render-revert.ts";

const mostShown = 30;
const lineLength = 160;

const reasons: Record<ProposalReason, string> = {
  unsure: "not sure enough",
  "other step": "one of them has a part in another step; run it again afterwards",
  review: "this team reviews changes of what others see: an admin of the team settles it",
  authors: "of different authors, and nobody confirmed it",
  guard: "the write guard would keep the text back",
  room: "both together say more than one memory may hold",
  limit: "the run is full; run it again afterwards",
};

type ShownMemory = Record<string, unknown> & { memory_id: string };

export interface ShownPair extends Record<string, unknown> {
  decision: "merge" | "supersede";
  /** Of a merge: what stays. */
  content?: string;
  kept: ShownMemory;
  gone: ShownMemory;
}

interface RenderedConsolidation extends Rendered {
  /** The structured answer without its pairs, and those, for a family that has another form for them. */
  outline: Record<string, unknown>;
  pairs: { settled: ShownPair[]; open: ShownPair[] };
}

/** What becomes of which memories, or would: the texts that meet, the one that stays, why and how surely; and what is left to a person. */
export async function renderConsolidation(ctx: Context, result: ConsolidateOutcome): Promise<RenderedConsolidation> {
  const { steps, proposals, looked, cursor } = result;
  const authorOf = await authorsOf(ctx, [...steps, ...proposals].flatMap(({ kept, gone }) => [kept, gone]));
  const nameOf = (memory: Memory): ShownMemory => ({
    memory_id: memory.id, ...(memory.key === null ? {} : { key: memory.key }), ...audienceOf(memory, authorOf(memory)), version: memory.version, preview: preview(memory.content, lineLength),
  });
  const lineOf = (mark: string, memory: Memory): Framed => say`  ${mark} ${handleOf(memory)}${aside(audienceOf(memory, undefined).scope, ...originOf(memory, authorOf(memory)))}: ${preview(memory.content, lineLength)}`;
  const shownPair = (pair: JudgedPair, why?: ProposalReason): { fields: ShownPair; text: Framed } => {
    const { verdict, kept, gone, by } = pair;
    const merged = verdict.decision === "merge" ? { content: verdict.content } : {};
    return {
      fields: { decision: verdict.decision, confidence: verdict.confidence, reason: verdict.reason, by, kept: nameOf(kept), gone: nameOf(gone), ...merged, ...(why === undefined ? {} : { proposed_because: reasons[why] }) },
      text: joined([
        say`${verdict.decision} (${verdict.confidence.toFixed(2)}): ${verdict.reason}${why === undefined ? say`` : say` Left to you: ${reasons[why]}.`}`,
        lineOf("-", gone),
        lineOf("+", kept),
        ...(verdict.decision === "merge" && verdict.content !== kept.content ? [say`  = ${preview(verdict.content, 2 * lineLength)}`] : []),
      ]),
    };
  };
  const done = steps.slice(0, mostShown).map((step) => shownPair(step));
  const left = proposals.slice(0, mostShown).map((one) => shownPair(one, one.why));
  const [summary, advice] = wordsOf(result);
  const isPreview = result.outcome === "preview";
  const outline = {
    outcome: result.outcome,
    count: isPreview ? steps.length : result.ids.length,
    looked,
    ...(isPreview ? (result.confirm === undefined ? {} : { confirm: result.confirm }) : result.run === undefined ? {} : { run: result.run }),
    ...(cursor === undefined ? {} : { cursor }),
    ...adviceOf(advice),
  };
  const pairs = { settled: done.map(({ fields }) => fields), open: left.map(({ fields }) => fields) };
  return {
    structured: {
      ...outline,
      [isPreview ? "would_settle" : "settled"]: pairs.settled,
      proposals: pairs.open,
    },
    outline,
    pairs,
    text: lines([
      summary,
      ...done.map(({ text }) => text),
      ...(steps.length > done.length ? [say`… and ${steps.length - done.length} more`] : []),
      ...(left.length > 0 ? [say`${plural(proposals.length, "pair stays as it is", "pairs stay as they are")}, for a person to look at (- would give way, + would stay):`] : []),
      ...left.map(({ text }) => text),
      ...(proposals.length > left.length ? [say`… and ${proposals.length - left.length} more`] : []),
      advice,
    ]),
    question: result.outcome === "preview" ? questionOf(result.confirm, summary, done.map(({ text }) => text), steps.length) : undefined,
  };
}

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

function wordsOf(result: ConsolidateOutcome): [summary: Framed, advice: Framed] {
  const more = result.cursor === undefined ? say`` : say` There are older memories: call again with cursor: "${result.cursor}".`;
  if (result.outcome === "preview") {
    const stale = confirmText(result.changed);
    const looked = plural(result.looked, "memory", "memories");
    if (result.steps.length === 0) {
      const what = result.proposals.length > 0 ? "Nothing is certain enough to be settled" : "Nothing to settle";
      return [say`${stale}${what}: this looked at ${looked}${result.proposals.length > 0 ? "." : ", and none says what another one says or replaces it."}`, more];
    }
    return [
      say`${stale}Nothing changed yet. This looked at ${looked}; ${plural(result.steps.length, "pair", "pairs")} would be settled (- gives way, + stays):`,
      say`To go ahead, repeat the call with confirm: "${result.confirm ?? ""}".${more}`,
    ];
  }
  return [say`consolidated: ${plural(result.ids.length, "memory", "memories")} changed.`, say`${result.run === undefined ? "" : `To undo it, call omn_revert with undo: "${result.run}".`}${more}`];
}
