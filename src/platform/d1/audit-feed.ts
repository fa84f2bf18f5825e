import { drizzle } from "drizzle-orm/d1";
import { type AuditEvent, clientName, watchedActions } from "../../domain/audit/anomalies.ts";
import type { AuditFeed, LastRead, WatchProgress } from "../../domain/audit/watch.ts";
import { directorySource } from "./audit-store.ts";
import type { ShardOf } from "./shard-of.ts";
import { shardNames } from "./shard-names.ts";

/** A window that holds more than this has given its alert long ago. */
const maxInWindow = 4_000;

/** ?1 the last entry judged, ?2 how many to read. */
const upTo = "(SELECT max(id) FROM (SELECT id FROM audit WHERE id > ?1 ORDER BY id LIMIT ?2))";
/** ?3 the entry before the window, ?4 actions, ?5 rows. The new ones come first, so that they are never cut off. */
const watched = (columns: string, action: string): string =>
  `SELECT id, at, team_id AS teamId, user_id AS userId, ${action} AS action, ${columns} FROM audit
   WHERE id > ?3 AND id <= ${upTo} AND ${action} IN (SELECT value FROM json_each(?4)) ORDER BY id DESC LIMIT ?5`;
const ofDirectory = watched("subject, NULL AS count, client, address, country", "action");
const ofMemories = watched("memory_id AS subject, count, tool AS client, address, NULL AS country", "'memory.' || action");
const known = `SELECT DISTINCT a.subject, a.client, a.country FROM json_each(?1) e CROSS JOIN audit a ON a.subject = e.value
  WHERE a.id <= ?2 AND a.action IN ('key.use', 'grant.use')`;

/** The audits as the cron reads them, of all teams. */
export class D1AuditFeed implements AuditFeed {
  readonly #directory: D1Database;
  readonly #shardOf: ShardOf;

  constructor(directory: D1Database, shardOf: ShardOf) {
    this.#directory = directory;
    this.#shardOf = shardOf;
  }

  async sources(): Promise<string[]> {
    return [directorySource, ...(await shardNames(drizzle(this.#directory)))];
  }

  async read(source: string, { lastId, windowId }: WatchProgress, limit: number): Promise<{ events: AuditEvent[]; upTo: LastRead | undefined }> {
    const d1 = source === directorySource ? this.#directory : this.#shardOf(source);
    const events = source === directorySource ? ofDirectory : ofMemories;
    const [last, found] = await d1.batch([
      d1.prepare(`SELECT id, at FROM audit WHERE id = ${upTo}`).bind(lastId, limit),
      d1.prepare(events).bind(lastId, limit, Math.min(windowId, lastId), JSON.stringify(watchedActions), maxInWindow),
    ]);
    return { events: (found?.results ?? []) as AuditEvent[], upTo: (last?.results as LastRead[] | undefined)?.[0] };
  }

  async knownUses(credentialIds: readonly string[], lastId: number): Promise<Map<string, { clients: Set<string>; countries: Set<string> }>> {
    const { results } = await this.#directory
      .prepare(known)
      .bind(JSON.stringify(credentialIds), lastId)
      .all<{ subject: string; client: string | null; country: string | null }>();
    return new Map(
      [...Map.groupBy(results, ({ subject }) => subject)].map(([credential, uses]) => [
        credential,
        { clients: new Set(uses.map(({ client }) => clientName(client))), countries: new Set(uses.flatMap(({ country }) => country ?? [])) },
      ]),
    );
  }
}
