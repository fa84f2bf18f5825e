import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { MasterKeys } from "../../../src/domain/secrets/master-keys.ts";
import { keepSecrets, keptAfterRotation, rotateDataKey, type RotationPorts } from "../../../src/domain/secrets/rotation.ts";
import { sealedFields, type SealedFields } from "../../../src/domain/memories/memory-fields.ts";
import { SecretBox } from "../../../src/domain/secrets/secret-box.ts";
import { TextBox } from "../../../src/domain/secrets/sealed-text.ts";
import { TeamKeys } from "../../../src/domain/secrets/team-keys.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import { defaultQuota } from "../../../src/domain/memories/quota.ts";
import type { MemoryWriter } from "../../../src/domain/memories/memory-store.ts";
import { MemoryCommits } from "../../../src/platform/d1/memory-commits.ts";
import { QuotaGuard } from "../../../src/platform/d1/quota-guard.ts";
import { unbounded } from "../../../src/platform/storage-room.ts";
import { D1MemoryStore } from "../../../src/platform/d1/memory-store.ts";
import { D1SealedStore } from "../../../src/platform/d1/sealed-store.ts";
import { SealedRows } from "../../../src/platform/d1/sealed-rows.ts";
import { send } from "../../http/raw.ts";
import { anyText, citation, json } from "../memories/arbitrary.ts";
import { minute, newTeam, now, type Person, services, type Team, writerOver } from "../../support/team.ts";
import { rows, shardOf } from "../../support/indexing.ts";

let team: Team;
let ada: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const secret = { sensitivity: "secret" } as const;
const bytes = (fill: number) => new Uint8Array(32).fill(fill);
const present = { id: "test-1", secret: bytes(7) };
const store = services.secrets.keys;

/** The keys as a server with this configuration has them. */
function configured(...masterKeys: { id: string; secret: Uint8Array<ArrayBuffer> }[]): RotationPorts & { memories: D1MemoryStore; writer: MemoryWriter } {
  const masters = new MasterKeys(masterKeys);
  // Only this test's team is looked at: the others of the database are other tests'.
  const keys = Object.assign(Object.create(store) as typeof store, {
    keysOf: (id: string) => store.keysOf(id),
    insertFirst: (...args: Parameters<typeof store.insertFirst>) => store.insertFirst(...args),
    insertNext: (...args: Parameters<typeof store.insertNext>) => store.insertNext(...args),
    replace: (...args: Parameters<typeof store.replace>) => store.replace(...args),
    dropBefore: (...args: Parameters<typeof store.dropBefore>) => store.dropBefore(...args),
    wrappedByOthers: async (...args: Parameters<typeof store.wrappedByOthers>) => (await store.wrappedByOthers(...args)).filter(({ teamId }) => teamId === team.id),
    rotating: async () => (await store.rotating()).filter((rotating) => rotating.team.teamId === team.id),
  });
  const teamKeys = new TeamKeys(masters, keys);
  const sealed = new SealedRows(new SecretBox(teamKeys));
  return {
    masters, keys, teamKeys, sealed: new D1SealedStore(shardOf, sealed, new TextBox(teamKeys)), teams: services.secrets.teams, report: () => undefined,
    writer: writerOver(new MemoryCommits(shardOf, sealed, new QuotaGuard(defaultQuota), unbounded)),
    memories: new D1MemoryStore(shardOf, { of: () => Promise.resolve(undefined) }, sealed, () => Promise.resolve([])),
  };
}
const keysOfTeam = () => rows2<{ number: number; master_id: string; wrapped: string }>("select * from team_keys where team_id = ? order by number", team.id);
const rows2 = async <T>(sql: string, ...values: unknown[]): Promise<T[]> => (await env.DB.prepare(sql).bind(...values).all<T>()).results;
const managing = () => ({ principal: ada.principal, now, tenants: services.tenants });
const envelopesOf = (id: string) => rows<Record<string, string>>("select content, value, summary, metadata, data_key from memories where id = ?", id);

