import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { D1OAuthRecordStore } from "../../src/platform/d1/oauth-store.ts";
import { D1PasskeyStore } from "../../src/platform/d1/passkey-store.ts";
import { D1SignInStore } from "../../src/platform/d1/sign-in-store.ts";
import { keyFor, login, newTenant, now } from "../domain/tenancy/tenant.ts";

const db = env.DB;
const run = (sql: string, ...values: unknown[]): Promise<D1Result> => db.prepare(sql).bind(...values).run();

describe("the audit is append-only [A14]", () => {
  test("a row can be written, and then neither changed nor taken away", async () => {
    await run("insert into audit (at, action, success, subject) values (?, 'key.create', 1, 'kept')", now);
    await expect(run("update audit set success = 0 where subject = 'kept'")).rejects.toThrow("append-only");
    await expect(run("delete from audit where subject = 'kept'")).rejects.toThrow("append-only");
    const { results } = await db.prepare("select success from audit where subject = 'kept'").all();
    expect(results).toEqual([{ success: 1 }]);
  });
});

describe("what is deleted lets nobody in while it can still be restored [S17]", () => {
  test.each([
    ["team", "update teams set deleted_at = ? where id = ?", "teamId"],
    ["organization", "update organizations set deleted_at = ? where id = ?", "organizationId"],
    ["person", "update users set deleted_at = ? where id = ?", "ownerId"],
  ] as const)("the keys of a deleted %s are refused, and work again once it is restored", async (_what, sql, id) => {
    const tenant = await newTenant();
    const { token } = await keyFor(tenant, tenant.ownerId);

    await run(sql, now, tenant[id]);
    expect(await login(token)).toEqual({ kind: "unknown" });

    await run(sql, null, tenant[id]);
    expect(await login(token)).toMatchObject({ kind: "ok" });
  });
});

test("a person has at most one team of their own, also when two first sign-ins race", async () => {
  const { organizationId, ownerId } = await newTenant();
  const own = (teamId: string): Promise<D1Result> =>
    run("insert into teams (id, organization_id, name, shard, created_at, personal_of) values (?, ?, 'Own', 'SHARD_0', ?, ?)", teamId, organizationId, now, ownerId);
  await own(`${ownerId}-1`);
  await expect(own(`${ownerId}-2`)).rejects.toThrow("UNIQUE");
});

describe("what every request asks is one query that reads no table from end to end [S17]", () => {
  const questions: [what: string, ask: (db: D1Database) => Promise<unknown>][] = [
    ["whose session a cookie names", (db) => new D1SignInStore(db).findSession("0".repeat(64))],
    ["whose access token it is", (db) => new D1OAuthRecordStore(db).readToken("token:a.b:c:d", "grant:a.b:c", { userId: "a", teamId: "b" }, now)],
    ["the records of a person", (db) => new D1OAuthRecordStore(db).list("grant:a.", "", 10, now)],
    ["whose passkey it is", (db) => new D1PasskeyStore(db).findPasskey("x")],
  ];
  test.each(questions)("%s", async (_what, ask) => {
    const asked: string[] = [];
    const watched = new Proxy(db, {
      get: (target, name) => (name === "prepare" ? (query: string) => (asked.push(query), target.prepare(query)) : Reflect.get(target, name)),
    });
    await ask(watched);
    expect(asked).toHaveLength(1);
    const parameters = [...(asked[0] ?? "").matchAll(/\?/g)].map(() => "0");
    const plan = await db.prepare(`explain query plan ${asked[0]}`).bind(...parameters).all<{ detail: string }>();
    expect(plan.results.map(({ detail }) => detail).join("\n")).not.toContain("SCAN");
  });
});
