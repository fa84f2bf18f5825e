import type { Context } from "../context.ts";
import { visibilities, type Memory } from "../memories/memory.ts";
import { isReviewed } from "../memories/review.ts";
import { mayReplace, stateAt, superseded } from "../memories/supersede.ts";
import { followingVersion } from "../memories/versions.ts";
import type { LinkType } from "./graph.ts";

/** A link as it was said, with what it leads to. */
export interface SaidLink {
  target: Memory;
  type?: LinkType | undefined;
  reason?: string;
}

/** A secret is written by whoever names it, with its content at hand. */
const isPlain = ({ archivedAt, quarantine, sensitivity }: Memory): boolean => archivedAt === null && quarantine === null && sensitivity === "normal";

const breadth = ({ visibility }: Memory): number => visibilities.indexOf(visibility);

/**
 * Whoever says that one memory supersedes another says what is found for it from now on: the other one is marked as superseded, where everybody who sees
 * it sees what takes its place. What others see is marked unasked only where the team reviews no changes. @throws WriteConflict
 */
export async function markSuperseded(ctx: Context, source: Memory, links: readonly SaidLink[]): Promise<void> {
  const { teamId } = ctx.principal;
  const wanted = links.filter(
    ({ target, type }) =>
      type === "supersedes" && target.teamId === teamId && target.supersededBy === null && isPlain(target) &&
      source.archivedAt === null && source.supersededBy !== target.id && !source.trust.quarantined && breadth(source) >= breadth(target) && mayReplace(source, target, ctx.now),
  );
  if (wanted.length === 0) return;
  const mayChangeShared = wanted.every(({ target }) => target.visibility === "private") || !(await isReviewed(ctx));
  const marked = new Map(wanted.filter(({ target }) => mayChangeShared || target.visibility === "private").map((link) => [link.target.id, link]));
  if (marked.size === 0) return;
  await ctx.writer.commit(ctx.principal, ctx, [...marked.values()].map(({ target, reason }) => ({ memory: superseded(ctx, target, source, reason || "a link says so"), action: "supersede", before: target })));
}

/** Takes the mark away with the link: what was superseded holds again. @throws WriteConflict */
export async function unmarkSuperseded(ctx: Context, source: Memory, links: readonly SaidLink[]): Promise<void> {
  const marked = new Map(links.flatMap(({ target, type = "supersedes" }) => (type === "supersedes" && target.teamId === ctx.principal.teamId && target.supersededBy === source.id && isPlain(target) ? [[target.id, target]] : [])));
  const back = [...marked.values()];
  if (back.length === 0 || (back.some(({ visibility }) => visibility !== "private") && (await isReviewed(ctx)))) return;
  const states = back.map((old) => followingVersion(ctx, old, { supersededBy: null, supersededReason: null, validTo: old.validTo === stateAt(source) ? null : old.validTo }));
  await ctx.writer.commit(ctx.principal, ctx, states.map((memory, i) => ({ memory, action: "update", before: back[i] as Memory })));
}
