import type { Context } from "../context.ts";
import { visibilities, type Memory } from "../memories/memory.ts";
import { isReviewed } from "../memories/review.ts";
import { mayReplace, stateAt, superseded } from "../memories/supersede.ts";
import { followingVersion } from "../memories/versions.ts";
import type { LinkType } from "./graph.ts";

/** A link that is said or taken away, by the id of what it leads to. */
interface Said {
  target: string;
  type?: LinkType | undefined;
  reason?: string;
}

/** A secret is written by whoever names it, with its content at hand. */
const isPlain = ({ archivedAt, quarantine, sensitivity }: Memory): boolean => archivedAt === null && quarantine === null && sensitivity === "normal";

const breadth = ({ visibility }: Memory): number => visibilities.indexOf(visibility);

/** Each of the memories once, without those that wait for a review when they are changed. */
async function changeable(ctx: Context, memories: readonly Memory[]): Promise<Memory[]> {
  const once = [...new Map(memories.map((memory) => [memory.id, memory])).values()];
  const isHeld = once.some(({ visibility }) => visibility !== "private") && (await isReviewed(ctx));
  return isHeld ? once.filter(({ visibility }) => visibility === "private") : once;
}

/**
 * Whoever says that one memory supersedes another says what is found for it from now on: the other one is marked as superseded, where everybody who sees
 * it sees what takes its place. What others see is marked unasked only where the team reviews no changes. @throws WriteConflict
 */
export async function markSuperseded(ctx: Context, source: Memory, targets: readonly Memory[], links: readonly Said[]): Promise<void> {
  const reasons = new Map(links.flatMap(({ target, type, reason }) => (type === "supersedes" ? [[target, reason]] : [])));
  const old = targets.filter(
    (target) =>
      reasons.has(target.id) && target.teamId === ctx.principal.teamId && target.supersededBy === null && isPlain(target) &&
      source.archivedAt === null && source.supersededBy !== target.id && !source.trust.quarantined && breadth(source) >= breadth(target) && mayReplace(source, target, ctx.now),
  );
  const marked = await changeable(ctx, old);
  if (marked.length === 0) return;
  await ctx.writer.commit(ctx.principal, ctx, marked.map((before) => ({ memory: superseded(ctx, before, source, reasons.get(before.id) || "a link says so"), action: "supersede", before })));
}

/** Takes the mark away with the link: what was superseded holds again. @throws WriteConflict */
export async function unmarkSuperseded(ctx: Context, source: Memory, targets: readonly Memory[], links: readonly Said[]): Promise<void> {
  const gone = new Set(links.flatMap(({ target, type = "supersedes" }) => (type === "supersedes" ? target : [])));
  const marked = await changeable(ctx, targets.filter((target) => gone.has(target.id) && target.teamId === ctx.principal.teamId && target.supersededBy === source.id && isPlain(target)));
  if (marked.length === 0) return;
  const opened = (old: Memory): Memory => followingVersion(ctx, old, { supersededBy: null, supersededReason: null, validTo: old.validTo === stateAt(source) ? null : old.validTo });
  await ctx.writer.commit(ctx.principal, ctx, marked.map((before) => ({ memory: opened(before), action: "update", before })));
}
