import { beforeEach, describe, expect, test } from "vitest";
import { scopes, type Scope } from "../../src/domain/tenancy/principal.ts";
import type { Principal, Role, Visibility } from "./model.ts";
import { TestServer } from "./test-server.ts";

/** Ways to reach further than one may inside one's own team. Ada owns it, Bob is a member, Eve an admin. */
let server: TestServer;
let ada: Principal;
let bob: Principal;
let eve: Principal;
let writer: Principal;

beforeEach(async () => {
  const join = (user: number, role: Role, granted: readonly Scope[] = scopes) => ({ user, team: 0, role, scopes: [...granted] });
  server = await TestServer.create([join(0, "owner"), join(1, "member"), join(2, "admin"), join(1, "member", ["memory:write"])]);
  [ada, bob, eve, writer] = server.principals as [Principal, Principal, Principal, Principal];
});

async function keep(p: Principal, key: string, scope: Visibility, fields: Record<string, unknown> = {}): Promise<{ id: string; content: string }> {
  const content = `maple ${server.mint()} note`;
  const { structured, raw } = await server.tool(p, "omn_store_memory", { key, content, metadata: { scope }, ...fields });
  expect(structured, raw).toMatchObject({ memory_id: expect.any(String) as string });
  return { id: structured["memory_id"] as string, content };
}

const read = async (p: Principal, id: string) => {
  const { structured } = await server.tool(p, "omn_retrieve_memory", { id });
  return (structured["memories"] as { content: string; version: number; metadata: { scope: string } }[])[0];
};

const history = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({
    version: from + i, at: "2026-01-01T00:00:00Z", actor_id: "x", tool: "t", action: "create", state: { content: "forged" },
  }));

describe("an import takes over nothing [S6] [S14]", () => {
  test.each([[1, 2], [2, 3], [2, 5], [7, 9]])("a colleague's private memory, by its id and a forged history %i–%i", async (from, to) => {
    const { id, content } = await keep(ada, "mine", "private");
    const record = { id, content: "stolen", version: to, history: history(from, to), visibility: "shared" };
    const { structured } = await server.tool(bob, "omn_import_memories", { memories: [record] });
    expect(structured).toMatchObject({ created: 1 });
    expect(structured["memory_ids"]).not.toContain(id);
    expect(await read(ada, id)).toMatchObject({ content, version: 1, metadata: { scope: "private" } });
  });

  test("two records that mean the same memory make two versions of it [B2]", async () => {
    const { id } = await keep(ada, "twice", "private", { namespace: "global" });
    const { structured } = await server.tool(ada, "omn_import_memories", { memories: [{ id, content: "first" }, { key: "twice", content: "second", namespace: "global" }] });
    expect(structured).toMatchObject({ updated: 2 });
    expect(await read(ada, id)).toMatchObject({ content: "second", version: 3 });
  });
});

describe("who sees a memory is for its owner or an admin to say [S6] [A13]", () => {
  test.each<[Visibility, Visibility]>([["shared", "public"], ["public", "shared"], ["shared", "private"], ["public", "private"]])("from %s to %s", async (from, to) => {
    const { id, content } = await keep(ada, "ours", from);
    const attempts: [tool: string, args: Record<string, unknown>][] = [
      ["omn_update_memory", { id, metadata: { scope: to } }],
      ["omn_import_memories", { memories: [{ id, content: "imported", visibility: to }] }],
      ...(to === "private" ? [] : [["omn_store_memory", { key: "ours", content: "stored", metadata: { scope: to } }] as [string, Record<string, unknown>]]),
    ];
    for (const [tool, args] of attempts) expect((await server.tool(bob, tool, args)).code, tool).toBe("PERMISSION_DENIED");
    expect(await read(bob, id)).toMatchObject({ content, version: 1, metadata: { scope: from } });
  });

  test("write_memory does not withdraw from the organization what another has made public [B1]", async () => {
    const { id } = await keep(ada, "open", "public", { namespace: "project:p" });
    const answer = await server.tool(bob, "write_memory", { key: "open", value: "x", scope: "shared", project_path: "p" });
    expect(answer.code).toBe("PERMISSION_DENIED");
    expect(await read(bob, id)).toMatchObject({ metadata: { scope: "public" } });
  });

  test("an admin's attempt tells nothing of the owner's private keys", async () => {
    await keep(ada, "taken", "private");
    const codes = [];
    for (const key of ["taken", "free"]) {
      const { id } = await keep(ada, `${key}.shared`, "shared");
      codes.push((await server.tool(eve, "omn_update_memory", { id, new_key: key, metadata: { scope: "private" } })).code);
    }
    expect(codes[0]).toBe(codes[1]);
  });
});

