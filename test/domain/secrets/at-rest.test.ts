import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { exportMemories } from "../../../src/domain/memories/export.ts";
import { importMemories, parseExport } from "../../../src/domain/memories/import.ts";
import { canonical } from "../../../src/domain/memories/memory.ts";
import { acceptProposal, listProposals, setReview } from "../../../src/domain/memories/proposals.ts";
import { sha256Hex } from "../../../src/domain/hash.ts";
import { keepSecrets, rotateDataKey } from "../../../src/domain/secrets/rotation.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import { markOf, teamDigest, vectorId } from "../../../src/platform/vectorize/vector-ids.ts";
import { indexed, minute, newTeam, now, type Person, services, sisterOf, type Team } from "../../support/team.ts";
import { rows } from "../../support/indexing.ts";
import { placesWith } from "./stored.ts";

let team: Team;
let ada: Person;
let grace: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  grace = await team.join();
});

/** No word of it occurs anywhere else; words of both are searched for in all that is stored. */
const marker = (): string => `zyq${crypto.randomUUID().slice(0, 8).replaceAll(/\d/g, (digit) => "ghijklmnop".charAt(Number(digit)))}`;
const named = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const secret = { sensitivity: "secret" } as const;
const secretMetadata = { metadata: { sensitivity: "secret" } };
const later = now + 10 * minute;
const storing = (who: Person, key: string, word: string, metadata: Record<string, unknown> = {}) =>
  who.call("omn_store_memory", { key, content: `The password of Globex is ${word}, says Maria Lopez.`, metadata: { sensitivity: "secret", hint: `${word} too`, ...metadata } });

