import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { uuidv7 } from "../../src/domain/ids.ts";
import { D1DirectoryStore, type NamedTeam } from "../../src/platform/d1/directory-store.ts";

const now = Date.UTC(2026, 10, 20);
const store = new D1DirectoryStore(env.DB);
const id = (): string => uuidv7(now);

/** Only the shards of this test accept teams. */
async function onlyShards(...names: string[]): Promise<void> {
  await env.DB.prepare("update shards set accepts_teams = 0").run();
  await store.registerShards(names, now);
}

async function newTeam(): Promise<NamedTeam> {
  const organizationId = id();
  await store.createOrganization({ id: organizationId, name: "Acme" }, now);
  return store.createTeam({ id: id(), organizationId, name: "Core" }, now);
}

describe("shards", () => {
  test("new teams spread evenly over those that accept teams", async () => {
    const [a, b] = [`A_${id()}`, `B_${id()}`];
    await onlyShards(a, b);

    const places = [await newTeam(), await newTeam(), await newTeam(), await newTeam()];

    expect(places.map(({ shard }) => shard)).toEqual([a, b, a, b]);
  });

  test("a shard that is closed by the operator stays closed when it is registered again", async () => {
    const [full, open] = [`A_${id()}`, `B_${id()}`];
    await onlyShards(full, open);
    await env.DB.prepare("update shards set accepts_teams = 0 where name = ?").bind(full).run();

    await store.registerShards([full, open], now + 1);

    expect([(await newTeam()).shard, (await newTeam()).shard]).toEqual([open, open]);
  });

  test("no shard left is an error, and no half of a team is written", async () => {
    await onlyShards();
    const tenant = { organization: { id: id(), name: "o" }, team: { id: id(), name: "t" }, owner: { id: id(), name: "u" } };
    await expect(store.provision(tenant, now)).rejects.toThrow("no shard accepts teams");
    expect(await store.findTeam(tenant.team.id)).toBeUndefined();
  });
});

test("provision writes all or nothing", async () => {
  await onlyShards(`S_${id()}`);
  const tenant = { organization: { id: id(), name: "o" }, team: { id: id(), name: "t" }, owner: { id: id(), name: "u" } };
  await store.createUser(tenant.owner, now);

  await expect(store.provision(tenant, now)).rejects.toThrow();

  expect(await store.findTeam(tenant.team.id)).toBeUndefined();
  await expect(store.createOrganization(tenant.organization, now)).resolves.toBeUndefined();
});

test("a membership needs a team and a user that exist", async () => {
  await expect(store.addMember({ teamId: id(), userId: id(), role: "member" }, now)).rejects.toThrow();
});

test("listTeams gives every team exactly once, page after page", async () => {
  await onlyShards(`S_${id()}`);
  const made = [await newTeam(), await newTeam(), await newTeam()].map((team) => team.teamId);

  const seen: string[] = [];
  let after = "";
  for (;;) {
    const page = await store.listTeams(after, 2);
    if (page.length === 0) break;
    seen.push(...page.map((team) => team.teamId));
    after = page.at(-1)?.teamId ?? "";
  }

  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toEqual(expect.arrayContaining(made));
});

test("authenticate is one query, and reads no table from end to end", async () => {
  const asked: string[] = [];
  const watched = new Proxy(env.DB, {
    get: (db, name) =>
      name === "prepare"
        ? (query: string): D1PreparedStatement => {
            asked.push(query);
            return db.prepare(query);
          }
        : Reflect.get(db, name),
  });

  await new D1DirectoryStore(watched).authenticate("0".repeat(16));

  expect(asked).toHaveLength(1);
  const plan = await env.DB.prepare(`explain query plan ${asked[0]}`).bind("0").all<{ detail: string }>();
  expect(plan.results.map(({ detail }) => detail).join("\n")).not.toContain("SCAN");
});