describe("a key without memory:read is shown no memory [S6] [S17]", () => {
  test("not in a preview of what would be forgotten", async () => {
    await keep(ada, "ours", "shared");
    const args = { key: "*" };
    const answer = await server.tool(writer, "omn_forget_memory", args);
    expect(() => server.scan(writer, answer, args)).not.toThrow();
  });

  test("not in a conflict of versions", async () => {
    const { id } = await keep(ada, "ours", "shared");
    const args = { id, content: "mine", expected_version: 7 };
    const answer = await server.tool(writer, "omn_update_memory", args);
    server.scan(writer, answer, args);
    expect(answer.isError).toBe(true);
  });
});

describe("others' private memories change nothing in what one finds [S6] [S15]", () => {
  test("they do not come between neighbours in a thread", async () => {
    const said = (p: Principal, n: number, scope: Visibility) => keep(p, `turn.${n}`, scope, { namespace: "thread:t", occurred_at: `2026-01-0${n}T00:00:00Z` });
    const question = await said(ada, 1, "shared");
    const answer = await said(ada, 5, "shared");
    const ask = async (p: Principal) => {
      const word = question.content.split(" ")[1] as string;
      return ((await server.tool(p, "omn_retrieve_memory", { query: word, min_relevance: 0 })).structured["memories"] as { memory_id: string }[]).map((memory) => memory.memory_id);
    };
    expect(await ask(bob)).toEqual([question.id, answer.id]);
    for (const n of [2, 3, 4]) await said(ada, n, "private");
    expect(await ask(bob)).toEqual([question.id, answer.id]);
  });

  test("what was shared once and is private now does not stand in the way of the past [U13]", async () => {
    for (const n of [1, 2, 3, 4, 5]) await keep(ada, `once.${n}`, "shared", { content: "walrus" });
    const own = await keep(bob, "own", "private", { content: "the walrus of which nobody else knows anything at all" });
    await scheduler.wait(5);
    const as_of = new Date().toISOString();
    await scheduler.wait(5);
    for (const n of [1, 2, 3, 4, 5]) await server.tool(ada, "omn_update_memory", { key: `once.${n}`, metadata: { scope: "private" } });
    const { structured } = await server.tool(bob, "omn_retrieve_memory", { query: "walrus", as_of, limit: 1 });
    expect(structured["memories"]).toMatchObject([{ memory_id: own.id }]);
  });

  // Known and open: the team's full-text index counts everybody's words, so a word in a colleague's private memory makes
  // one's own memories with that word less relevant. Whoever repairs it turns this into a plain test.
  test("they do not weigh in the relevance of one's own", async () => {
    await keep(bob, "a", "private", { content: "the walrus sleeps" });
    await keep(bob, "b", "private", { content: "krill at the harbour" });
    const ask = async () => {
      const { structured } = await server.tool(bob, "omn_retrieve_memory", { query: "walrus krill" });
      return (structured["memories"] as { key: string; relevance_score: number }[]).map(({ key, relevance_score }) => [key, relevance_score]);
    };
    const before = await ask();
    for (const n of [1, 2, 3]) await keep(ada, `secret.${n}`, "private", { content: `walrus number ${n}` });
    expect(await ask()).toEqual(before);
  });

  // Known and open: the integer name of a memory is the team's count of changes, which whoever looks for their own learns.
  test.fails("they do not count in the integer names of one's own", async () => {
    const nameOf = async (id: string, from: number): Promise<number> => {
      for (let name = from; name < from + 20; name += 1) {
        const { structured } = await server.tool(bob, "omn_retrieve_memory", { id: name });
        if ((structured["memories"] as { memory_id: string }[])[0]?.memory_id === id) return name;
      }
      return Number.NaN;
    };
    const first = await nameOf((await keep(bob, "a", "private")).id, 1);
    for (const n of [1, 2, 3]) await keep(ada, `secret.${n}`, "private");
    expect(await nameOf((await keep(bob, "b", "private")).id, first + 1)).toBe(first + 1);
  });
});

test("an export that leaves out what one may not see can be imported [S6] [U10]", async () => {
  const { id } = await keep(ada, "seen", "shared");
  for (const scope of ["private", "shared", "shared"]) await server.tool(ada, "omn_update_memory", { id, content: `maple ${server.mint()}`, metadata: { scope } });
  const { data, sha256, count } = (await server.tool(bob, "omn_export_memories", {})).structured;
  const elsewhere = await TestServer.create([{ user: 0, team: 0, role: "owner", scopes: [...scopes] }]);
  const [dan] = elsewhere.principals as [Principal];
  expect((await elsewhere.tool(dan, "omn_import_memories", { data, sha256, count })).structured).toMatchObject({ created: 1 });
});
