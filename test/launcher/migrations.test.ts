import type { D1Database } from "@cloudflare/workers-types";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyMigrations } from "../../src/launcher/migrations.ts";

let miniflare: Miniflare;
let db: D1Database;
const tables = async (): Promise<unknown[]> =>
  (await db.prepare("select name from sqlite_master where type = 'table' and name like 't_' order by name").all()).results.map(({ name }) => name);

beforeAll(async () => {
  miniflare = new Miniflare(convertV4MiniflareOptions({ modules: true, script: "export default {}", d1Databases: ["DB"], cf: false }));
  db = (await miniflare.getD1Database("DB")) as unknown as D1Database;
}, 30_000);
afterAll(() => miniflare.dispose());

test("an update applies only what is new, and a file that fails leaves no trace", async () => {
  const first = { name: "0000_a.sql", sql: "create table t1 (x text);\n--> statement-breakpoint\ncreate table t2 (x text default ';');\n" };
  const trigger = { name: "0001_b.sql", sql: "create trigger g after insert on t1 begin insert into t2 values (new.x); insert into t2 values (';'); end;" };
  const broken = { name: "0002_c.sql", sql: "create table t3 (x text);\n--> statement-breakpoint\ncreate nonsense;" };

  await applyMigrations(db, [first]);
  await applyMigrations(db, [first, trigger]);
  await db.prepare("insert into t1 values ('kept')").run();
  await expect(applyMigrations(db, [first, trigger, broken])).rejects.toThrow(/nonsense/);

  expect(await tables()).toEqual(["t1", "t2"]);
  expect((await db.prepare("select x from t2").all()).results).toEqual([{ x: "kept" }, { x: ";" }]);
  await applyMigrations(db, [first, trigger, { ...broken, sql: "create table t3 (x text)" }]);
  expect(await tables()).toEqual(["t1", "t2", "t3"]);
});
