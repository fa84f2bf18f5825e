/** What the binding of a shard's database is called; the directory names shards by it. */
export const shardName = /^SHARD_\d+$/;
