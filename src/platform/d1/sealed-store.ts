import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import type { MemoryState } from "../../domain/memories/memory.ts";
import type { SealedStore } from "../../domain/secrets/team-key-store.ts";
import { fromRaw, jsonArrays, reviseVersions, selectList, toRow } from "./memory-sql.ts";
import type { SealedText, TextBox } from "../../domain/secrets/sealed-text.ts";
import { aboutOf } from "./job-store.ts";
import type { ShardOf } from "./shard-of.ts";
import type { SealedRows, StoredState, StoredVersion } from "./sealed-rows.ts";
import { memories } from "./shard-schema.ts";

/** `?1` team, `?2` number of the current data key, `?3` limit. */
const outdatedMemories = `SELECT ${selectList} FROM memories m
  WHERE m.team_id = ?1 AND m.sensitivity = 'secret' AND (m.data_key IS NULL OR m.data_key <> ?2) LIMIT ?3`;
const versionColumns = "v.team_id AS teamId, v.memory_id AS memoryId, v.version, v.at, v.actor_id AS actorId, v.tool, v.action, v.state, v.data_key AS dataKey";
/** Adds the sensitivity of the memory as it is now. */
const outdatedVersions = `SELECT ${versionColumns}, m.sensitivity FROM versions v CROSS JOIN memories m ON m.team_id = v.team_id AND m.id = v.memory_id
    WHERE v.team_id = ?1 AND v.data_key IS NOT NULL AND v.data_key <> ?2
  UNION ALL
  SELECT ${versionColumns}, m.sensitivity FROM memories m CROSS JOIN versions v ON v.team_id = m.team_id AND v.memory_id = m.id
    WHERE m.team_id = ?1 AND m.sensitivity = 'secret' AND v.data_key IS NULL
  LIMIT ?3`;
const outdatedProposals = `SELECT team_id AS teamId, id, memory_id AS memoryId, version, proposed, data_key AS dataKey FROM proposals
  WHERE team_id = ?1 AND data_key IS NOT NULL AND data_key <> ?2 LIMIT ?3`;
const unsealedTeams = `SELECT DISTINCT m.team_id AS teamId FROM memories m WHERE m.sensitivity = 'secret' AND (m.data_key IS NULL
    OR EXISTS (SELECT 1 FROM versions v WHERE v.team_id = m.team_id AND v.memory_id = m.id AND v.data_key IS NULL)) LIMIT ?1`;

/** No version of its own: nothing that anybody sees changes. Adds: ?2 rows of memories with `was`. */
const resealMemories = `UPDATE memories SET content = e.value ->> '$.content', value = e.value ->> '$.value', summary = e.value ->> '$.summary',
    metadata = e.value ->> '$.metadata', keywords = e.value ->> '$.keywords', related_files = e.value ->> '$.relatedFiles',
    citations = e.value ->> '$.citations',
    compressed = e.value ->> '$.compressed', data_key = e.value ->> '$.dataKey'
  FROM json_each(?2) e WHERE memories.team_id = ?1 AND memories.id = e.value ->> '$.id' AND memories.version = e.value ->> '$.version'
    AND memories.data_key IS e.value ->> '$.was'`;

/** Adds: ?2 `[{id, was, dataKey, state}]`. */
const resealProposals = `UPDATE proposals SET proposed = e.value ->> '$.state', data_key = e.value ->> '$.dataKey' FROM json_each(?2) e
  WHERE proposals.team_id = ?1 AND proposals.id = e.value ->> '$.id' AND proposals.data_key IS e.value ->> '$.was'`;

/** A piece of a job is a row of its own in a statement: it may be as large as D1 takes. */
const piecesAtOnce = 10;
const outdatedPieces = "SELECT job_id AS jobId, number, data_key AS dataKey, sealed FROM job_pieces WHERE team_id = ?1 AND data_key <> ?2 LIMIT ?3 + 0";
const resealPiece = "UPDATE job_pieces SET data_key = ?5, sealed = ?6 WHERE team_id = ?1 AND job_id = ?2 AND number = ?3 AND data_key = ?4";

type VersionRow = Omit<StoredVersion, "state"> & { state: string; sensitivity: MemoryState["sensitivity"] };

