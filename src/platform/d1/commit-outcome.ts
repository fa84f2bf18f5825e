import { canonical, type Memory, stateOf } from "../../domain/memories/memory.ts";
import type { MemoryWrite, WriteContext } from "../../domain/memories/memory-store.ts";

/** What D1 has of writes whose answer was lost. */

const written = `SELECT v.memory_id AS id, v.at AS at, v.actor_id AS actor, v.request_id AS requestId, v.state AS state, v.data_key AS dataKey, m.seq AS seq, m.alias AS alias
  FROM json_each(?2) e CROSS JOIN versions v ON v.team_id = ?1 AND v.memory_id = e.value ->> '$.id' AND v.version = e.value ->> '$.version'
  CROSS JOIN memories m ON m.team_id = ?1 AND m.id = v.memory_id`;

interface Written {
  id: string;
  at: number;
  actor: string;
  requestId: string;
  state: string;
  dataKey: number | null;
  seq: number;
  alias: number;
}

/**
 * The numbers of the memories, if each is there in just the version that was to be written, by the same request: either this
 * very write was committed, or another one of the request that said the same.
 */
export async function committedBefore(d1: D1Database, { requestId }: WriteContext, writes: readonly Pick<MemoryWrite, "memory" | "stamp">[]): Promise<{ seq: number; alias: number }[] | undefined> {
  const names = JSON.stringify(writes.map(({ memory: { id, version } }) => ({ id, version })));
  const { results } = await d1.prepare(written).bind(writes[0]?.memory.teamId ?? "", names).all<Written>();
  const byId = new Map(results.map((row) => [row.id, row]));
  const isThere = ({ memory, stamp }: (typeof writes)[number]): boolean => {
    const row = byId.get(memory.id);
    const { at, actorId } = stamp ?? { at: memory.updatedAt, actorId: memory.updatedBy };
    return row !== undefined && row.requestId === requestId && row.at === at && row.actor === actorId && saysTheSame(row, memory);
  };
  return writes.every(isThere) ? writes.map(({ memory: { id } }) => ({ seq: byId.get(id)?.seq ?? 0, alias: byId.get(id)?.alias ?? 0 })) : undefined;
}

/** A sealed state is not opened for this: who wrote it, when and in which request has to do. */
const saysTheSame = ({ state, dataKey }: Written, memory: Memory): boolean => dataKey !== null || canonical(JSON.parse(state)) === canonical(stateOf(memory));

const erased = `SELECT count(*) AS gone, max(seq) AS last FROM (SELECT max(o.seq) AS seq FROM outbox o
  WHERE o.team_id = ?1 AND o.op = 'erase' AND o.memory_id IN (SELECT value FROM json_each(?2))
    AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.team_id = ?1 AND m.id = o.memory_id) GROUP BY o.memory_id)`;

/** The number of the last tombstone, if all of them are gone. */
export async function erasedBefore(d1: D1Database, teamId: string, doomed: readonly { id: string }[]): Promise<number | undefined> {
  const row = await d1.prepare(erased).bind(teamId, JSON.stringify(doomed.map(({ id }) => id))).first<{ gone: number; last: number | null }>();
  return row?.gone === doomed.length && row.last !== null ? row.last : undefined;
}
