import { asc } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import { shards } from "./directory-schema.ts";

/** The shards that the directory knows, in order. */
export const shardNames = async (directory: DrizzleD1Database): Promise<string[]> =>
  (await directory.select({ name: shards.name }).from(shards).orderBy(asc(shards.name))).map(({ name }) => name);
