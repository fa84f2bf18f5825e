import { and, eq, gt, inArray, or, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import { toMemory, toVersion } from "../d1/sealed-rows.ts";
import { counters, memories, outbox, versions } from "../d1/shard-schema.ts";
import { toDocument, toPastDocument, type IndexDocument } from "./document.ts";

/** A team, and the shard that it lives in. */
export type TeamShard = Pick<TeamRef, "teamId" | "shard">;

/** A memory as the truth has it: its present document, and the past ones with the instant that ended each. */
export interface Chain {
  present: IndexDocument;
  past: { document: IndexDocument; untilAt: number }[];
}

export interface ChangePage {
  chains: Chain[];
  erased: string[];
  /** Everything up to here has been read. */
  upTo: number;
  done: boolean;
}

export interface Checksum {
  /** The team's newest sequence number. */
  seq: number;
  count: number;
  versions: number;
  aliases: number;
  /** Versions before the present ones. */
  past: number;
  /** Of the present contents, but for those of secrets. */
  characters: number;
}

/** The newest sequence number of the team; 0 before its first change. */
export async function newestSeq(d1: D1Database, { teamId }: TeamShard): Promise<number> {
  return (await d1.prepare("SELECT seq FROM counters WHERE team_id = ?1").bind(teamId).first<{ seq: number }>())?.seq ?? 0;
}

const pageSize = 1_000;
/** The object has 128 MB: of memories with long histories a page has fewer. */
const maxPageVersions = 4_000;

/** One team's memories in its shard, read by the index object itself: not on behalf of a person, so nothing is hidden. */
export class TeamSource {
  readonly #d1: D1Database;
  readonly #teamId: string;

  constructor(d1: D1Database, teamId: string) {
    this.#d1 = d1;
    this.#teamId = teamId;
  }

  /**
   * The memories whose last change came after `applied`, a page in order of change, and the erased ones. For an organization's
   * index, without their past, those that are public or may have been: a first version that is not public never was.
   */
  async changesAfter(applied: number, publicOnly: boolean): Promise<ChangePage> {
    const db = drizzle(this.#d1);
    const everPublic = publicOnly ? or(eq(memories.visibility, "public"), gt(memories.version, 1)) : undefined;
    const [counter, changed, gone] = await db.batch([
      db.select().from(counters).where(eq(counters.teamId, this.#teamId)),
      db
        .select()
        .from(memories)
        .where(and(eq(memories.teamId, this.#teamId), gt(memories.seq, applied), everPublic))
        .orderBy(memories.seq)
        .limit(pageSize),
      db
        .select({ memoryId: outbox.memoryId })
        .from(outbox)
        .where(and(eq(outbox.teamId, this.#teamId), gt(outbox.seq, applied), eq(outbox.op, "erase"))),
    ]);
    let versionsRead = 0;
    const cut = publicOnly ? -1 : changed.findIndex(({ version }, i) => (versionsRead += version) > maxPageVersions && i > 0);
    const rows = cut === -1 ? changed : changed.slice(0, cut);
    const past = await this.#past(publicOnly ? [] : rows.filter((row) => row.version > 1).map((row) => row.id));
    const chains = rows.map((row) => chainOf(row, past.get(row.id) ?? []));
    const done = rows.length < pageSize && cut === -1;
    const upTo = done ? (counter[0]?.seq ?? 0) : (rows.at(-1)?.seq ?? applied);
    return { chains, erased: gone.map(({ memoryId }) => memoryId), upTo, done };
  }

  /** One statement, so that its numbers belong together. Of public memories the past does not count. */
  async checksum(publicOnly: boolean): Promise<Checksum> {
    const row = await this.#d1
      .prepare(
        `SELECT coalesce((SELECT seq FROM counters WHERE team_id = ?1), 0) AS seq,
           count(*) AS count, coalesce(sum(version), 0) AS versions, coalesce(sum(alias), 0) AS aliases,
           coalesce(sum(iif(sensitivity = 'secret', 0, length(content))), 0) AS characters,
           iif(?2, 0, (SELECT count(*) FROM versions WHERE team_id = ?1) - count(*)) AS past
         FROM memories WHERE team_id = ?1 AND (NOT ?2 OR visibility = 'public')`,
      )
      .bind(this.#teamId, publicOnly ? 1 : 0)
      .first<Checksum>();
    return row as Checksum;
  }

  async #past(ids: string[]) {
    if (ids.length === 0) return new Map<string, (typeof versions.$inferSelect)[]>();
    const rows = await drizzle(this.#d1)
      .select()
      .from(versions)
      .where(and(eq(versions.teamId, this.#teamId), inArray(versions.memoryId, sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`)))
      .orderBy(versions.version);
    return Map.groupBy(rows, (row) => row.memoryId);
  }
}

/** `chain` may hold later ones than `row`, written since it was read. */
function chainOf(row: typeof memories.$inferSelect, chain: (typeof versions.$inferSelect)[]): Chain {
  const memory = toMemory(row);
  const earlier = chain.filter(({ version }) => version < row.version);
  const at = chain.find(({ version }) => version === row.version)?.at ?? memory.updatedAt;
  return {
    present: toDocument(memory, at),
    past: earlier.map((version, i) => ({
      document: toPastDocument(memory, toVersion(version)),
      untilAt: earlier[i + 1]?.at ?? at,
    })),
  };
}