describe("envelopes [A13]", () => {
  const fields: fc.Arbitrary<SealedFields> = fc.record({
    content: fc.oneof(anyText, fc.constantFrom("", "\u{feff}bom", "\u0000")), value: json, summary: fc.option(anyText, { nil: null }), metadata: fc.dictionary(fc.string(), json, { noNullPrototype: true }).filter((value) => !Object.hasOwn(value, "__proto__")),
    keywords: fc.array(anyText), relatedFiles: fc.array(anyText), citations: fc.array(citation), compressed: fc.option(anyText, { nil: null }),
  });

  test("open to what was sealed, whatever it was, and show none of it; no two are the same", async () => {
    const box = new SecretBox(services.secrets.teamKeys);
    await fc.assert(
      fc.asyncProperty(fields, fc.uuid(), fc.integer({ min: 1, max: 1e9 }), async (said, memoryId, version) => {
        const name = { teamId: team.id, memoryId, version };
        const [one, two] = await Promise.all([box.seal(name, said), box.seal(name, said)]);
        expect(await box.open(name, one.envelopes)).toEqual(said);
        for (const field of sealedFields) {
          expect(one.envelopes[field]).toMatch(/^s1\.1\.[\w-]{38,}$/);
          expect(one.envelopes[field]).not.toBe(two.envelopes[field]);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("open in their own place only, and not at all when one bit differs", async () => {
    const box = new SecretBox(services.secrets.teamKeys);
    const other = await newTeam();
    const said: SealedFields = { content: "x".repeat(40), value: "v", summary: "s", metadata: {}, keywords: [], relatedFiles: [], citations: [], compressed: null };
    const name = { teamId: team.id, memoryId: "m", version: 2 };
    const { envelopes } = await box.seal(name, said);
    await box.seal({ ...name, teamId: other.id }, said);
    const wrong = [{ ...name, version: 1 }, { ...name, memoryId: "n" }, { ...name, teamId: other.id }];
    for (const place of wrong) await expect(box.open(place, envelopes)).rejects.toMatchObject({ code: "INTERNAL_ERROR", message: expect.stringContaining("cannot be opened") });
    await expect(box.open(name, { ...envelopes, value: envelopes.summary })).rejects.toThrow("cannot be opened");
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: envelopes.content.length - 6 }), fc.constantFrom("A", "b", "_", "", "="), async (at, character) => {
        const spoilt = envelopes.content.slice(0, at + 5) + character + envelopes.content.slice(at + 6);
        fc.pre(spoilt !== envelopes.content);
        // The last digit of base64 may hold bits that say nothing.
        const outcome = await box.open(name, { ...envelopes, content: spoilt }).then(({ content }) => content, () => undefined);
        expect([undefined, ...(at + 6 === envelopes.content.length ? [said.content] : [])]).toContain(outcome);
      }),
    );
    for (const spoilt of ["", "s1.1.", "s2.1.AAAA", "plain text", 5, null]) await expect(box.open(name, { ...envelopes, content: spoilt })).rejects.toThrow();
  });
});

describe("what was tampered with [A13] [S17]", () => {
  test.each([
    ["one sealed text in the place of another's", "update memories set content = (select content from memories where id = ?2) where id = ?1"],
    ["clear text in the place of a sealed one", "update memories set content = 'send it to mallory' where id = ?1 and ?2 <> ''"],
    ["a version that it did not have", "update memories set summary = content where id = ?1 and ?2 <> ''"],
  ])("%s is refused, and stands in the audit", async (_what, sql) => {
    const [one, two] = [await ada.keep("one", "alpha", secret), await ada.keep("two", "beta", secret)];
    await ada.keep("open", "gamma");
    await env.SHARD_0.prepare(sql).bind(one.id, two.id).run();
    for (const ask of [{ key: "one" }, { id: one.id }]) {
      const answer = await ada.call("omn_retrieve_memory", ask);
      expect(answer).toMatchObject({ isError: true, error: { code: "INTERNAL_ERROR", message: expect.stringMatching(/cannot be opened.*noted in the audit/) } });
      expect(answer.text).not.toMatch(/alpha|beta|mallory/);
    }
    expect(await rows("select action, user_id, memory_id from audit where team_id = ? and action = 'secret-refused'", team.id)).toEqual([{ action: "secret-refused", user_id: ada.id, memory_id: one.id }]);
    // The others are there as before, and it can be taken away, but not written on.
    expect((await ada.call("omn_retrieve_memory", { key: "two" })).text).toContain("beta");
    expect(await ada.listed()).toHaveLength(3);
    expect((await ada.call("omn_update_memory", { key: "one", metadata: { tags: ["t"] } })).error?.code).toBe("INTERNAL_ERROR");
    expect((await ada.call("omn_store_memory", { key: "one", content: "new" })).error?.code).toBe("INTERNAL_ERROR");
    const preview = await ada.call("omn_forget_memory", { id: one.id, mode: "erase" });
    expect((await ada.call("omn_forget_memory", { id: one.id, mode: "erase", confirm: preview.structured["confirm"] })).structured["outcome"]).toBe("erased");
    expect((await ada.call("omn_store_memory", { key: "one", content: "new", metadata: { sensitivity: "secret" } })).structured["outcome"]).toBe("created");
  });

  test("of many secrets are opened with no more look-ups of the team's keys than of one [A13]", async () => {
    for (let n = 0; n < 5; n += 1) await ada.call("omn_store_memory", { key: `k${n}`, content: `Secret ${n}`, metadata: secret });
    const asked: string[] = [];
    const keys = new TeamKeys(services.secrets.masters, { keysOf: (id) => (asked.push(id), store.keysOf(id)), insertFirst: () => Promise.reject(new Error("has one")) });
    const memories = new D1MemoryStore(shardOf, { of: () => Promise.resolve(undefined) }, new SealedRows(new SecretBox(keys)), () => Promise.resolve([]));

    const { items } = await memories.list(ada.principal, now, {}, { below: undefined, limit: 10, secrets: "open" });

    expect(items.map(({ content }) => content).sort()).toEqual(["Secret 0", "Secret 1", "Secret 2", "Secret 3", "Secret 4"]);
    expect(asked.length).toBeLessThanOrEqual(sealedFields.length);
  });

  test("data keys of two teams exchanged open nothing", async () => {
    const other = await newTeam();
    await ada.keep("k", "alpha", secret);
    await other.owner.keep("k", "beta", secret);
    await env.DB.prepare("update team_keys set wrapped = (select wrapped from team_keys where team_id = ?2) where team_id = ?1").bind(team.id, other.id).run();
    const { memories } = configured(present);
    expect((await memories.byKey(ada.principal, now, "k", {}))[0]).toMatchObject({ content: expect.not.stringMatching(/alpha|beta/), redaction: { code: "PROVIDER_ERROR" } });
  });
});

describe("master keys [A13]", () => {
  test("without one nothing secret is written, and the refusal says what to do; the rest goes on", async () => {
    const { memories, writer } = configured();
    const ctx = { ...ada.at(now), memories, writer };
    const { remember } = await import("../../../src/domain/memories/remember.ts");
    await expect(remember(ctx, { key: "k", content: "hush", ...secret })).rejects.toMatchObject({ code: "PROVIDER_ERROR", hint: expect.stringContaining("MASTER_KEYS") });
    expect(await rows("select 1 from memories where team_id = ?", team.id)).toEqual([]);
    expect((await remember(ctx, { key: "k", content: "hello" })).outcome).toBe("created");
  });

  test.each([
    ["the wrong one under its name", { id: "test-1", secret: bytes(8) }, /"test-1" is not the one/],
    ["another one only", { id: "other", secret: bytes(7) }, /"test-1", which this server does not have/],
  ])("with %s secrets stay closed, and nothing else does", async (_what, master, message) => {
    await ada.keep("k", "alpha", secret);
    await ada.keep("open", "beta");
    const { memories, writer } = configured(master);
    const [found] = await memories.byKey(ada.principal, now, "k", {});
    expect(found?.redaction).toMatchObject({ code: "PROVIDER_ERROR", message: expect.stringMatching(message), hint: expect.stringContaining("MASTER_KEYS") });
    expect(found?.content).not.toContain("alpha");
    expect((await memories.list(ada.principal, now, {}, { below: undefined, limit: 10 })).items).toHaveLength(2);
    // It is not taken for tampering, and what is sealed under another key is not written over.
    expect(await rows("select 1 from audit where team_id = ? and action = 'secret-refused'", team.id)).toEqual([]);
    await expect(revise({ ...ada.at(now + 1), memories, writer }, { target: { key: "k" }, changes: { content: "x" } })).rejects.toMatchObject({ code: "PROVIDER_ERROR" });
  });

  test("a new first one wraps the data keys anew, and then the old one is needed no more", async () => {
    const { id } = await ada.keep("k", "alpha", secret);
    const [before] = await envelopesOf(id);
    const next = { id: "test-2", secret: bytes(9) };
    const both = configured(next, present);
    expect((await both.memories.byKey(ada.principal, now, "k", {}))[0]?.content).toBe("alpha");
    expect(await keepSecrets(both, () => now + minute, now + 2 * minute)).toMatchObject({ rewrapped: 1 });
    expect(await keepSecrets(both, () => now + minute, now + 2 * minute)).toMatchObject({ rewrapped: 0 });
    expect(await keysOfTeam()).toMatchObject([{ number: 1, master_id: "test-2" }]);
    expect(await envelopesOf(id)).toEqual([before]);
    expect((await configured(next).memories.byKey(ada.principal, now, "k", {}))[0]?.content).toBe("alpha");
  });
});

describe("rotation of a team's data key [A13]", () => {
  const soon = now + minute;
  const rotate = (ports: RotationPorts, at = soon) => keepSecrets(ports, () => at, at + minute);
  const keysInUse = async () => {
    const used = await rows<{ data_key: number }>("select data_key from memories where team_id = ?1 and data_key is not null union select data_key from versions where team_id = ?1 and data_key is not null order by 1", team.id);
    return used.map(({ data_key }) => data_key);
  };
  async function fill(): Promise<string[]> {
    const { id } = await ada.keep("turning", "was open");
    await revise(ada.at(now + 1), { target: { id }, changes: secret });
    for (const n of [1, 2, 3]) await ada.keep("k", `text ${n}`, secret, now + n);
    await ada.keep("opened", "secret then", secret);
    await ada.keep("opened", "open now", { sensitivity: "normal" }, now + 5);
    return ["turning", "k", "opened"];
  }
  const history = async (memories: Pick<D1MemoryStore, "byKey" | "history">) => {
    const found = (await Promise.all(["turning", "k", "opened"].map((key) => memories.byKey(ada.principal, now, key, {})))).flat();
    const chains = await memories.history(ada.principal, now, found.map(({ id }) => id));
    return found.map((memory) => [memory, chains.get(memory.id)]);
  };

  test("seals all but what was tampered with, whose key is kept", async () => {
    const damaged = await ada.keep("damaged", "alpha", secret);
    const versions = () => rows<{ memory_id: string; data_key: number }>("select memory_id, data_key from versions where team_id = ?1 and data_key is not null union select id, data_key from memories where team_id = ?1 and data_key is not null", team.id);
    await fill();
    await env.SHARD_0.prepare("update memories set content = 'send it to mallory' where id = ?").bind(damaged.id).run();
    await rotateDataKey({ ...managing(), secrets: services.secrets });
    const ports = configured(present);
    for (const at of [soon, soon + keptAfterRotation + minute]) await rotate(ports, at);
    expect((await versions()).filter(({ data_key: key }) => key === 1)).toEqual([{ memory_id: damaged.id, data_key: 1 }]);
    expect((await keysOfTeam()).map(({ number }) => number)).toEqual([1, 2]);
  });

  test("by an owner, over REST; others may not", async () => {
    await ada.keep("k", "alpha", secret);
    const admin = await team.join("admin");
    const call = (who: Person) => send({ token: who.token, method: "POST", path: `/v1/teams/${team.id}/data-key/rotate`, body: "" });
    expect((await call(admin)).status).toBe(403);
    const answer = await call(ada);
    expect([answer.status, await answer.json()]).toEqual([202, { rotated: true, data_key: 2 }]);
    expect(await rows2("select user_id from audit where team_id = ? and action = 'team.data-key.rotate'", team.id)).toEqual([{ user_id: ada.id }]);
    await ada.keep("k", "beta", {}, now + 1);
    expect((await configured(present).memories.byKey(ada.principal, now, "k", {}))[0]?.content).toBe("beta");
  });

  test("seals everything anew, changes nothing that anybody sees, and then destroys the old key", async () => {
    await fill();
    const before = await history(configured(present).memories);
    const ports = configured(present);
    expect(await rotateDataKey({ ...managing(), secrets: ports })).toEqual({ number: 2 });
    expect(await keysInUse()).toEqual([1]);
    expect(await rotate(ports)).toMatchObject({ resealed: expect.any(Number), dropped: 0 });
    expect(await keysInUse()).toEqual([2]);
    expect(await history(configured(present).memories)).toEqual(before);
    expect(await keysOfTeam()).toHaveLength(2);
    expect(await rotate(ports, now + keptAfterRotation)).toEqual({ rewrapped: 0, resealed: 0, dropped: 1 });
    expect(await keysOfTeam()).toMatchObject([{ number: 2 }]);
    expect(await history(configured(present).memories)).toEqual(before);
  });

  test("killed at any step, it goes on in the next run, and nothing is lost in between", async () => {
    await fill();
    const before = await history(configured(present).memories);
    await rotateDataKey({ ...managing(), secrets: configured(present) });
    let kills = 0;
    for (let n = 1; ; n += 1) {
      let calls = 0;
      const ports = configured(present);
      const dying = new D1SealedStore((name) => {
        calls += 1;
        if (calls >= n) throw new Error("killed");
        return shardOf(name);
      }, new SealedRows(new SecretBox(ports.teamKeys)), new TextBox(ports.teamKeys));
      // One row at a time, so that there are many places to die.
      await rotate({ ...ports, sealed: { reseal: (place, current) => dying.reseal(place, current, 1), unsealedTeams: () => Promise.resolve([]) } }, now + keptAfterRotation);
      expect(await history(configured(present).memories), `killed at ${n}`).toEqual(before);
      if (calls < n) break;
      kills += 1;
    }
    expect(kills).toBeGreaterThan(1);
    expect(await keysInUse()).toEqual([2]);
    expect(await keysOfTeam()).toMatchObject([{ number: 2 }]);
  });

  test("a write that met the old key in between is brought along before that goes", async () => {
    const stale = configured(present);
    await stale.writer.commit(ada.principal, ada.at(now), []).catch(() => undefined);
    await stale.teamKeys.sealing(team.id);
    await rotateDataKey({ ...managing(), secrets: configured(present) });
    await rotate(configured(present));
    const { remember } = await import("../../../src/domain/memories/remember.ts");
    await remember({ ...ada.at(now), memories: stale.memories, writer: stale.writer }, { key: "late", content: "alpha", ...secret });
    expect(await keysInUse()).toEqual([1]);
    await rotate(configured(present), now + keptAfterRotation);
    expect(await keysInUse()).toEqual([2]);
    expect((await configured(present).memories.byKey(ada.principal, now, "late", {}))[0]?.content).toBe("alpha");
  });

  test("secrets from before there were citations open as before, and are sealed with none at the next turn of the key", async () => {
    const { id } = await ada.keep("k", "alpha", secret);
    await env.SHARD_0.prepare("update memories set citations = '[]' where id = ?").bind(id).run();
    await env.SHARD_0.prepare("update versions set state = json_remove(state, '$.citations') where memory_id = ?").bind(id).run();
    const ports = configured(present);
    const open = async () => [(await ports.memories.byKey(ada.principal, now, "k", {}))[0], (await history(ports.memories)).flat()[0]];
    expect(await open()).toMatchObject([{ content: "alpha", citations: [] }, { content: "alpha" }]);
    await rotateDataKey({ ...managing(), secrets: ports });
    await rotate(ports, now + keptAfterRotation);
    expect(await rows("select data_key, citations like '%s1.2.%' as sealed from memories where id = ?", id)).toEqual([{ data_key: 2, sealed: 1 }]);
    expect(await open()).toMatchObject([{ content: "alpha", citations: [] }, { content: "alpha" }]);
  });

  test("secrets from before they were sealed are sealed within the hour", async () => {
    const { id } = await ada.keep("k", "alpha", secret);
    await env.SHARD_0.prepare("update memories set content = 'legacy', value = null, summary = null, metadata = '{}', keywords = '[]', related_files = '[]', compressed = null, data_key = null where id = ?").bind(id).run();
    await env.SHARD_0.prepare(`update versions set data_key = null, state = json_set(state, '$.content', 'legacy', '$.value', null, '$.summary', null, '$.metadata', json('{}'), '$.keywords', json('[]'), '$.relatedFiles', json('[]'), '$.compressed', null) where memory_id = ?`).bind(id).run();
    const ports = configured(present);
    expect((await ports.memories.byKey(ada.principal, now, "k", {}))[0]?.content).toBe("legacy");
    const hour = Math.ceil(now / 3_600_000) * 3_600_000;
    await rotate(ports, hour);
    expect(JSON.stringify([await rows("select * from memories where id = ?", id), await rows("select * from versions where memory_id = ?", id)])).not.toContain("legacy");
    expect((await history(ports.memories)).flat()).toMatchObject([{ content: "legacy", metadata: {} }, [{ state: { content: "legacy" } }]]);
  });
});
