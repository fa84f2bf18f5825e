/** What the graph must know of a memory, from the object's copy of the present version. */
export interface MemoryRow {
  id: string;
  /** '' for what the team shares, otherwise the owner's id. */
  home: string;
  key: string | null;
  /** Empty for a secret. */
  content: string;
  archivedAt: number | null;
  expiresAt: number | null;
  secret: boolean;
  quarantined: boolean;
  updatedBy: string;
}

/** Reads of the object's `docs` table, which the graph asks for what it does not hold itself. */
export interface MemoryRows {
  get(memoryId: string): MemoryRow | undefined;
}

/** The object's `docs` table as the writes of the graph see it. */
export interface PresentVersions {
  /** By memory id; a memory that is gone is missing. */
  versionsOf(memoryIds: readonly string[]): Map<string, number>;
}

export class PresentVersionsOfDocs implements PresentVersions {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  versionsOf(memoryIds: readonly string[]): Map<string, number> {
    if (memoryIds.length === 0) return new Map();
    // A team's object holds one team; the teams it has come to know are there for the index of `docs`.
    const rows = this.#sql.exec<{ id: string; version: number }>(
      `SELECT j.value AS id, d.version AS version FROM json_each(?) j CROSS JOIN sources s
         CROSS JOIN docs d ON d.team_id = s.team_id AND d.memory_id = j.value AND d.until_at IS NULL`,
      JSON.stringify(memoryIds),
    );
    return new Map(rows.toArray().map(({ id, version }) => [id, version]));
  }
}

/** A team's object holds the rows of one team. */
export class MemoryRowsOfDocs implements MemoryRows {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(memoryId: string): MemoryRow | undefined {
    const [row] = this.#sql
      .exec<{ visibility: string; owner_id: string; key: string | null; archived: number; updated_at: number; expires_at: number | null; secret: number; author_id: string; content: string | null; quarantined: number }>(
        `SELECT d.visibility, d.owner_id, d.key, d.archived, d.updated_at, d.expires_at, d.secret, d.author_id, d.body ->> '$.content' AS content,
           coalesce(d.body ->> '$.trust.quarantined', 0) AS quarantined
         FROM sources s CROSS JOIN docs d ON d.team_id = s.team_id AND d.memory_id = ? AND d.until_at IS NULL`,
        memoryId,
      )
      .toArray();
    return row && {
      id: memoryId,
      home: row.visibility === "private" ? row.owner_id : "",
      key: row.key,
      content: row.secret === 1 ? "" : (row.content ?? ""),
      archivedAt: row.archived === 1 ? row.updated_at : null,
      expiresAt: row.expires_at,
      secret: row.secret === 1,
      quarantined: row.quarantined === 1,
      updatedBy: row.author_id,
    };
  }
}
