import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { mostExamined } from "../../src/domain/memories/health-findings.ts";
import { fileStatements } from "../../src/platform/d1/memory-files.ts";
import { healthStatements } from "../../src/platform/d1/memory-health.ts";

test.each(Object.entries(healthStatements))("the report card reads %s by an index that begins with the team", async (section, sql) => {
  const parameters = ["t", "u", 1, 10, "[]"].slice(0, Math.max(...[...sql.matchAll(/\?(\d)/g)].map(([, n]) => Number(n))));
  const { results } = await env.SHARD_0.prepare(`explain query plan ${sql}`).bind(...parameters).all<{ detail: string }>();
  const plan = results.map(({ detail }) => detail);
  for (const detail of plan) expect(detail).not.toMatch(/SCAN (?:m|s|t|n|l|memories|memory_links)\b/);
  const special: Record<string, string> = { quarantined: "memories_quarantined", contradicted: "memory_links_contradicting", superseded: "memories_superseded", citing: "memories_citing", cited: "memories_citing" };
  if (special[section]) expect(plan.join("\n")).toContain(`INDEX ${special[section]} (team_id=?)`);
  // What no index leads to is looked for in a bounded part of the team's memories.
  if (["duplicates", "stale", "suspects", "unshared", "twins"].includes(section)) expect(sql).toContain(`OFFSET ${mostExamined}`);
  expect(sql).not.toMatch(/limit \?\d+(?! [*+])/i);
});

test("what a suspicious write asks of the quarantine is read by its own index", async () => {
  const sql = `select * from memories where team_id = ? and (visibility <> 'private' or owner_id = ?) and (expires_at is null or expires_at > ?) and quarantine is not null order by id desc limit ?`;
  const { results } = await env.SHARD_0.prepare(`explain query plan ${sql}`).bind("t", "u", 1, 10).all<{ detail: string }>();
  expect(results.map(({ detail }) => detail).join("\n")).toContain("USING INDEX memories_quarantined (team_id=?)");
});

test.each(Object.entries(fileStatements))("the files that memories name are read by their own indexes: %s", async (_name, sql) => {
  const parameters = ["t", "u", 1, 10, "[]", "project:p"].slice(0, Math.max(...[...sql.matchAll(/\?(\d)/g)].map(([, n]) => Number(n))));
  const { results } = await env.SHARD_0.prepare(`explain query plan ${sql}`).bind(...parameters).all<{ detail: string }>();
  const plan = results.map(({ detail }) => detail).join("\n");
  expect(plan).toContain("INDEX memories_citing (team_id=?)");
  expect(plan).toContain("INDEX memories_relating (team_id=?)");
});
