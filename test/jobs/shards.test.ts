import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { servicesOf } from "../../src/app.ts";
import { runScheduled } from "../../src/jobs/scheduled.ts";
import { store } from "../domain/tenancy/tenant.ts";

test("a deployment learns of the shards that are bound, so that the first person who signs in gets a team [A13]", async () => {
  await env.DB.prepare("DELETE FROM shards").run();
  await runScheduled(servicesOf(env), Date.now());
  expect((await store.listShards()).toSorted()).toEqual(["SHARD_0", "SHARD_1"]);
  await env.DB.prepare("UPDATE shards SET accepts_teams = 0 WHERE name = 'SHARD_1'").run();
  await runScheduled(servicesOf(env), Date.now());
  const { results } = await env.DB.prepare("SELECT name, accepts_teams AS open FROM shards ORDER BY name").all();
  expect(results, "what an operator closed stays closed").toEqual([{ name: "SHARD_0", open: 1 }, { name: "SHARD_1", open: 0 }]);
});
