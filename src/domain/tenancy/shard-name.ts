/** The name of a shard's database binding; the directory names shards by it. */
export const shardName = /^SHARD_\d+$/;
