import type { Context } from "../context.ts";
import { type Framed, joined, json, say } from "../frame.ts";
import { sha256Hex } from "../hash.ts";
import type { MemoryFilter, Page } from "./memory-store.ts";
import { assertReadable } from "../secrets/redaction.ts";
import { requireScope } from "../tenancy/principal.ts";
import { requireCursor } from "./list.ts";
import type { Memory, MemoryState, Version } from "./memory.ts";
import { exportLinks } from "../graph/portable-links.ts";
import { toPortable } from "./portable.ts";
import { withoutUndone } from "./undone-reverts.ts";

export interface ExportInput {
  format: "ndjson" | "json";
  filter?: MemoryFilter | undefined;
  cursor?: string | undefined;
  /** Memories per page. */
  limit: number;
  includeHistory: boolean;
  /** Needs memory:admin, since it takes all secrets out of their protection at once. Otherwise they are left out. */
  includeSecrets?: boolean | undefined;
}

export interface ExportOutcome {
  data: string;
  /** The same, for a model to read. */
  framed: Framed;
  count: number;
  /** SHA-256 of the UTF-8 bytes of `data`, lower-case hex. An import that is given it refuses data that changed on the way. */
  sha256: string;
  nextCursor?: string | undefined;
}

/** Memories on a page with history: a thousand at their longest are as much as a client takes at once. */
const maxVersions = 1_000;

/**
 * One page of everything the caller may see in the team, archived memories included, newest first; secrets if asked for. A bulk
 * revert that was undone is left out together with its undo: the export is the one from before, byte for byte.
 */
export async function exportMemories(ctx: Context, input: ExportInput): Promise<ExportOutcome> {
  requireScope(ctx.principal, "memory:read");
  if (input.includeSecrets) requireScope(ctx.principal, "memory:admin");
  const found = await ctx.memories.list(ctx.principal, ctx.now, input.filter ?? {}, {
    below: input.cursor === undefined ? undefined : requireCursor(input.cursor),
    limit: input.limit,
    archived: "all",
    secrets: input.includeSecrets ? "open" : "omit",
  });
  const undone = await ctx.reversions.undone(ctx.principal, found.items.map(({ id }) => id));
  const shown = new Map(found.items.map((memory) => [memory.id, withoutUndone(memory, undone.get(memory.id) ?? [])]));
  const versionOf = ({ id, version }: Memory): number => shown.get(id)?.memory.version ?? version;
  const page = fitting(found, versionOf, input.includeHistory ? maxVersions : Number.POSITIVE_INFINITY);
  await ctx.progress?.(0, page.items.length);
  if (page.items.length > 0) await ctx.memories.auditRead(ctx.principal, ctx, { action: "export", ids: page.items.map(({ id }) => id) });
  const links = await exportLinks(ctx, page.items.map(({ id }) => id));
  const chains = input.includeHistory
    ? await ctx.memories.history(ctx.principal, ctx.now, page.items.filter((memory) => versionOf(memory) > 1).map(({ id }) => id), input.includeSecrets ? {} : { secrets: "omit" })
    : new Map<string, Version[]>();
  assertReadable([...page.items, ...[...chains.values()].flat()]);
  const seen = await successorsSeen(ctx, [...page.items, ...[...chains.values()].flatMap((chain) => chain.map(({ state }) => state))]);
  const records = page.items.map((one) => {
    const { memory, versions } = shown.get(one.id) as ReturnType<typeof withoutUndone>;
    const earlier = withoutHole(versions(chains.get(one.id) ?? []), memory.version);
    return toPortable(marked(memory, seen), earlier.map((version) => ({ ...version, state: marked(version.state, seen) })), links.get(one.id));
  });
  const framed = input.format === "ndjson" ? joined(records.map((record) => say`${json(record)}\n`), "") : json({ format: "omnimemory", version: 1, memories: records });
  const data = framed.toString();
  return {
    data,
    framed,
    count: records.length,
    sha256: await sha256Hex(data),
    nextCursor: page.next,
  };
}

type Superseded = Pick<MemoryState, "supersededBy" | "supersededReason">;

/** Ids of those memories that took another's place and that the caller may see, archived ones too. */
async function successorsSeen(ctx: Context, states: readonly Superseded[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(states.flatMap(({ supersededBy }) => supersededBy ?? []))];
  return new Set(ids.length === 0 ? [] : (await ctx.memories.lookupMany(ctx.principal, { ids, named: [] })).map(({ id }) => id));
}

/** What took its place, and why: the reason may quote that one, so whoever does not see it is told neither. */
const marked = <S extends Superseded>(state: S, seen: ReadonlySet<string>): S =>
  state.supersededBy === null || seen.has(state.supersededBy) ? state : { ...state, supersededBy: null, supersededReason: null };

/**
 * The versions that lead up to the present one. Those from when the memory was another's private one are not shown, and
 * what lies before such a hole stays out, too: an import takes no chain that lacks a link.
 */
function withoutHole(chain: Version[], present: number): Version[] {
  const earlier = chain.filter(({ version }) => version < present);
  return earlier.slice(earlier.findLastIndex(({ version }, i) => version !== present - earlier.length + i) + 1);
}

/** The page as far as its memories have no more versions together; at least one of them. */
function fitting(page: Page<Memory>, versionOf: (memory: Memory) => number, limit: number): Page<Memory> {
  let versions = 0;
  const cut = page.items.findIndex((memory, i) => (versions += versionOf(memory)) > limit && i > 0);
  if (cut === -1) return page;
  const items = page.items.slice(0, cut);
  return { items, next: items.at(-1)?.id };
}
