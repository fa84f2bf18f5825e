import { and, desc, eq, gte, isNotNull, isNull, lt, lte, ne, or, sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { invalid } from "../../domain/errors.ts";
import { decomposed } from "../../domain/memories/fields.ts";
import type { Examination, Findings, Section } from "../../domain/memories/health-findings.ts";
import type { Memory, Version } from "../../domain/memories/memory.ts";
import { defaultQuota, type TeamQuota } from "../../domain/memories/quota.ts";
import type { Compared, Hydrated, IdempotencyRecord, MemoryFilter, MemoryReading, MemoryStore, Page, PageOf, PublicPlace, TeamStats, VersionName, WriteContext } from "../../domain/memories/memory-store.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { idsIn, live, matching, unexpired, visibleTo } from "./memory-conditions.ts";
import { actOn, auditMemories } from "./memory-audit.ts";
import * as statements from "./memory-sql.ts";
import { OpenedRows } from "./opened-rows.ts";
import { type SealedRows, toMemory } from "./sealed-rows.ts";
import { formerIds, idempotency, memories, versions } from "./shard-schema.ts";
import { readAboutFiles, readFiles } from "./memory-files.ts";
import { examine } from "./memory-health.ts";
import { readStats } from "./memory-stats.ts";
import { countUnembedded, countUnsynced, readEpisodic } from "./memory-tiers.ts";
import { compileKeyPattern, type KeyPattern } from "./key-pattern.ts";
import type { ShardOf } from "./shard-of.ts";
import type { TeamLookup } from "./team-lookup.ts";
import { fromHex } from "./vector-hex.ts";

/** Keys and ids of one answer of D1, some 150 KB. */
const keysAtOnce = 2_000;
/** That one pattern is compared with. */
const mostKeys = 100_000;

function present(archived: boolean | "all" | "quarantined"): SQL | undefined {
  if (archived === "all") return undefined;
  if (archived === "quarantined") return isNotNull(memories.quarantine);
  return archived ? and(isNotNull(memories.archivedAt), isNull(memories.quarantine)) : isNull(memories.archivedAt);
}

/** By the key as it is given, or else as it may have been stored before keys were composed. */
async function inEitherForm(key: string, find: (key: string) => Promise<Memory[]>): Promise<Memory[]> {
  const [found, older] = [await find(key), decomposed(key)];
  return found.length > 0 || older === key ? found : find(older);
}

export class D1MemoryStore implements MemoryStore {
  readonly #shardOf: ShardOf;
  readonly #teamLookup: Pick<TeamLookup, "of">;
  readonly #shards: () => Promise<string[]>;
  readonly #opened: OpenedRows;
  readonly #quota: TeamQuota;

  /** `shards`: all that hold teams. */
  constructor(
    shardOf: ShardOf,
    teamLookup: Pick<TeamLookup, "of">,
    sealed: SealedRows,
    shards: () => Promise<string[]>,
    quota: TeamQuota = defaultQuota,
  ) {
    this.#shardOf = shardOf;
    this.#teamLookup = teamLookup;
    this.#shards = shards;
    this.#quota = quota;
    this.#opened = new OpenedRows(shardOf, sealed);
  }

  #db(principal: Principal) {
    return drizzle(this.#shardOf(principal.shard));
  }

  async lookup(
    principal: Principal,
    what: { idempotencyKey?: string | undefined; named?: { visibilityKey: string; namespace: string; key: string } | undefined },
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

  async #named(principal: Principal, name: { visibilityKey: string; namespace: string; key: string }): Promise<Memory | undefined> {
    const [found] = await inEitherForm(name.key, (key) => this.#namedSo(principal, { ...name, key }));
    return found;
  }

  async #namedSo(principal: Principal, name: { visibilityKey: string; namespace: string; key: string }): Promise<Memory[]> {
    const rows = await this.#shardOf(principal.shard)
      .prepare(statements.named)
      .bind(principal.teamId, principal.userId, name.visibilityKey, name.namespace, name.key)
      .raw();
    return this.#opened.memories(principal, rows.map((row) => statements.fromRaw(row)));
  }

  async lookupMany(
    principal: Principal,
    what: { ids: string[]; named: { visibilityKey: string; namespace: string; key: string }[] },
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
            sql`(${memories.visibilityKey}, ${memories.namespace}, ${memories.key}) IN (SELECT value ->> '$.visibilityKey', value ->> '$.namespace', value ->> '$.key' FROM json_each(${JSON.stringify(what.named)}))`,
          ),
        ),
    ]);
    return this.#opened.memories(principal, [...byId, ...byPlace]);
  }

  async presentIds(principal: Principal, formerIds: string[]): Promise<Map<string, string>> {
    const rows = await this.#shardOf(principal.shard).prepare(statements.presentIds).bind(principal.teamId, principal.userId, JSON.stringify(formerIds)).raw<[string, string]>();
    return new Map(rows.reverse());
  }

  async takenIds(principal: Principal, ids: string[]): Promise<Set<string>> {
    const names = JSON.stringify(ids);
    const answers = await Promise.all(
      (await this.#shards()).map((shard) => this.#shardOf(shard).prepare(statements.takenIds).bind(principal.teamId, principal.userId, names).raw<[string]>()),
    );
    return new Set(answers.flat(2));
  }

  async get(principal: Principal, now: number, ref: string | number): Promise<Memory | undefined> {
    const { teamId } = principal;
    const former = sql`SELECT ${formerIds.memoryId} FROM ${formerIds} WHERE ${formerIds.teamId} = ${teamId} AND ${formerIds.formerId} = ${ref}`;
    const named = typeof ref === "number" ? eq(memories.alias, ref) : sql`${memories.id} IN (SELECT ${ref} UNION ALL ${former})`;
    const rows = await this.#db(principal)
      .select()
      .from(memories)
      .where(and(visibleTo(principal), unexpired(now), named))
      .orderBy(sql`${memories.id} = ${ref} DESC, ${memories.visibilityKey} DESC, ${memories.id}`);
    return (await this.#opened.memories(principal, rows.slice(0, 1)))[0];
  }

  async hydrate(principal: Principal, now: number, ids: string[], compared?: Compared): Promise<Hydrated> {
    const rows = await this.#shardOf(principal.shard)
      .prepare(statements.hydrate)
      .bind(principal.teamId, principal.userId, now, JSON.stringify(ids), compared?.space ?? null, JSON.stringify(compared?.ids ?? []))
      .raw();
    const found = rows.filter((row) => row[2] !== null).map((row) => ({ memory: toMemory(statements.fromRaw(row, 2)), vector: row[1] as string | null }));
    const byId = new Map(found.map(({ memory }) => [memory.id, memory]));
    return {
      memories: ids.flatMap((id) => byId.get(id) ?? []),
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
    return this.#withoutImpostors(found.flat(), byShard);
  }

  /**
   * Two teams may hold one id from before imports gave up ids that another team holds. The memory is then that of the team
   * that created it rather than imported it, and among equals that of the older team: dates and authors may be claimed by an
   * import, the history's own actions and the ids of teams may not.
   */
  async #withoutImpostors(found: Memory[], byShard: ReadonlyMap<string, PublicPlace[]>): Promise<Memory[]> {
    const contested = [...Map.groupBy(found, ({ id }) => id).values()].filter((holders) => holders.length > 1);
    if (contested.length === 0) return found;
    const names = JSON.stringify(contested.flat().map(({ teamId, id }) => ({ teamId, id })));
    const answers = await Promise.all([...byShard.keys()].map((shard) => this.#shardOf(shard).prepare(statements.importedAmong).bind(names).raw<[string, string]>()));
    const imported = new Set(answers.flat().map(([teamId, id]) => `${teamId}/${id}`));
    const isImported = ({ teamId, id }: Memory): number => Number(imported.has(`${teamId}/${id}`));
    const impostors = new Set(contested.flatMap((holders) => holders.sort((a, b) => isImported(a) - isImported(b) || (a.teamId < b.teamId ? -1 : 1)).slice(1)));
    return found.filter((memory) => !impostors.has(memory));
  }

  /** Those of teams of the organization, where they live. An index may be out of date about both; the directory is not. */
  async #inOrganization({ organizationId }: Principal, now: number, places: PublicPlace[]): Promise<PublicPlace[]> {
    const teams = [...new Set(places.map(({ teamId }) => teamId))];
    const teamLookup = new Map(await Promise.all(teams.map(async (id) => [id, await this.#teamLookup.of(id, now)] as const)));
    return places.flatMap(({ id, teamId }) => {
      const home = teamLookup.get(teamId);
      return home?.organizationId === organizationId ? [{ id, teamId, shard: home.shard }] : [];
    });
  }

  byKey(principal: Principal, now: number, key: string, filter: MemoryFilter): Promise<Memory[]> {
    return inEitherForm(key, (form) => this.#byKey(principal, now, form, filter));
  }

  async #byKey(principal: Principal, now: number, key: string, filter: MemoryFilter): Promise<Memory[]> {
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

  async byKeyPattern(principal: Principal, now: number, pattern: string, filter: MemoryFilter, limit: number, archived: PageOf["archived"] = false, before?: string): Promise<Memory[]> {
    const compiled = compileKeyPattern(pattern);
    // Keys that were stored before they were composed.
    const older = compileKeyPattern(decomposed(pattern));
    const among = ({ prefix, prefixEnd }: KeyPattern) => and(prefix ? gte(memories.key, prefix) : undefined, prefixEnd === undefined ? undefined : lt(memories.key, prefixEnd));
    const db = this.#db(principal);
    const matched: string[] = [];
    let looked = 0;
    // The literal prefix narrows by index; the rest of the pattern is matched here, since D1 allows no long GLOB. Only of what
    // matches is more than the key carried: a pattern that matches nothing may look at all the keys of a team.
    for (let below = before; matched.length < limit; ) {
      const rows = await db
        .select({ id: memories.id, key: memories.key })
        .from(memories)
        .where(
          and(
            and(visibleTo(principal), unexpired(now), present(archived)),
            isNotNull(memories.key),
            older.prefix === compiled.prefix ? among(compiled) : or(among(compiled), among(older)),
            matching(filter),
            below === undefined ? undefined : lt(memories.id, below),
          ),
        )
        .orderBy(desc(memories.id))
        .limit(keysAtOnce);
      matched.push(...rows.filter(({ key }) => compiled.matches((key as string).normalize("NFC"))).map(({ id }) => id));
      if (rows.length < keysAtOnce) break;
      looked += rows.length;
      if (looked >= mostKeys) throw invalid(`The pattern ${pattern} was compared with ${looked} keys and has not found enough.`, "Begin it with more of the key, add filters, or search by words.");
      below = rows.at(-1)?.id;
    }
    return this.#matched(principal, now, matched.slice(0, limit), archived);
  }

  /** In the order of the ids; what has changed since it matched may be missing. */
  async #matched(principal: Principal, now: number, ids: string[], archived: boolean | "all" | "quarantined"): Promise<Memory[]> {
    if (ids.length === 0) return [];
    const rows = await this.#db(principal).select().from(memories).where(and(visibleTo(principal), unexpired(now), present(archived), idsIn(memories.id, ids)));
    const byId = new Map(rows.map((row) => [row.id, toMemory(row)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async list(principal: Principal, now: number, filter: MemoryFilter, page: PageOf): Promise<Page<Memory>> {
    const rows = await this.#db(principal)
      .select()
      .from(memories)
      .where(
        and(
          visibleTo(principal),
          unexpired(now),
          present(page.archived ?? false),
          page.secrets === "omit" ? eq(memories.sensitivity, "normal") : undefined,
          matching(filter),
          page.withoutMessages ? sql`NOT (${memories.namespace} GLOB 'thread:*' AND coalesce(${memories.key}, '') GLOB 'messages.*')` : undefined,
          page.below === undefined ? undefined : lt(memories.id, page.below),
        ),
      )
      .orderBy(...(page.order === "importance" ? [desc(memories.importance)] : []), desc(memories.id))
      .limit(page.limit + 1)
      .offset(page.offset ?? 0);
    const shown = rows.slice(0, page.limit);
    const items = page.secrets === "open" ? await this.#opened.memories(principal, shown) : shown.map(toMemory);
    return { items, next: rows.length > page.limit ? items.at(-1)?.id : undefined };
  }

  async history(principal: Principal, now: number, ids: string[], { secrets, only }: { secrets?: "omit"; only?: readonly VersionName[] } = {}): Promise<Map<string, Version[]>> {
    const rows = await this.#db(principal)
      .select({ version: versions, author: authorOfEvolved })
      .from(versions)
      .innerJoin(memories, and(eq(memories.teamId, versions.teamId), eq(memories.id, versions.memoryId)))
      .where(and(visibleTo(principal), unexpired(now), idsIn(memories.id, ids), only && named(only), this.#stateVisible(principal)))
      .orderBy(versions.version);
    const shown = rows.filter(({ version }) => secrets !== "omit" || version.dataKey === null);
    const chains = new Map<string, Version[]>();
    for (const [i, version] of (await this.#opened.versions(principal, shown.map((row) => row.version))).entries()) {
      const { version: { memoryId }, author } = shown[i] as (typeof shown)[number];
      const chain = chains.get(memoryId) ?? [];
      chain.push(author === null ? version : { ...version, author: JSON.parse(author) as NonNullable<Version["author"]> });
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

  async auditRead(principal: Principal, write: WriteContext, { action, ids }: MemoryReading): Promise<void> {
    await auditMemories(this.#shardOf(principal.shard), principal, write, { action, ...actOn(ids) }).run();
  }

  count(principal: Principal, now: number, filter: MemoryFilter = {}): Promise<number> {
    return this.#db(principal).$count(memories, and(live(principal, now), matching(filter)));
  }

  stats(principal: Principal, now: number, filter: MemoryFilter = {}): Promise<TeamStats> {
    const asked = matching(filter);
    const conditions = { live: and(live(principal, now), asked) as SQL, visible: and(visibleTo(principal), unexpired(now), asked) as SQL };
    return readStats(this.#db(principal), principal, now, { ...conditions, quota: this.#quota });
  }

  examine<S extends Section>(principal: Principal, now: number, examination: Examination<S>): Promise<Pick<Findings, S>> {
    return examine(this.#shardOf(principal.shard), principal, now, examination);
  }

  files(principal: Principal, now: number, which: { text: string; namespace: string | undefined; limit: number }): Promise<string[]> {
    return readFiles(this.#shardOf(principal.shard), principal, now, which);
  }

  aboutFiles(principal: Principal, now: number, which: { paths: string[]; limit: number }): Promise<string[]> {
    return readAboutFiles(this.#shardOf(principal.shard), principal, now, which);
  }

  async episodic(principal: Principal, now: number, which: { privateOnly: boolean; limit: number }): Promise<Memory[]> {
    return (await readEpisodic(this.#db(principal), principal, live(principal, now), which)).map(toMemory);
  }

  countUnsynced(principal: Principal, now: number, which: { privateOnly: boolean }): Promise<number> {
    return countUnsynced(this.#db(principal), principal, live(principal, now), which);
  }

  countUnembedded(principal: Principal, now: number, since: number): Promise<number> {
    return countUnembedded(this.#db(principal), principal, live(principal, now), since);
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

/** As JSON, of versions that upkeep made; null of all others. */
const authorOfEvolved = sql<string | null>`CASE WHEN ${versions.action} = 'evolve' THEN (
  SELECT json_object('actorId', w.actor_id, 'tool', w.tool) FROM versions w WHERE w.team_id = ${versions.teamId} AND w.memory_id = ${versions.memoryId}
    AND w.version < ${versions.version} AND w.action <> 'evolve' ORDER BY w.version DESC LIMIT 1) END`;

const named = (only: readonly VersionName[]): SQL =>
  sql`(${versions.memoryId}, ${versions.version}) IN (SELECT value ->> '$.id', value ->> '$.version' FROM json_each(${JSON.stringify(only)}))`;