describe("a secret by the tools [A13] [S17]", () => {
  test("is answered to who names it, and stands nowhere in the clear", async () => {
    const word = marker();
    const stored = await storing(ada, "globex.password", word, { tags: ["vault"] });
    expect(stored).toMatchObject({ isError: false, structured: { outcome: "created" } });
    await indexed(ada.principal);

    const [byKey] = (await ada.call("omn_retrieve_memory", { key: "globex.password" })).structured["memories"];
    expect(byKey).toMatchObject({ content: expect.stringContaining(word), metadata: { sensitivity: "secret", hint: `${word} too`, tags: ["vault"] } });
    const [byId] = (await ada.call("omn_retrieve_memory", { id: stored.structured["memory_id"] })).structured["memories"];
    expect(byId).toEqual(byKey);
    expect((await ada.call("fetch", { id: stored.structured["memory_id"] })).text).toContain(word);
    expect(await placesWith([word], team, [ada, grace])).toEqual([]);
  });

  test("is found by its key and its tags, not by its words, and shown without them", async () => {
    const word = marker();
    await storing(ada, "globex.password", word, { tags: ["vault"], scope: "shared" });
    await storing(ada, "globex.login", word, { tags: ["vault"], scope: "shared" });
    await indexed(ada.principal);
    for (const who of [ada, grace]) {
      for (const query of [word, "Maria Lopez"]) expect((await who.call("omn_retrieve_memory", { query, min_relevance: 0 })).structured["memories"], query).toEqual([]);
      const found = await who.call("omn_retrieve_memory", { query: "globex vault", min_relevance: 0 });
      expect(found.structured["memories"].map(({ key }: { key: string }) => key).sort()).toEqual(["globex.login", "globex.password"]);
      const seen = await Promise.all([
        found, who.call("omn_retrieve_memory", { key: "globex.*" }), who.call("omn_retrieve_memory", { filters: { tags: ["vault"] } }), who.call("omn_list_memories", { full: true }),
        who.call("smart_resume"), who.call("read_memory", { pattern: "*" }), who.call("search", { query: "globex" }), who.call("omn_forget_memory", { key: "globex.*" }), who.call("omn_export_memories"),
      ]);
      for (const answer of seen) {
        expect(answer.isError, answer.text).toBe(false);
        expect(`${answer.text}${JSON.stringify(answer.structured)}`).not.toContain(word);
      }
      expect((await who.call("omn_retrieve_memory", { key: "globex.password" })).text).toContain(word);
    }
  });

  test("stays one when it is stored again without saying so, and every version is sealed", async () => {
    const [one, two] = [marker(), marker()];
    await storing(ada, "k", one);
    await ada.call("omn_store_memory", { key: "k", content: `now it is ${two}` });
    await ada.call("omn_update_memory", { key: "k", metadata: { note: two } });
    await indexed(ada.principal);
    expect((await ada.recall({ key: "k" }, Date.now()))[0]?.memory).toMatchObject({ ...secret, version: 3, content: `now it is ${two}`, metadata: { note: two } });
    const stamp = Date.now();
    expect((await ada.recall({ key: "k", asOf: stamp }, stamp + 1))[0]?.memory.content).toBe(`now it is ${two}`);
    expect(await placesWith([one, two], team, [ada])).toEqual([]);
  });

  test("an idempotency key leaves no hash of it, and still tells a repeat from a misuse", async () => {
    const word = marker();
    const call = { key: "k", content: word, ...secretMetadata, idempotency_key: "once" };
    await ada.call("omn_store_memory", call);
    expect((await ada.call("omn_store_memory", call)).structured).toMatchObject({ outcome: "created", replayed: true });
    expect((await ada.call("omn_store_memory", { ...call, content: "another" })).error?.code).toBe("VALIDATION_ERROR");
    const [kept] = await rows<{ request_hash: string }>("select request_hash from idempotency where team_id = ?", team.id);
    await ada.call("omn_store_memory", { ...call, key: "k2", content: "other", idempotency_key: "twice" });
    await ada.call("omn_store_memory", { ...call, key: "k2", content: "words", idempotency_key: "thrice" });
    expect(kept?.request_hash).toHaveLength(64);
    expect(await placesWith([word], team, [ada])).toEqual([]);
  });

  test("is not told away as a repeat of what was just recalled, and leaves no trace with the loop guard", async () => {
    const word = marker();
    const text = `The pass phrase of the vault in Lisbon is ${word}.`;
    await ada.call("omn_store_memory", { key: "plain", content: text });
    await ada.call("omn_retrieve_memory", { key: "plain" });
    expect((await ada.call("omn_store_memory", { key: "sealed", content: text, ...secretMetadata })).structured["outcome"]).toBe("created");
  });

  test("an answer that shows it is marked, so that no session keeps it for replay; others are not", async () => {
    await storing(ada, "k", "hush");
    await ada.call("omn_store_memory", { key: "open", content: "nothing" });
    const meta = async (args: Record<string, unknown>) => {
      const { rpc } = await import("../../support/mcp.ts");
      return (await rpc(ada.token, "tools/call", { name: "omn_retrieve_memory", arguments: args })).body.result._meta?.["omnimemory/secret"];
    };
    expect(await meta({ key: "k" })).toBe(true);
    expect(await meta({ key: "*" })).toBeUndefined();
    expect(await meta({ key: "open" })).toBeUndefined();
  });
});

