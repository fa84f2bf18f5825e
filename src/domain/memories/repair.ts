import * as z from "zod";
import type { Context } from "../context.ts";
import { invalid, noMemory } from "../errors.ts";
import * as field from "./fields.ts";
import { judged, keptOf, staleAfter } from "./health.ts";
import { mostJudged } from "./health-findings.ts";
import { isReviewed } from "./review.ts";
import { type RevertOutcome, runOf } from "./revert.ts";
import { changeOf, inOrderOfKeys } from "./reversion-writes.ts";

/** Sections of the report card that one call repairs. Each archives what the section names, of duplicates all but one. */
export const fixes = ["duplicates", "stale", "junk", "superseded"] as const;
export type Fix = (typeof fixes)[number];

/** In the names of the wire. */
export const repairInput = z.strictObject({
  fix: z.enum(fixes),
  /** Only these of what the section holds. */
  ids: z.array(z.uuid().toLowerCase()).min(1).max(100).optional(),
  confirm: field.filled("confirm", 100).optional(),
});

export interface RepairInput {
  fix: Fix;
  ids?: readonly string[] | undefined;
  /** The token of a preview: without it nothing is archived. */
  confirm?: string | undefined;
}

/**
 * Archives what a section of the report card names, in one run that `undoRevert` takes back. The first call previews, and its
 * token is bound to just those versions: what has been read, changed or joined the section since is previewed anew.
 */
export async function repair(ctx: Context, { fix, ids, confirm }: RepairInput): Promise<RevertOutcome> {
  const selection = { fix, ...(ids ? { ids: ids.toSorted().join(" ") } : {}) };
  return runOf(ctx, selection, confirm, async (limit) => {
    const found = await selected(ctx, fix);
    const unknown = ids?.filter((id) => !found.includes(id)) ?? [];
    // A run that was interrupted has archived some of them.
    if (unknown.length > 0 && confirm === undefined) throw invalid(`Not among the ${fix} of the report card: ${unknown.slice(0, 5).join(", ")}.`, "omn_memory_health names what is; anything else is forgotten by its id, without fix.");
    const wanted = ids ? found.filter((id) => ids.includes(id)) : found;
    const [present, review] = await Promise.all([ctx.memories.lookupMany(ctx.principal, { ids: wanted.slice(0, limit), named: [] }), isReviewed(ctx)]);
    const considered = present.filter(({ archivedAt }) => archivedAt === null).map((memory) => {
      const change = changeOf(ctx, memory, "archived", review);
      // Nothing that somebody wrote is taken back: a later revert of their work still finds it.
      return "next" in change ? { ...change, restored: memory.version } : change;
    });
    return { ...(await inOrderOfKeys(ctx, considered)), more: wanted.length > limit };
  }, () => noMemory(`There is nothing to repair: the report card names no ${fix}.`, "omn_memory_health says what there is."));
}

async function selected({ memories, principal, now }: Context, fix: Fix): Promise<string[]> {
  const examination = { limit: mostJudged, staleBefore: now - staleAfter };
  switch (fix) {
    case "duplicates": {
      const { duplicates } = await memories.examine(principal, now, { ...examination, sections: ["duplicates"] });
      return duplicates.items.flatMap((same) => {
        const { id: kept } = keptOf(same);
        return same.flatMap(({ id }) => (id === kept ? [] : id));
      });
    }
    case "stale": {
      const { stale } = await memories.examine(principal, now, { ...examination, sections: ["stale"] });
      return stale.items.map(({ id }) => id);
    }
    case "junk": {
      const { suspects } = await memories.examine(principal, now, { ...examination, sections: ["suspects"] });
      return judged(suspects.items).map(({ memory }) => memory.id);
    }
    case "superseded": {
      const { superseded } = await memories.examine(principal, now, { ...examination, sections: ["superseded"] });
      return superseded.items.map(({ memory }) => memory.id);
    }
  }
}
