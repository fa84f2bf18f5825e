import { maySee } from "../../domain/memories/policy.ts";
import type { Visibility } from "../../domain/memories/memory.ts";
import type { Viewer } from "./search.ts";

/** What stays in memory, bytes: the rows of some 15,000 short memories. */
const maxBytes = 16 * 2 ** 20;
/** About what a row takes beside its body: five strings, its places in two maps, and two objects. */
const headBytes = 350;
/** The engine keeps a text of these alone in one byte a character, any other in two. */
const isLatin = /^[\0-\xff]*$/;

/** The present version of a memory that is not archived. */
type PresentRow = {
  id: string;
  teamId: string;
  shard: string;
  visibility: Visibility;
  ownerId: string;
  expiresAt: number | null;
};
type Columns = PresentRow & { slot: number | null };

const columns = `d.slot AS slot, d.memory_id AS id, d.team_id AS teamId, s.shard AS shard, d.visibility AS visibility, d.owner_id AS ownerId, d.expires_at AS expiresAt`;

interface Entry {
  /** Undefined: nothing present has this slot, and nothing ever will. */
  row: PresentRow | undefined;
  body: string | undefined;
  bytes: number;
  /** Since it was last passed over when room was made. */
  used: boolean;
}

/** As `allowed` says in SQL, without a filter. */
export const mayFind = ({ viewer, now, othersOnly }: { viewer: Viewer; now: number; othersOnly: boolean }, row: PresentRow): boolean =>
  (row.teamId !== viewer.teamId) === othersOnly
  && maySee({ userId: viewer.userId, teamId: row.teamId }, row)
  && (row.expiresAt === null || row.expiresAt > now);

/**
 * Rows that were read of late, by their slots in the text index. A row gives up its slot with every change of itself or of its
 * context and none is used twice, so a row holds until `drop` is told of its slot. Whoever takes a transaction back calls `clear`.
 */
export class PresentRows {
  readonly #sql: SqlStorage;
  /** In a queue in which those that were used since their last turn take another (the clock algorithm): a use moves nothing. */
  readonly #entries = new Map<number, Entry>();
  readonly #slots = new Map<string, number>();
  #bytes = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Those of the slots that present rows have. */
  bySlot(slots: readonly number[]): Map<number, PresentRow> {
    const found = new Map<number, PresentRow>();
    const missing: number[] = [];
    for (const slot of slots) {
      const entry = this.#used(slot);
      if (!entry) missing.push(slot);
      else if (entry.row) found.set(slot, entry.row);
    }
    if (missing.length === 0) return found;
    const read = this.#sql.exec<Columns & { slot: number }>(
      `SELECT ${columns} FROM json_each(?) j CROSS JOIN docs d ON d.slot = j.value CROSS JOIN sources s ON s.team_id = d.team_id WHERE d.until_at IS NULL`,
      JSON.stringify(missing),
    );
    for (const { slot, ...row } of read.toArray()) found.set(slot, row);
    for (const slot of missing) this.#put(slot, found.get(slot), undefined);
    this.#evict();
    return found;
  }

  /** By id, with their bodies. */
  ofTeam(teamId: string, ids: readonly string[]): Map<string, { row: PresentRow; body: string }> {
    const found = new Map<string, { row: PresentRow; body: string }>();
    const missing: string[] = [];
    for (const id of ids) {
      const slot = this.#slots.get(id);
      const { row, body } = (slot === undefined ? undefined : this.#used(slot)) ?? {};
      if (row?.teamId === teamId && body !== undefined) found.set(id, { row, body });
      else missing.push(id);
    }
    if (missing.length === 0) return found;
    const read = this.#sql.exec<Columns & { body: string }>(
      `SELECT ${columns}, d.body AS body FROM json_each(?2) j CROSS JOIN docs d ON d.team_id = ?1 AND d.memory_id = j.value AND d.until_at IS NULL
       CROSS JOIN sources s ON s.team_id = d.team_id WHERE d.archived = 0`,
      teamId, JSON.stringify(missing),
    );
    for (const { slot, body, ...row } of read.toArray()) {
      found.set(row.id, { row, body });
      if (slot !== null) this.#put(slot, row, body);
    }
    this.#evict();
    return found;
  }

  drop(slot: number): void {
    const entry = this.#entries.get(slot);
    if (!entry) return;
    this.#entries.delete(slot);
    this.#bytes -= entry.bytes;
    if (entry.row && this.#slots.get(entry.row.id) === slot) this.#slots.delete(entry.row.id);
  }

  clear(): void {
    this.#entries.clear();
    this.#slots.clear();
    this.#bytes = 0;
  }

  #used(slot: number): Entry | undefined {
    const entry = this.#entries.get(slot);
    if (entry) entry.used = true;
    return entry;
  }

  #put(slot: number, row: PresentRow | undefined, body: string | undefined): void {
    this.drop(slot);
    const bytes = headBytes + (body === undefined ? 0 : isLatin.test(body) ? body.length : 2 * body.length);
    this.#entries.set(slot, { row, body, bytes, used: false });
    this.#bytes += bytes;
    if (row) this.#slots.set(row.id, slot);
  }

  #evict(): void {
    // Comes by again at what it puts behind the others.
    for (const [slot, entry] of this.#entries) {
      if (this.#bytes <= maxBytes) return;
      if (!entry.used) {
        this.drop(slot);
        continue;
      }
      entry.used = false;
      this.#entries.delete(slot);
      this.#entries.set(slot, entry);
    }
  }
}
