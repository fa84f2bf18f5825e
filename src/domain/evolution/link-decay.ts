import type { Context } from "../context.ts";
import { linkEventsOf } from "../events/work-events.ts";
import type { Step, StepResult, WorkKind } from "../curation/work-kind.ts";
import type { LinkType } from "../graph/graph.ts";
import type { SearchIndex } from "../recall/retrievers/text-retriever.ts";
import type { WriteContext } from "../memories/memory-store.ts";
import { curatorActor, type Principal, requireScope } from "../tenancy/principal.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";
import { upkeepIn } from "../tenancy/upkeep.ts";
import { dayMs } from "./facts.ts";
import type { EvolutionPorts } from "./evolve.ts";

/** A link and who sees it: `''` for the team, else the one person who sees both of its ends. */
export interface LinkRef {
  source: string;
  target: string;
  type: LinkType;
  audience: string;
}

/** What evolution knows of a link that rules or a model made. Instants are ms since the epoch. */
export interface LinkFacts extends LinkRef {
  strength: number;
  /** Its strength as it was made. */
  base: number;
  madeAt: number;
  /** When the later read of its two memories was, as far as both were read since; null where one of them never was. */
  usedAt: number | null;
  /** A person undid what the curator did to it. */
  isHeld: boolean;
}

/** `to`: the strength that it gets, null where it is dropped. */
export interface LinkChange extends LinkRef {
  from: number;
  to: number | null;
}

export interface LinkDecayStore {
  /** Links that rules or a model made, above a place in the order of their ends; both ends present, unexpired, neither secret nor quarantined. They hold no text. */
  derivedAfter(team: TeamRef, now: number, after: string, limit: number): Promise<LinkFacts[]>;
  /** Changes those that are as they were seen, and records what they were. */
  change(principal: Principal, write: WriteContext, run: string, changes: readonly LinkChange[]): Promise<void>;
}

export interface LinkUndoStore {
  /** As they were before the run: those that the principal may see, and that nobody has changed since. */
  undo(principal: Principal, write: WriteContext, run: string): Promise<LinkRef[]>;
}

export interface LinkDecayPorts extends Pick<EvolutionPorts, "policy" | "proposals"> {
  links: LinkDecayStore;
  index: Pick<SearchIndex, "changed">;
}

const looksAtOnce = 500;
/** As importance does: nothing is lost in a month without use, then half in each half year. */
const grace = 30 * dayMs;
const halfLife = 180 * dayMs;
/** What is weaker than that is dropped. */
const floor = 0.1;
/** Smaller moves are left out. */
const noticeable = 0.1;

/**
 * The strength of a link by now: that with which it was made, halved with every half year in which nobody read both of its memories. From
 * the base each time, so that a run which is done again changes nothing, and use gives back what age took. Undefined where it stays.
 */
export function decayed({ strength, base, madeAt, usedAt, isHeld }: LinkFacts, now: number): number | null | undefined {
  if (isHeld) return undefined;
  const idle = Math.max(0, now - Math.max(madeAt, usedAt ?? 0));
  const wanted = base * 2 ** (-Math.max(0, idle - grace) / halfLife);
  if (wanted < floor) return null;
  return Math.abs(wanted - strength) < noticeable ? undefined : Math.round(wanted * 100) / 100;
}

/** Weakens what rules and models tied and nobody uses. What a person or their model stated by a call, or a text itself names, is theirs and stays. */
export const linkDecay = (ports: LinkDecayPorts): WorkKind => ({
  name: "links",
  every: dayMs,
  isWanted: async (team) => (await ports.policy.policy(upkeepIn(team, ""))) === "on",
  step: (step) => decay(ports, step),
});

const placeOf = ({ source, target, type }: LinkRef): string => `${source} ${target} ${type}`;

async function decay({ links, proposals, index }: LinkDecayPorts, { team, run, now, cursor, changes }: Step): Promise<StepResult> {
  const [page, isReviewed] = await Promise.all([links.derivedAfter(team, now, cursor, looksAtOnce), proposals.reviewRequired(upkeepIn(team, ""))]);
  const wanted: LinkChange[] = [];
  let looked = 0;
  for (const facts of page) {
    // Where a team reviews what others see, nobody changes it unasked.
    const to = facts.audience === "" && isReviewed ? undefined : decayed(facts, now);
    if (to !== undefined && wanted.length === changes) break;
    looked += 1;
    const { source, target, type, audience, strength: from } = facts;
    if (to !== undefined) wanted.push({ source, target, type, audience, from, to });
  }
  if (!run.isDry) {
    for (const [audience, group] of Map.groupBy(wanted, (one) => one.audience)) {
      const principal = upkeepIn(team, audience);
      await links.change(principal, { now, tool: curatorActor, requestId: run.id }, run.id, group);
      await tell({ principal, now, tool: curatorActor, requestId: run.id }, index, group);
    }
  }
  const last = page[looked - 1];
  return { cursor: last ? placeOf(last) : cursor, isLast: looked === page.length && page.length < looksAtOnce, counts: { looked_at: looked, ...countsOf(wanted) } };
}

function countsOf(changes: readonly LinkChange[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { from, to } of changes) {
    const did = to === null ? "dropped" : to < from ? "weakened" : "strengthened";
    counts[did] = (counts[did] ?? 0) + 1;
  }
  return counts;
}

/** How many links are again as they were before the run. */
export async function undoLinkChanges(ctx: Context, links: LinkUndoStore, run: string): Promise<number> {
  requireScope(ctx.principal, "memory:write");
  const undone = await links.undo(ctx.principal, ctx, run);
  await tell(ctx, ctx.index, undone);
  return undone.length;
}

/** Kept answers about these memories hold no longer, and the index reads their links anew. */
async function tell(caller: WriteContext & { principal: Principal }, index: Pick<SearchIndex, "changed">, links: readonly LinkRef[]): Promise<void> {
  if (links.length === 0) return;
  const changes = links.flatMap(({ source, target, audience }) => [source, target].map((memoryId) => ({ visibilityKey: audience, memoryId })));
  await index.changed(caller.principal, changes, linkEventsOf(caller, links));
}
