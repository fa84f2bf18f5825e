/** D1 database of a shard, by binding name. @throws when a team is assigned to a shard that is not bound */
export type ShardOf = (name: string) => D1Database;
