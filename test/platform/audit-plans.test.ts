import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { D1AuditStore } from "../../src/platform/d1/audit-store.ts";
import { D1AuditFeed } from "../../src/platform/d1/audit-feed.ts";

const watched = (db: D1Database, asked: string[]): D1Database =>
  new Proxy(db, {
    get(target, name) {
      if (name === "prepare") return (query: string) => (asked.push(query), target.prepare(query));
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });

const query = { limit: 10 };
const questions: [what: string, ask: (directory: D1Database, shard: D1Database) => Promise<unknown>][] = [
  ["the entries of a team", (directory, shard) => new D1AuditStore(directory, () => shard).ofTeams({ userId: "u" }, [{ id: "t", shard: "SHARD_0" }], query)],
  ["the entries of a person", (directory, shard) => new D1AuditStore(directory, () => shard).ofPerson({ userId: "u" }, query)],
  ["what the cron looks through of the directory", (directory, shard) => new D1AuditFeed(directory, () => shard).read("directory", { lastId: 5, windowId: 3 }, 10)],
  ["what the cron looks through of a shard", (directory, shard) => new D1AuditFeed(directory, () => shard).read("SHARD_0", { lastId: 5, windowId: 3 }, 10)],
  ["how a credential was used before", (directory, shard) => new D1AuditFeed(directory, () => shard).knownUses(["k"], 5)],
];

test.each(questions)("%s: by an index, and no audit from end to end [A14]", async (_what, ask) => {
  for (const [db, other] of [[env.DB, env.SHARD_0], [env.SHARD_0, env.DB]] as const) {
    const asked: string[] = [];
    await ask(...(db === env.DB ? ([watched(db, asked), other] as const) : ([other, watched(db, asked)] as const)));
    for (const sql of asked) {
      const parameters = Math.max(0, ...[...sql.matchAll(/\?(\d*)/g)].map(([, n]) => Number(n || 1)));
      const { results } = await db.prepare(`explain query plan ${sql}`).bind(...Array.from({ length: parameters }, () => "[]")).all<{ detail: string }>();
      expect(results.map(({ detail }) => detail).filter((detail) => /^SCAN (?:a|audit)\b/.test(detail)), sql).toEqual([]);
    }
  }
});