/** Brings what is sealed to the team's current data key, some rows at a time. */
export class D1SealedStore implements SealedStore {
  readonly #shardOf: ShardOf;
  readonly #sealed: SealedRows;
  readonly #texts: TextBox;

  constructor(shardOf: ShardOf, sealed: SealedRows, texts: TextBox) {
    this.#shardOf = shardOf;
    this.#sealed = sealed;
    this.#texts = texts;
  }

  async reseal(team: TeamRef, current: number, limit: number): Promise<number> {
    const d1 = this.#shardOf(team.shard);
    const found = (await d1.prepare(outdatedMemories).bind(team.teamId, current, limit).raw()).map((row) => fromRaw(row));
    const opened = await this.#sealed.memories(found);
    const rows = (await Promise.all(opened.map(async (memory, i) => (memory.redaction ? [] : { ...toRow(memories, await this.#sealed.rowOf(memory)), was: found[i]?.dataKey ?? null })))).flat();
    if (rows.length > 0) {
      await d1.batch(jsonArrays(rows).map((json) => d1.prepare(resealMemories).bind(team.teamId, json)));
      return rows.length;
    }
    // What cannot be opened holds up nothing but the end, so that its key is kept.
    let refused = opened[0]?.redaction;
    const { results } = await d1.prepare(outdatedVersions).bind(team.teamId, current, limit).all<VersionRow>();
    const versions = (await Promise.all(
      results.map(async ({ sensitivity, state, ...row }) => {
        const version = await this.#sealed.version({ ...row, state: JSON.parse(state) as StoredVersion["state"] });
        if (version.redaction) {
          refused = version.redaction;
          return [];
        }
        const sealed = await this.#sealed.versionOf({ id: row.memoryId, teamId: team.teamId, sensitivity }, version);
        return { memoryId: row.memoryId, version: row.version, was: row.dataKey, dataKey: sealed.dataKey, state: JSON.stringify(sealed.state) };
      }),
    )).flat();
    if (versions.length > 0) await d1.batch(jsonArrays(versions).map((json) => d1.prepare(reviseVersions).bind(team.teamId, json)));
    const count = versions.length || (await this.#resealProposals(d1, team.teamId, current, limit));
    if (count === 0 && refused) throw refused;
    return count;
  }

  async #resealProposals(d1: D1Database, teamId: string, current: number, limit: number): Promise<number> {
    const { results } = await d1.prepare(outdatedProposals).bind(teamId, current, limit).all<Omit<StoredState, "proposed"> & { proposed: string }>();
    const rows = await Promise.all(
      results.map(async (row) => {
        const { state, dataKey } = await this.#sealed.resealed({ ...row, proposed: JSON.parse(row.proposed) as Record<string, unknown> });
        return { id: row.id, was: row.dataKey, dataKey, state: JSON.stringify(state) };
      }),
    );
    if (rows.length > 0) await d1.batch(jsonArrays(rows).map((json) => d1.prepare(resealProposals).bind(teamId, json)));
    return rows.length > 0 ? rows.length : this.#resealPieces(d1, teamId, current);
  }

  async #resealPieces(d1: D1Database, teamId: string, current: number): Promise<number> {
    const { results } = await d1.prepare(outdatedPieces).bind(teamId, current, piecesAtOnce).all<SealedText & { jobId: string; number: number }>();
    const sealed = await Promise.all(
      results.map(async ({ jobId, number, ...was }) => {
        const about = aboutOf(jobId, number);
        return { jobId, number, was: was.dataKey, ...(await this.#texts.seal(teamId, about, await this.#texts.open(teamId, about, was))) };
      }),
    );
    if (sealed.length > 0) await d1.batch(sealed.map((row) => d1.prepare(resealPiece).bind(teamId, row.jobId, row.number, row.was, row.dataKey, row.sealed)));
    return sealed.length;
  }

  async unsealedTeams(shard: string, limit: number): Promise<string[]> {
    const { results } = await this.#shardOf(shard).prepare(unsealedTeams).bind(limit).all<{ teamId: string }>();
    return results.map(({ teamId }) => teamId);
  }
}
