import { and, desc, eq, gte, isNotNull, isNull, lt, lte, ne, sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { NearParts } from "../../domain/graph/ports.ts";
import type { Memory, Version } from "../../domain/memories/memory.ts";
import type {
  Compared,
  Hydrated,
  IdempotencyRecord,
  MemoryFilter,
  MemoryReading,
  MemoryStore,
  MemoryWrite,
  Page,
  PublicPlace,
  TeamStats,
  WriteContext,
} from "../../domain/ports.ts";
import { WriteRace } from "../../domain/ports.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { idsIn, live, matching, unexpired, visibleTo } from "./memory-conditions.ts";
import { actOn, auditMemories } from "./memory-audit.ts";
import * as statements from "./memory-sql.ts";
import { OpenedRows } from "./opened-rows.ts";
import { type SealedRows, toMemory } from "./sealed-rows.ts";
import { idempotency, memories, versions } from "./shard-schema.ts";
import { readStats } from "./memory-stats.ts";
import { compileKeyPattern } from "./key-pattern.ts";
import type { TeamHomes } from "./team-homes.ts";
import { fromHex } from "./vector-hex.ts";

/** D1 database of a shard, by binding name. @throws when a team is assigned to a shard that is not bound */
export type ShardOf = (name: string) => D1Database;

/** Nothing but a lost race breaks these constraints: the chain of versions, the unique key, the idempotency key. */
export const isRace = (error: unknown): boolean =>
  /(?:UNIQUE|FOREIGN KEY) constraint failed|NOT NULL constraint failed: (?:memories\.version|outbox\.memory_id|proposals\.state)/.test(
    error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : "",
  );

export class D1MemoryStore implements MemoryStore {
  readonly #shardOf: ShardOf;
  readonly #homes: Pick<TeamHomes, "of">;
  readonly #sealed: SealedRows;
  readonly #opened: OpenedRows;

  constructor(shardOf: ShardOf, homes: Pick<TeamHomes, "of">, sealed: SealedRows) {
    this.#shardOf = shardOf;
    this.#homes = homes;
    this.#sealed = sealed;
    this.#opened = new OpenedRows(shardOf, sealed);
  }

  #db(principal: Principal) {
    return drizzle(this.#shardOf(principal.shard));
  }

  async lookup(
    principal: Principal,
    what: { idempotencyKey?: string; named?: { home: string; namespace: string; key: string } },
  ): Promise<{ prior: IdempotencyRecord | undefined; existing: Memory | undefined }> {
    const [prior, existing] = await Promise.all([
      what.idempotencyKey === undefined ? undefined : this.#prior(principal, what.idempotencyKey),
      what.named === undefined ? undefined : this.#named(principal, what.named),
    ]);
    return { prior, existing };
  }

  async #prior(principal: Principal, key: string): Promise<IdempotencyRecord | undefined> {
    const rows = await this.#db(principal)
      .select()
      .from(idempotency)
      .where(and(eq(idempotency.teamId, principal.teamId), eq(idempotency.userId, principal.userId), eq(idempotency.key, key)));
    return rows[0];
  }

  async #named(principal: Principal, name: { home: string; namespace: string; key: string }): Promise<Memory | undefined> {
    const rows = await this.#shardOf(principal.shard)
      .prepare(statements.named)
      .bind(principal.teamId, principal.userId, name.home, name.namespace, name.key)
      .raw();
    return (await this.#opened.memories(principal, rows.map((row) => statements.fromRaw(row))))[0];
  }

  async lookupMany(
    principal: Principal,
    what: { ids: string[]; named: { home: string; namespace: string; key: string }[] },
  ): Promise<Memory[]> {
    const db = this.#db(principal);
    const [byId, byPlace] = await db.batch([
      db.select().from(memories).where(and(visibleTo(principal), idsIn(memories.id, what.ids))),
      db
        .select()
        .from(memories)
        .where(
          and(
            visibleTo(principal),
            isNull(memories.archivedAt),
            sql`(${memories.home}, ${memories.namespace}, ${memories.key}) IN (SELECT value ->> '$.home', value ->> '$.namespace', value ->> '$.key' FROM json_each(${JSON.stringify(what.named)}))`,
          ),
        ),
    ]);
    return this.#opened.memories(principal, [...byId, ...byPlace]);
  }

  async get(principal: Principal, now: number, ref: string | number): Promise<Memory | undefined> {
    const named = typeof ref === "number" ? eq(memories.alias, ref) : eq(memories.id, ref);
    const rows = await this.#db(principal)
      .select()
      .from(memories)
      .where(and(visibleTo(principal), unexpired(now), named));
    return (await this.#opened.memories(principal, rows))[0];
  }

  async hydrate(principal: Principal, now: number, ids: string[], told: NearParts = { entities: [], relationships: [] }, compared?: Compared): Promise<Hydrated> {
    const parts = [told.entities, told.relationships];
    const isTold = parts.some((part) => part.length > 0);
    const rows = await this.#shardOf(principal.shard)
      .prepare(isTold ? statements.hydrateTold : statements.hydrate)
      .bind(principal.teamId, principal.userId, now, JSON.stringify(ids), compared?.space ?? null, JSON.stringify(compared?.ids ?? []), ...(isTold ? parts.map((part) => JSON.stringify(part)) : []))
      .raw();
    const found = rows.filter((row) => row[2] !== null).map((row) => ({ memory: toMemory(statements.fromRaw(row, 2)), vector: row[1] as string | null }));
    const byId = new Map(found.map(({ memory }) => [memory.id, memory]));
    const asked = new Set(ids);
    return {
      memories: [...ids.flatMap((id) => byId.get(id) ?? []), ...[...byId.values()].filter(({ id }) => !asked.has(id))],
      vectors: new Map(found.flatMap(({ memory, vector }) => (vector === null ? [] : [[memory.id, fromHex(vector)] as const]))),
      seq: Number(rows[0]?.[0] ?? 0),
    };
  }

  async hydratePublic(principal: Principal, now: number, places: PublicPlace[]): Promise<Memory[]> {
    const byShard = Map.groupBy(await this.#inOrganization(principal, now, places), (place) => place.shard);
    const found = await Promise.all(
      [...byShard].map(async ([shard, group]) => {
        const rows = await drizzle(this.#shardOf(shard))
          .select()
          .from(memories)
          .where(
            and(
              ne(memories.teamId, principal.teamId),
              eq(memories.visibility, "public"),
              unexpired(now),
              isNull(memories.archivedAt),
              sql`NOT EXISTS (SELECT 1 FROM team_policies p WHERE p.team_id = ${memories.teamId} AND p.closed_at IS NOT NULL)`,
              sql`(${memories.teamId}, ${memories.id}) IN (SELECT value ->> '$.teamId', value ->> '$.id' FROM json_each(${JSON.stringify(group)}))`,
            ),
          );
        return this.#opened.memories({ ...principal, shard }, rows);
      }),
    );
    return found.flat();
  }

  /** Those of teams of the organization, where they live. An index may be out of date about both; the directory is not. */
  async #inOrganization({ organizationId }: Principal, now: number, places: PublicPlace[]): Promise<PublicPlace[]> {
    const teams = [...new Set(places.map(({ teamId }) => teamId))];
    const homes = new Map(await Promise.all(teams.map(async (id) => [id, await this.#homes.of(id, now)] as const)));
    return places.flatMap(({ id, teamId }) => {
      const home = homes.get(teamId);
      return home?.organizationId === organizationId ? [{ id, teamId, shard: home.shard }] : [];
    });
  }

  async byKey(principal: Principal, now: number, key: string, filter: MemoryFilter): Promise<Memory[]> {
    if (Object.keys(filter).length === 0) {
      const rows = await this.#shardOf(principal.shard).prepare(statements.byKey).bind(principal.teamId, principal.userId, now, key).raw();
      return this.#opened.memories(principal, rows.map((row) => statements.fromRaw(row)));
    }
    const rows = await this.#db(principal)
      .select()
      .from(memories)
      .where(and(live(principal, now), eq(memories.key, key), matching(filter)))
      .orderBy(sql.raw(statements.orderOfKeys));
    return this.#opened.memories(principal, rows);
  }

  async byKeyPattern(principal: Principal, now: number, pattern: string, filter: MemoryFilter, limit: number): Promise<Memory[]> {
    const compiled = compileKeyPattern(pattern);
    const db = this.#db(principal);
    const found: Memory[] = [];
    // The literal prefix narrows by index; the rest of the pattern is matched here, since D1 allows no long GLOB.
    for (let below: string | undefined; found.length < limit; ) {
      const rows = await db
        .select()
        .from(memories)
        .where(
          and(
            live(principal, now),
            isNotNull(memories.key),
            compiled.prefix ? gte(memories.key, compiled.prefix) : undefined,
            compiled.prefixEnd === undefined ? undefined : lt(memories.key, compiled.prefixEnd),
            matching(filter),
            below === undefined ? undefined : lt(memories.id, below),
          ),
        )
        .orderBy(desc(memories.id))
        .limit(500);
      found.push(...rows.filter((row) => compiled.matches(row.key as string)).map(toMemory));
      if (rows.length < 500) break;
      below = rows.at(-1)?.id;
    }
    return found.slice(0, limit);
  }

  async list(
    principal: Principal,
    now: number,
    filter: MemoryFilter,
    page: { below: string | undefined; limit: number; archived?: boolean | "all"; secrets?: "open" | "omit" },
  ): Promise<Page<Memory>> {
    const rows = await this.#db(principal)
      .select()
      .from(memories)
      .where(
        and(
          visibleTo(principal),
          unexpired(now),
          page.archived === "all" ? undefined : page.archived ? isNotNull(memories.archivedAt) : isNull(memories.archivedAt),
          page.secrets === "omit" ? eq(memories.sensitivity, "normal") : undefined,
          matching(filter),
          page.below === undefined ? undefined : lt(memories.id, page.below),
        ),
      )
      .orderBy(desc(memories.id))
      .limit(page.limit + 1);
    const shown = rows.slice(0, page.limit);
    const items = page.secrets === "open" ? await this.#opened.memories(principal, shown) : shown.map(toMemory);
    return { items, next: rows.length > page.limit ? items.at(-1)?.id : undefined };
  }

  async history(principal: Principal, now: number, ids: string[], options: { secrets?: "omit" } = {}): Promise<Map<string, Version[]>> {
    const rows = await this.#db(principal)
      .select({ version: versions })
      .from(versions)
      .innerJoin(memories, and(eq(memories.teamId, versions.teamId), eq(memories.id, versions.memoryId)))
      .where(and(visibleTo(principal), unexpired(now), idsIn(memories.id, ids), this.#stateVisible(principal)))
      .orderBy(versions.version);
    const shown = rows.filter(({ version }) => options.secrets !== "omit" || version.dataKey === null);
    const chains = new Map<string, Version[]>();
    for (const [i, version] of (await this.#opened.versions(principal, shown.map((row) => row.version))).entries()) {
      const { memoryId } = (shown[i] as (typeof shown)[number]).version;
      const chain = chains.get(memoryId) ?? [];
      chain.push(version);
      chains.set(memoryId, chain);
    }
    return chains;
  }

  /** A version from the time when a memory was somebody's private one stays that person's. */
  #stateVisible(principal: Principal): SQL {
    return sql`(${versions.state} ->> '$.visibility' <> 'private' OR ${versions.state} ->> '$.ownerId' = ${principal.userId})`;
  }

  async statesAt(principal: Principal, now: number, at: number, ids: string[]): Promise<{ id: string; version: Version }[]> {
    const rows = await this.#db(principal)
      .select({ version: versions })
      .from(versions)
      .innerJoin(memories, and(eq(memories.teamId, versions.teamId), eq(memories.id, versions.memoryId)))
      .where(
        and(
          visibleTo(principal),
          unexpired(now),
          idsIn(memories.id, ids),
          lte(versions.at, at),
          sql`${versions.version} = (SELECT max(v.version) FROM versions v WHERE v.team_id = ${versions.teamId} AND v.memory_id = ${versions.memoryId} AND v.at <= ${at})`,
          this.#stateVisible(principal),
          sql`${versions.state} ->> '$.archivedAt' IS NULL`,
          sql`coalesce(${versions.state} ->> '$.expiresAt' > ${at}, 1)`,
        ),
      );
    const opened = await this.#opened.versions(principal, rows.map(({ version }) => version));
    const byId = new Map(rows.map(({ version }, i) => [version.memoryId, opened[i]]));
    return ids.flatMap((id) => {
      const version = byId.get(id);
      return version ? [{ id, version }] : [];
    });
  }

  async commit(principal: Principal, write: WriteContext, writes: MemoryWrite[], once?: IdempotencyRecord): Promise<Memory[]> {
    const d1 = this.#shardOf(principal.shard);
    const { teamId } = principal;
    const count = writes.length;
    const rows = (await Promise.all(writes.map(({ memory }) => this.#sealed.rowOf(memory)))).map((row) => statements.toRow(memories, row));
    const actions = Object.fromEntries(writes.map(({ memory, action }) => [memory.id, action]));
    // The organization's index must also hear of memories that stop being public.
    const known = writes.filter(({ memory }) => memory.version > 1).map(({ memory }) => memory.id);
    const history = await Promise.all(
      writes.flatMap(({ memory, history: earlier = [] }) =>
        earlier.map(async (version, i) =>
          statements.toRow(versions, {
            ...version,
            ...(await this.#sealed.versionOf({ ...memory, teamId }, version)),
            teamId,
            memoryId: memory.id,
            prevVersion: i === 0 ? null : version.version - 1,
            requestId: write.requestId,
          }),
        ),
      ),
    );
    const turned = await this.#turned(d1, writes);
    const batch = [
      d1.prepare(statements.takeSequence).bind(teamId, count),
      d1.prepare(statements.upsertMemories).bind(teamId, JSON.stringify(rows), count),
      ...statements.jsonArrays(history).map((rows) => d1.prepare(statements.insertHistory).bind(rows)),
      ...statements.jsonArrays(turned).map((rows) => d1.prepare(statements.reviseVersions).bind(teamId, rows)),
      d1.prepare(statements.insertVersions).bind(teamId, count, JSON.stringify(actions), write.requestId),
      ...(known.length ? [d1.prepare(statements.dropTags).bind(teamId, count)] : []),
      d1.prepare(statements.insertTags).bind(teamId, count),
      d1.prepare(statements.insertOutbox).bind(teamId, count, JSON.stringify(known)),
      auditMemories(d1, principal, write, { action: actionOf(writes), ...actOn(writes.map(({ memory }) => memory.id)) }),
      ...writes.flatMap(({ proposal }) => (proposal === undefined ? [] : [d1.prepare(statements.fulfilProposal).bind(teamId, proposal, principal.userId, write.now)])),
      ...(once ? [this.#idempotency(d1, principal, write.now, once)] : []),
    ];
    const last = await this.#run(d1, batch);
    // A new memory arrives with alias 0 and is named after the number its creation took.
    return writes.map(({ memory }, i) => {
      const seq = last - count + 1 + i;
      return { ...memory, seq, alias: memory.alias || seq };
    });
  }

  /** Earlier versions of what becomes secret, or is none any more, as they are to be from now on. */
  async #turned(d1: D1Database, writes: MemoryWrite[]): Promise<Record<string, unknown>[]> {
    const turning = writes.filter(({ memory, before, action }) => memory.version > 1 && action !== "import" && before?.sensitivity !== memory.sensitivity).map(({ memory }) => memory);
    if (turning.length === 0) return [];
    const byId = new Map(turning.map((memory) => [memory.id, memory]));
    const rows = await drizzle(d1)
      .select()
      .from(versions)
      .where(and(eq(versions.teamId, turning[0]?.teamId ?? ""), idsIn(sql`${versions.memoryId}`, [...byId.keys()])));
    return this.#sealed.turned(rows, byId);
  }

  async erase(principal: Principal, write: WriteContext, doomed: Memory[]): Promise<{ ids: string[]; lastSeq: number }> {
    const d1 = this.#shardOf(principal.shard);
    const ids = doomed.map((memory) => memory.id);
    const tombstones = doomed.map(({ id, version, visibility }) => ({ id, version, isPublic: visibility === "public" ? 1 : 0 }));
    const lastSeq = await this.#run(d1, [
      d1.prepare(statements.takeSequence).bind(principal.teamId, ids.length),
      d1.prepare(statements.insertTombstones).bind(principal.teamId, JSON.stringify(tombstones), ids.length, write.now),
      d1.prepare(statements.deleteIdempotency).bind(principal.teamId, JSON.stringify(ids)),
      d1.prepare(statements.deleteMemories).bind(principal.teamId, JSON.stringify(ids)),
      auditMemories(d1, principal, write, { action: "erase", ...actOn(ids) }),
    ]);
    return { ids, lastSeq };
  }

  async settle(principal: Principal, now: number, once: IdempotencyRecord): Promise<void> {
    const d1 = this.#shardOf(principal.shard);
    try {
      await this.#idempotency(d1, principal, now, once).run();
    } catch (error) {
      throw isRace(error) ? new WriteRace() : error;
    }
  }

  #idempotency(d1: D1Database, principal: Principal, now: number, { key, requestHash, memoryId, version, outcome }: IdempotencyRecord) {
    return d1
      .prepare(statements.insertIdempotency)
      .bind(principal.teamId, principal.userId, key, requestHash, memoryId, version, outcome, now);
  }

  async note(principal: Principal, write: WriteContext, { action, ids }: MemoryReading): Promise<void> {
    await auditMemories(this.#shardOf(principal.shard), principal, write, { action, ...actOn(ids) }).run();
  }

  /** Runs the batch, one transaction, whose first statement answers the last sequence number taken. */
  async #run(d1: D1Database, batch: D1PreparedStatement[]): Promise<number> {
    try {
      const [taken] = (await d1.batch<{ seq: number }>(batch)) as [D1Result<{ seq: number }>];
      return (taken.results as [{ seq: number }])[0].seq;
    } catch (error) {
      if (isRace(error)) throw new WriteRace();
      throw error;
    }
  }

  stats(principal: Principal, now: number): Promise<TeamStats> {
    return readStats(this.#db(principal), principal, now, live(principal, now), visibleTo(principal));
  }

  async recordAccess(principal: Principal, now: number, ids: string[]): Promise<void> {
    const counts: Record<string, number> = {};
    for (const id of ids) counts[id] = (counts[id] ?? 0) + 1;
    await this.#db(principal)
      .update(memories)
      .set({ accessCount: sql`${memories.accessCount} + (${JSON.stringify(counts)} ->> ('$."' || ${memories.id} || '"'))`, accessedAt: now })
      .where(and(visibleTo(principal), idsIn(memories.id, Object.keys(counts))));
  }
}

/** What was done to all of them; an import does several things at once. */
const actionOf = (writes: MemoryWrite[]): MemoryWrite["action"] => {
  const [first, ...others] = writes.map(({ action }) => action);
  return first !== undefined && others.every((action) => action === first) ? first : "import";
};