describe("what else stores it [A13] [S17]", () => {
  test("a review shows it to the admin who decides, and seals the shared version", async () => {
    const word = marker();
    await setReview(ada.at(now), { required: true });
    await grace.keep("k", `the code is ${word}`, { ...secret, visibility: "shared" });
    const [waiting] = await listProposals(ada.at(now), { state: "pending", limit: 5 });
    expect(waiting?.memory?.content).toContain(word);
    await acceptProposal(ada.at(now + 1), { id: waiting?.proposal.id ?? "" });
    await indexed(ada.principal);
    expect((await ada.recall({ key: "k" }))[0]?.memory.content).toContain(word);
    expect(await placesWith([word], team, [ada, grace])).toEqual([]);
  });

  test("a proposed change of it is sealed, is shown to its author and to admins, and goes with the memory", async () => {
    const [word, other] = [marker(), marker()];
    const { id } = await ada.keep("k", "the code is changed monthly", { ...secret, visibility: "shared" });
    await setReview(ada.at(now), { required: true });
    await revise(grace.at(now + 1), { target: { id }, changes: { content: `the code is ${word}` } });
    const open = await ada.keep("open", "nothing to hide", { visibility: "shared" });
    await revise(grace.at(now + 1), { target: { id: open.id }, changes: { content: `hidden ${other}`, ...secret } });
    await indexed(ada.principal);
    expect(await placesWith([word, other], team, [ada, grace])).toEqual([]);
    await rotateDataKey({ principal: ada.principal, now, tenants: services.tenants, secrets: services.secrets });
    await keepSecrets(services.secrets, () => now, now + minute);
    expect(await rows("select distinct data_key from proposals where team_id = ?", team.id)).toEqual([{ data_key: 2 }]);
    for (const who of [ada, grace]) expect((await listProposals(who.at(now), { state: "pending", limit: 5 })).map(({ wanted }) => wanted?.content).sort()).toEqual([`hidden ${other}`, `the code is ${word}`].sort());
    for (const { proposal } of await listProposals(ada.at(now), { state: "pending", limit: 5 })) await acceptProposal(ada.at(now + 3 * minute), { id: proposal.id });
    expect((await ada.recall({ key: "k" }, later))[0]?.memory.content).toBe(`the code is ${word}`);
    expect(await placesWith([word, other], team, [ada, grace])).toEqual([]);
  });

  test("a proposed secret leaves no hash of it behind, and its repeated call is known all the same", async () => {
    await setReview(ada.at(now), { required: true });
    await ada.keep("door", "open", { visibility: "shared" });
    const call = (content: string, at: number) => grace.remember(content, { key: "door", visibility: "shared", ...secret, idempotencyKey: "once" }, at);
    const first = await call("the code is 4711", now + 1);
    expect(first).toMatchObject({ outcome: "proposed", memory: { content: "open" }, proposal: { state: "pending" } });
    const [kept] = await rows<{ request_hash: string }>("select request_hash from idempotency where team_id = ?", team.id);
    const guess = (content: string) => sha256Hex(canonical({ content, key: "door", visibility: "shared", ...secret, idempotencyKey: "once" }));
    expect(kept?.request_hash).not.toBe(await guess("the code is 4711"));
    expect(await call("the code is 4711", now + 2)).toMatchObject({ outcome: "proposed", replayed: true, proposal: { id: first.proposal?.id } });
    await expect(call("the code is 4712", now + 3)).rejects.toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringContaining("idempotency key") });
  });

  test("a memory that becomes secret takes along what was proposed of it in the open", async () => {
    const word = marker();
    const { id } = await ada.keep("k", "the door", { visibility: "shared" });
    await setReview(ada.at(now), { required: true });
    await revise(grace.at(now + 1), { target: { id }, changes: { content: `the door opens with ${word}` } });
    expect(await placesWith([word], team, [ada, grace])).toEqual(["SHARD_0.proposals"]);
    await revise(ada.at(now + 2), { target: { id }, changes: secret });
    expect(await placesWith([word], team, [ada, grace])).toEqual([]);
    expect(await listProposals(grace.at(now), { state: "pending", limit: 5 })).toEqual([]);
  });

  test("an export leaves it out, unless it is asked for with memory:admin; an import seals it, history and all", async () => {
    const [word, before] = [marker(), marker()];
    await ada.keep("open", "nothing to hide");
    const { id } = await ada.keep("k", `was ${before}`);
    await revise(ada.at(now + minute), { target: { id }, changes: { content: `is ${word}`, ...secret } });
    const ask = { format: "ndjson", limit: 100, includeHistory: true } as const;
    const bare = await exportMemories(ada.at(later), ask);
    expect(bare.count).toBe(1);
    expect(bare.data).not.toMatch(new RegExp(`${word}|${before}`));
    const reader = await team.join("owner", ["memory:read", "memory:write"]);
    await expect(exportMemories(reader.at(later), { ...ask, includeSecrets: true })).rejects.toMatchObject({ code: "PERMISSION_DENIED" });

    const whole = await exportMemories(ada.at(later), { ...ask, includeSecrets: true });
    expect(whole.data).toContain(word);
    const other = await newTeam();
    const { renamed } = await importMemories(other.owner.at(later), { records: await parseExport(whole.data, whole), onConflict: "update" });
    const copied = renamed.reduce((data, { from, to }) => data.replaceAll(from, to), whole.data);
    const again = await exportMemories(other.owner.at(later), { ...ask, includeSecrets: true });
    expect(again.data.replaceAll(other.owner.id, "me")).toBe(copied.replaceAll(ada.id, "me"));
    await Promise.all([indexed(ada.principal), indexed(other.owner.principal)]);
    expect(await placesWith([word, before], other, [other.owner])).toEqual([]);
    expect(await placesWith([word, before], team, [ada])).toEqual([]);
  });

  test("archiving by a pattern and restoring lose nothing of it", async () => {
    const word = marker();
    await ada.keep("p.1", word, secret);
    const preview = await ada.call("omn_forget_memory", { key: "p.*" });
    expect((await ada.call("omn_forget_memory", { key: "p.*", confirm: preview.structured["confirm"] })).structured["outcome"]).toBe("archived");
    const [archived] = (await ada.call("omn_list_memories", { archived: true })).structured["memories"];
    await ada.call("omn_update_memory", { id: archived.memory_id, archived: false });
    expect((await ada.recall({ key: "p.1" }, Date.now()))[0]?.memory.content).toBe(word);
    expect(await placesWith([word], team, [ada])).toEqual([]);
  });

  test("a deleted person's private version is blanked, and is not taken for a damaged one", async () => {
    const { id } = await grace.keep("k", "hers alone", secret);
    await revise(grace.at(now + 1), { target: { id }, changes: { visibility: "shared", content: "everybody's" } });
    await services.erasure.store.blankPrivateVersions("SHARD_0", grace.id);
    const [first, second] = (await services.memories.history(grace.principal, now, [id])).get(id) ?? [];
    expect([first, second].map((version) => [version?.state.content, version?.redaction])).toEqual([["[erased]", undefined], ["everybody's", undefined]]);
  });

  test("another team of the organization opens what is public to it, with the key of the team whose it is", async () => {
    const sister = await sisterOf(team);
    const word = marker();
    await ada.keep("wifi", word, { ...secret, visibility: "public" });
    expect((await sister.owner.recall({ key: "wifi" }))[0]?.memory.content).toBe(word);
    expect(await sister.owner.search("wifi")).toEqual([expect.not.stringContaining(word)]);
    expect(await placesWith([word], sister, [sister.owner])).toEqual([]);
  });
});

