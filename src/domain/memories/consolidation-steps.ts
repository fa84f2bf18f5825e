import { isPlain } from "../guard/screen.ts";
import { citedTogether, mostCitations } from "./citations.ts";
import type { JudgedPair } from "./consolidation-pairs.ts";
import { enriched } from "./enriched.ts";
import { limits, withRoom } from "./fields.ts";
import { canonical, sameState, type Memory, type MemoryState } from "./memory.ts";
import { asSaid, initialState, saidIn } from "./memory-fields.ts";
import type { DerivedField } from "./memory-values.ts";
import { mayChangeVisibility } from "./policy.ts";
import { withoutReview } from "./review.ts";
import { superseded } from "./supersede.ts";
import { followingVersion, trustAfter, type Writing } from "./versions.ts";

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
    const why = reasonToAsk(ctx, pair, writes, rules) ?? (taken.has(pair.kept.id) || taken.has(pair.gone.id) ? "other step" : steps.length >= rules.mostSteps || bytes > room ? "limit" : undefined);
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

/** The one that gives way first: it may leave its key to the one that stays. */
function writesOf(ctx: Writing, pair: JudgedPair): Step["writes"] {
  const { kept, gone, verdict } = pair;
  if (verdict.decision === "supersede") return [{ memory: gone, next: superseded(ctx, gone, kept, verdict.reason) }];
  return [
    { memory: gone, next: followingVersion(ctx, gone, { supersededBy: kept.id, supersededReason: verdict.reason, archivedAt: ctx.now }) },
    { memory: kept, next: enriched(followingVersion(ctx, kept, united(pair, verdict.content)), { before: kept, given: unitedFields.filter((field) => isSaid(gone, field)) }) },
  ];
}

const union = (a: readonly string[], b: readonly string[], most: number): string[] => [...new Set([...a, ...b])].slice(0, Math.max(most, a.length));

/** What is derived of the kept one gives way to what somebody said of the other. */
const unitedFields = ["tags", "keywords", "importance"] as const satisfies DerivedField[];
const isSaid = (memory: Memory, field: DerivedField): boolean => canonical(saidIn(memory, field)) !== canonical(initialState[field]);

/** All that both say beside the text; where they differ, what the kept one says. */
function united({ kept, gone }: JudgedPair, content: string): Partial<MemoryState> {
  const [stays, goes] = [asSaid(kept), asSaid(gone)];
  return {
    content,
    trust: trustAfter(kept, content),
    key: kept.key ?? gone.key,
    summary: kept.content === content ? kept.summary : null,
    tags: union(stays.tags, goes.tags, limits.tags),
    keywords: union(stays.keywords, goes.keywords, limits.tags),
    relatedFiles: union(kept.relatedFiles, gone.relatedFiles, 100),
    citations: citedTogether(kept.citations, gone.citations).slice(0, mostCitations),
    metadata: withRoom(kept.metadata, { ...gone.metadata, ...kept.metadata }),
    importance: !isSaid(gone, "importance") ? stays.importance : isSaid(kept, "importance") ? Math.max(stays.importance, goes.importance) : goes.importance,
    confidence: Math.max(kept.confidence, gone.confidence),
    occurredAt: kept.occurredAt ?? gone.occurredAt,
  };
}
