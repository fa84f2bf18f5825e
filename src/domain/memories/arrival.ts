import type { Context } from "../context.ts";
import { invalid } from "../errors.ts";
import { named } from "../frame.ts";
import { isPlain } from "../guard/screen.ts";
import { enriched, givenIn } from "./enriched.ts";
import { type Memory, type MemoryState, newState, type Version } from "./memory.ts";
import type { MemoryWrite } from "./memory-store.ts";
import type { SuccessionOf } from "./import-succession.ts";
import { toState, type PortableMemory } from "./portable.ts";
import { firstVersion } from "./versions.ts";

/**
 * Whoever wrote a file of records chose every word of it, its authors, tools and dates included. So the import marks what it
 * brings for good, and nothing in the file can lift the mark; a memory that is here already and says just the same stays as it
 * is.
 */
export const importedTrust = (quarantined: boolean): Memory["trust"] => ({ source: "imported", quarantined });

export interface Arriving {
  id: string;
  review: boolean;
  /** What took the place of a state; none without it. */
  successionOf?: SuccessionOf;
}

/** A memory new to this team, with the identity, dates and history it brings; its owner is the importer. */
export function arrival(ctx: Context, record: PortableMemory, given: Partial<MemoryState>, { id, review, successionOf = () => ({}) }: Arriving): MemoryWrite {
  const owner = ctx.principal.userId;
  const trust = importedTrust(record.quarantined === true);
  const quarantine = record.quarantine ?? null;
  const held = quarantine ? { quarantine, visibility: "private" as const, sensitivity: "secret" as const } : {};
  const said = newState({ ...given, ...successionOf(record), content: record.content, ownerId: owner, archivedAt: record.archived_at ?? (quarantine ? ctx.now : null), trust, ...held });
  // An export says what was derived, or that nothing was.
  const state = record.enrichment === undefined ? enriched(said, { given: givenIn(given) }) : { ...said, enrichment: record.enrichment };
  const fresh = firstVersion(ctx, state, id);
  // Nobody imports in another person's name: foreign authors become the importer.
  const author = (claimed: string | undefined): string => (claimed === owner ? claimed : owner);
  // A name that gives orders is no name.
  const toolOf = (claimed = ctx.tool): string => (isPlain(claimed) ? claimed : "unknown");
  const notLater = (at: number | undefined): number => Math.min(at ?? ctx.now, ctx.now);
  const history: Version[] = (record.history ?? []).map((version) => ({
    version: version.version,
    at: notLater(version.at),
    actorId: author(version.actor_id),
    tool: toolOf(version.tool),
    action: version.action,
    state: newState({
      ...toState(version.state),
      ...successionOf(version.state),
      content: version.state.content,
      ownerId: owner,
      archivedAt: version.state.archived_at ?? null,
      enrichment: version.state.enrichment ?? null,
      trust,
      // Only the present version is looked at, so what it said before stays its author's.
      ...(review ? { visibility: "private" } : {}),
    }),
  }));
  requireChain(record, history);
  return {
    memory: {
      ...fresh,
      version: (history.at(-1)?.version ?? 0) + 1,
      createdAt: notLater(record.created_at),
      createdBy: author(record.created_by),
      createdTool: toolOf(record.created_tool),
      updatedAt: notLater(record.updated_at),
      updatedBy: author(record.updated_by),
      updatedTool: toolOf(record.updated_tool),
    },
    action: "import",
    history,
  };
}

function requireChain(record: PortableMemory, history: Version[]): void {
  const whole = history.every((version, i) => i === 0 || version.version === (history[i - 1] as Version).version + 1);
  const last = history.at(-1);
  if (!whole || (last && record.version !== undefined && record.version !== last.version + 1)) {
    throw invalid(`The history of ${named(record.key ?? record.id ?? "a record")} has a hole.`, "Export the memory again, or leave its history out. Nothing was imported.");
  }
}
