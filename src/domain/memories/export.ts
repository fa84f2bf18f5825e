import type { Context } from "../context.ts";
import { sha256Hex } from "../hash.ts";
import type { MemoryFilter } from "../ports.ts";
import { requireScope } from "../tenancy/principal.ts";
import { requireCursor } from "./list.ts";
import { toPortable } from "./portable.ts";

export interface ExportInput {
  format: "ndjson" | "json";
  filter?: MemoryFilter;
  cursor?: string;
  /** Memories per page. */
  limit: number;
  includeHistory: boolean;
}

export interface ExportOutcome {
  data: string;
  count: number;
  /** Of the UTF-8 bytes of `data`, lower-case hex. An import given it refuses data that changed on the way. */
  sha256: string;
  nextCursor?: string;
}

/** One page of everything the caller may see in the team, archived memories included, newest first. */
export async function exportMemories(ctx: Context, input: ExportInput): Promise<ExportOutcome> {
  requireScope(ctx.principal, "memory:read");
  const page = await ctx.memories.list(ctx.principal, ctx.now, input.filter ?? {}, {
    below: input.cursor === undefined ? undefined : requireCursor(input.cursor),
    limit: input.limit,
    archived: "all",
  });
  const chains = input.includeHistory
    ? await ctx.memories.history(ctx.principal, ctx.now, page.items.filter(({ version }) => version > 1).map(({ id }) => id))
    : new Map();
  const records = page.items.map((memory) => {
    const earlier = (chains.get(memory.id) ?? []).filter((version: { version: number }) => version.version < memory.version);
    return toPortable(memory, earlier);
  });
  const data =
    input.format === "ndjson"
      ? records.map((record) => `${JSON.stringify(record)}\n`).join("")
      : JSON.stringify({ format: "omnimemory", version: 1, memories: records });
  return {
    data,
    count: records.length,
    sha256: await sha256Hex(data),
    ...(page.next === undefined ? {} : { nextCursor: page.next }),
  };
}
