import { env } from "cloudflare:workers";

/** Bytes of the longest parameter that the work binds in the shard. D1 takes 2,000,000 (Cloudflare's limits); its stand-in takes more. */
export async function longestParameter(work: () => Promise<unknown>): Promise<number> {
  const shard = env.SHARD_0;
  const encoder = new TextEncoder();
  let longest = 0;
  const prepare = shard.prepare.bind(shard);
  shard.prepare = (sql) => {
    const statement = prepare(sql);
    const bind = statement.bind.bind(statement);
    statement.bind = (...values) => {
      for (const value of values) if (typeof value === "string") longest = Math.max(longest, encoder.encode(value).byteLength);
      return bind(...values);
    };
    return statement;
  };
  try {
    await work();
  } finally {
    shard.prepare = prepare;
  }
  return longest;
}