describe("becoming secret, and not being it any more [A13] [S17]", () => {
  test("seals all that was said before, and takes it out of every index, cache and graph", async () => {
    const [one, two] = [marker(), marker()];
    const fields = { namespace: "thread:t", metadata: { hint: one }, keywords: [one], summary: one };
    const { id } = await ada.keep("k", `${one}corp uses PostgreSQL, says Maria ${one}.`, fields);
    await ada.keep("neighbour", "what came after it", { namespace: "thread:t" }, now + 1);
    await revise(ada.at(now + minute), { target: { id }, changes: { content: `Grace ${named(two)} works at Globex with MySQL.` } });
    await indexed(ada.principal);
    await ada.search(one);
    expect(await ada.search(two, {}, later)).toContainEqual(expect.stringContaining(named(two)));
    expect(await rows("select name from entities where team_id = ? and lower(name) like ?", team.id, `%${two}%`)).not.toEqual([]);

    expect((await ada.call("omn_update_memory", { id, ...secretMetadata })).structured["outcome"]).toBe("updated");
    expect(await rows("select 1 from vector_items where team_id = ? and kind = 'memory' and id = ? and hash is not null", team.id, id)).toEqual([]);
    for (const asOf of [{}, { asOf: now }, { asOf: now + minute }]) {
      for (const word of [one, two]) expect(await ada.search(word, { ...asOf, mode: "text" }, Date.now()), word).toEqual([]);
    }
    expect(await ada.search(`Grace ${named(two)}`, {}, Date.now())).not.toContainEqual(expect.stringContaining("secret"));
    await indexed(ada.principal);
    expect(await ada.search(`Grace ${named(two)}`, {}, Date.now())).not.toContainEqual(expect.stringContaining("secret"));
    expect(await placesWith([one, two], team, [ada])).toEqual([]);
    expect((await ada.recall({ id, asOf: now }, later))[0]?.memory).toMatchObject({ content: expect.stringContaining(one), metadata: { hint: one }, ...secret });
    expect(await ada.listed(later)).toHaveLength(2);
  });

  test("opens what was open before, and finds it again; what was secret then stays sealed", async () => {
    const [one, two] = [marker(), marker()];
    const { id } = await ada.keep("k", `first ${one}`);
    await revise(ada.at(now + minute), { target: { id }, changes: { ...secret, content: `second ${two}` } });
    await revise(ada.at(now + 2 * minute), { target: { id }, changes: { sensitivity: "normal", content: "third" } });
    await indexed(ada.principal);
    expect(await ada.search("third", {}, later)).toEqual(["third"]);
    expect(await ada.search(one, { asOf: now }, later)).toEqual([`first ${one}`]);
    expect(await ada.search(two, { asOf: now + minute }, later)).toEqual([]);
    expect((await ada.recall({ id, asOf: now + minute }, later))[0]?.memory.content).toBe(`second ${two}`);
    expect(await placesWith([two], team, [ada])).toEqual([]);
  });

  test("a rebuilt index knows no more than the one before", async () => {
    const [one, two] = [marker(), marker()];
    const { id } = await ada.keep("k", one);
    await revise(ada.at(now + minute), { target: { id }, changes: { ...secret, content: two } });
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
    await team.index.rebuild(team.ref);
    expect(await ada.search("k", { minRelevance: 0 }, later)).toHaveLength(1);
    for (const asOf of [{}, { asOf: now }]) expect(await ada.search(`${one} ${two}`, asOf, later)).toEqual([]);
    expect(await placesWith([one, two], team, [ada])).toEqual([]);
  });
});

test("the vector of a memory that became secret is gone from the vector store [A13]", async () => {
  const { id } = await ada.keep("k", "Grace works on billing in Oslo");
  await indexed(ada.principal);
  const named = await rows<{ kind: "memory"; id: string; space: string }>("select kind, id, space from vector_items where team_id = ?", team.id);
  const vectors = await Promise.all(named.map(async ({ kind, id, space }) => vectorId(kind, id, { team: await teamDigest(team.id), mark: await markOf(space), copy: "team" })));
  expect((await env.VECTORIZE.getByIds(vectors)).length).toBe(vectors.length);
  await revise(ada.at(now + 1), { target: { id }, changes: secret });
  await indexed(ada.principal);
  expect(await env.VECTORIZE.getByIds(vectors)).toEqual([]);
  for (const table of ["vector_items", "vector_cache", "entities", "relationships"]) expect(await rows(`select * from ${table} where team_id = ?`, team.id), table).toEqual([]);
  expect((await ada.call("omn_memory_stats")).structured).toMatchObject({ content_bytes: "Grace works on billing in Oslo".length, vectors: { indexed: 0, waiting: 0 } });
});
