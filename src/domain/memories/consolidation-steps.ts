import { isPlain } from "../guard/screen.ts";
import type { JudgedPair } from "./consolidation-pairs.ts";
import { sameState, type Memory } from "./memory.ts";
import { asSaid } from "./memory-fields.ts";
import { isInitial, mergedVersion } from "./merged-version.ts";
import { mayChangeVisibility } from "./policy.ts";
import { withoutReview } from "./review.ts";
import { superseded } from "./supersede.ts";
import { followingVersion, type Writing } from "./versions.ts";

/** Why a run leaves a pair to a person. */
export type ProposalReason =
  /** The provider is not sure enough. */
  | "unsure"
  /** One of the two has a part in a surer step; the next run looks at it again. */
  | "other step"
  /** The team reviews what members change of what others see. */
  | "review"
  /** Nobody watches the run, and the two are of different authors. */
  | "authors"
  /** The write guard would keep the merged text back. */
  | "guard"
  /** Both together say more than one memory may hold. */
  | "room"
  /** The run is full. */
  | "limit";

/** A pair, with what becomes of its memories. */
export interface Step extends JudgedPair {
  writes: { memory: Memory; next: Memory }[];
}
export interface ConsolidationProposal extends JudgedPair {
  why: ProposalReason;
}

/** What decides between doing and proposing. */
export interface StepRules {
  /** 0–1. */
  leastConfidence: number;
  isReviewed: boolean;
  /** No person confirms the run. */
  isUnattended: boolean;
  mostSteps: number;
}

/** Bytes of the memories of one run: it is one transaction, whose parameter must stay below D1's 2 MB. */
const mostBytes = 700_000;

/** A run does each memory one thing, so no chain of it depends on the order; what else there is waits for the next one. */
export function stepsOf(ctx: Writing, pairs: readonly JudgedPair[], rules: StepRules): { steps: Step[]; proposals: ConsolidationProposal[] } {
  const steps: Step[] = [];
  const proposals: ConsolidationProposal[] = [];
  const taken = new Set<string>();
  let room = mostBytes;
  for (const pair of pairs) {
    const writes = writesOf(ctx, pair);
    const bytes = writes.reduce((sum, { next }) => sum + JSON.stringify(next).length * 3, 0);
    const why = writes.length === 0 ? "room" : reasonToAsk(ctx, pair, writes, rules) ?? (taken.has(pair.kept.id) || taken.has(pair.gone.id) ? "other step" : steps.length >= rules.mostSteps || bytes > room ? "limit" : undefined);
    if (why !== undefined) {
      proposals.push({ ...pair, why });
      continue;
    }
    room -= bytes;
    steps.push({ ...pair, writes });
    taken.add(pair.kept.id).add(pair.gone.id);
  }
  return { steps, proposals };
}

function reasonToAsk(ctx: Writing, pair: JudgedPair, writes: Step["writes"], { leastConfidence, isReviewed, isUnattended }: StepRules): ProposalReason | undefined {
  if (pair.verdict.confidence < leastConfidence) return "unsure";
  if (isUnattended && pair.kept.updatedBy !== pair.gone.updatedBy) return "authors";
  const isHeld = ({ memory, next }: Step["writes"][number]): boolean =>
    !mayChangeVisibility(ctx.principal, memory, next.visibility) || (isReviewed && !sameState({ ...next, ...withoutReview(ctx.principal, memory, next) }, next));
  if (writes.some(isHeld)) return "review";
  const { verdict } = pair;
  return isPlain(verdict.reason) && (verdict.decision === "supersede" || isPlain(verdict.content)) ? undefined : "guard";
}

/** The one that gives way first: it may leave its key to the one that stays. Empty where the two do not fit into one. */
function writesOf(ctx: Writing, pair: JudgedPair): Step["writes"] {
  const { kept, gone, verdict } = pair;
  if (verdict.decision === "supersede") return [{ memory: gone, next: superseded(ctx, gone, kept, verdict.reason) }];
  const said = asSaid(gone);
  const next = mergedVersion(ctx, { kept, other: gone, content: verdict.content, says: (field) => !isInitial(said, field), preferred: "kept" });
  if (!next) return [];
  return [
    { memory: gone, next: followingVersion(ctx, gone, { supersededBy: kept.id, supersededReason: verdict.reason, archivedAt: ctx.now }) },
    { memory: kept, next },
  ];
}
