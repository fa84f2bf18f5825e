import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { SecretBox } from "../../src/domain/secrets/secret-box.ts";
import type { Principal } from "../../src/domain/tenancy/principal.ts";
import * as graph from "../../src/platform/d1/graph-sql.ts";
import { D1GraphWriter } from "../../src/platform/d1/graph-writer.ts";
import { D1MemoryStore } from "../../src/platform/d1/memory-store.ts";
import { Documents } from "../../src/platform/team-index/documents.ts";
import type { PresentRows } from "../../src/platform/team-index/present-rows.ts";
import type { TextIndex } from "../../src/platform/text-index/text-index.ts";
import { newTeam, now } from "../support/team.ts";
import { SealedRows } from "../../src/platform/d1/sealed-rows.ts";

const principal = { userId: "u", teamId: "t", organizationId: "o", role: "member", scopes: [], shard: "SHARD_0", credential: { kind: "api-key", id: "k" } } as Principal;

const watched = (asked: string[], read: string[] = []): D1Database =>
  new Proxy(env.SHARD_0, {
    get(target, name) {
      if (name === "prepare") return (query: string) => (asked.push(query), noting(target.prepare(query), read));
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });

/** Notes the rows that are answered. */
const noting = (statement: D1PreparedStatement, read: string[]): D1PreparedStatement =>
  new Proxy(statement, {
    get(target, name) {
      if (name === "bind") return (...values: unknown[]) => noting(target.bind(...values), read);
      if (name === "raw") return async () => {
        const rows = await target.raw();
        read.push(JSON.stringify(rows));
        return rows;
      };
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });

const planOf = async (sql: string): Promise<string[]> => {
  const parameters = Math.max([...sql.matchAll(/\?(?!\d)/g)].length, ...[...sql.matchAll(/\?(\d+)/g)].map(([, n]) => Number(n)));
  const { results } = await env.SHARD_0.prepare(`explain query plan ${sql}`).bind(...Array.from({ length: parameters }, () => "[]")).all<{ detail: string }>();
  return results.map(({ detail }) => detail);
};

test.each([{}, { visibility: "shared" as const }])("a look-up by key reads what has the key, not every key of the team (filter %j)", async (filter) => {
  const asked: string[] = [];
  const store = new D1MemoryStore(() => watched(asked), { of: async () => undefined }, new SealedRows({} as SecretBox), async () => []);

  await store.byKey(principal, 0, "a", filter);

  for (const sql of asked) expect(await planOf(sql), sql).toContainEqual(expect.stringMatching(/SEARCH (?:m|memories) USING INDEX \S+ \(team_id=\? (?:AND \S+=\? )*AND key=\?\)/));
  expect(asked).toHaveLength(1);
});

test("a pattern reads the keys, and whole rows only of what matches", async () => {
  const team = await newTeam();
  const memories = Array.from({ length: 1_000 }, (_, n) => ({ key: `log.${n}`, content: `${n} ${"long ".repeat(100)}` }));
  await team.owner.call("omn_import_memories", { memories });
  const read: string[] = [];
  const asked: string[] = [];
  const store = new D1MemoryStore(() => watched(asked, read), { of: async () => undefined }, new SealedRows({} as SecretBox), async () => []);

  expect(await store.byKeyPattern(team.owner.principal, 0, "*zzz*", {}, 100)).toEqual([]);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatch(/^select "id", "key" from "memories"/);
  expect(read.join("").length, "bytes of the answer").toBeLessThan(100_000);

  const matching = await store.byKeyPattern(team.owner.principal, 0, "*.99*", {}, 20);
  expect(matching.map(({ key }) => key).sort()).toEqual(["log.99", ...Array.from({ length: 10 }, (_, n) => `log.99${n}`)]);
  expect(matching[0]?.content).toContain("long long");
});

test("no read of the graph has a bare parameter as its limit, for which SQLite compiles a statement anew at every call", () => {
  for (const [name, sql] of Object.entries(graph)) expect(typeof sql === "string" ? sql : sql(["tags = ?"]), name).not.toMatch(/limit \?\d+(?! [*+])/i);
});

test("what a memory contributes to the graph is written by reading what is of that memory, not all that the team has [D3]", async () => {
  const asked = new Set<string>();
  const shard = new Proxy(env.SHARD_0, {
    get(target, name) {
      if (name === "prepare") return (query: string) => (asked.add(query), target.prepare(query));
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  await new D1GraphWriter(() => shard).contribute({ teamId: "t", organizationId: "o", shard: "SHARD_0" }, 0, [{ memoryId: "m", version: 1, entities: [], relationships: [], references: ["a"] }]);

  expect(asked.size).toBeGreaterThan(8);
  for (const sql of asked) for (const step of await planOf(sql)) expect(step, sql).not.toMatch(/^SCAN (?!e\b|CONSTANT|j\b)|\(team_id=\?\)$/);
});

test("what a new memory repeats is found by what it says, not among all that the team has [B5]", async () => {
  const team = await newTeam();
  await team.owner.remember("The ship sails at noon.");
  await team.settle();
  await runInDurableObject(team.index, (_, { storage: { sql } }) => {
    const plans: string[] = [];
    const watching = {
      exec: (query: string, ...values: SqlStorageValue[]) => {
        plans.push(...sql.exec<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`, ...values).toArray().map(({ detail }) => detail));
        return sql.exec(query, ...values);
      },
    };
    const documents = new Documents(watching as SqlStorage, {} as TextIndex, {} as PresentRows, { publicOnly: false });
    documents.saying({ key: "k", memoryId: "m", teamId: team.id, namespace: "global", visibility: "shared", ownerId: "u" }, now);
    expect(plans[0]).toBe("SEARCH docs USING INDEX docs_said (said=?)");
  });
});
