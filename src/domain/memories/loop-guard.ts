import type { Context } from "../context.ts";
import { isSameProject } from "../project.ts";
import { mayRead } from "../tenancy/principal.ts";
import { topicOf, visibilities, withFormerNamespace, type Memory, type MemoryState } from "./memory.ts";
import { repeats } from "./repetition.ts";

/**
 * The texts that this person was lately shown, so that a client does not store as new what it has just read (users U1, loop
 * guard).
 */
export interface RecentlyRecalled {
  note(now: number, memories: Memory[]): void;
  /** Ids of the memories that said all of this text when they were shown, last shown first. */
  findSourcesOf(now: number, content: string): string[];
}

/** More of them that say the same would be copies of each other. */
const mostAsked = 3;

/**
 * Finds the memory that a text about to be stored repeats: recalled of late, still there and visible, with the same statements,
 * visible to everybody whom the new one would reach, and in a namespace that covers the new one's. Storing for the team what
 * was private, or for this project what belongs to another, is not a repeat, nor is what holds again after another memory took
 * its place, or happened at another time. Structured values are data, which may well be the same in two places.
 */
export async function repeatedMemory(ctx: Context, fresh: MemoryState): Promise<Memory | undefined> {
  // A secret is stored as one, even if a memory that is none says the same.
  if (!ctx.recalled || fresh.value !== null || fresh.sensitivity === "secret" || !mayRead(ctx.principal)) return undefined;
  for (const id of ctx.recalled.findSourcesOf(ctx.now, fresh.content).slice(0, mostAsked)) {
    const memory = await stillThere(ctx, id);
    if (memory && reaches(memory, fresh) && isInView(memory, fresh) && isAbout(memory.namespace, fresh.namespace) && repeats(fresh.content, memory.content) && (await stillHolds(ctx, memory, fresh))) return memory;
  }
  return undefined;
}

async function stillThere(ctx: Context, id: string): Promise<Memory | undefined> {
  const own = await ctx.memories.get(ctx.principal, ctx.now, id);
  if (own) return own.archivedAt === null ? own : undefined;
  const places = await ctx.index.publicById(ctx.principal, ctx.now, id).catch((error: unknown) => {
    // If the memory cannot be compared, the text is stored: rather a repeat than a lost write.
    ctx.report("loop-guard", error);
    return [];
  });
  return places.length > 0 ? (await ctx.memories.hydratePublic(ctx.principal, ctx.now, places))[0] : undefined;
}

const stillHolds = async (ctx: Context, { occurredAt, supersededBy }: Memory, fresh: MemoryState): Promise<boolean> =>
  [occurredAt, null].includes(fresh.occurredAt) && !(supersededBy && (await ctx.memories.get(ctx.principal, ctx.now, supersededBy)));

/** `visibilities` go from few to many. */
const reaches = (memory: MemoryState, fresh: MemoryState): boolean =>
  visibilities.indexOf(memory.visibility) >= visibilities.indexOf(fresh.visibility);

/** Agents of a role do not see what another one stored. */
const isInView = ({ agentId }: MemoryState, fresh: MemoryState): boolean => agentId === null || fresh.agentId === null || agentId === fresh.agentId;

/** A global memory covers every namespace, and a project's covers its sessions. */
const isAbout = (place: string, fresh: string): boolean =>
  place === "global" || withFormerNamespace(fresh).includes(place) || (place.startsWith("project:") && fresh.startsWith("session:") && isSameProject(topicOf(place), topicOf(fresh)));
