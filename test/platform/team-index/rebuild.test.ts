import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { forget } from "../../../src/domain/memories/forget.ts";
import { followingVersion } from "../../../src/domain/memories/versions.ts";
import { commits, deliver, minute, newTeam, now, type Person, type Team } from "../../support/team.ts";

let team: Team;
let ada: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

/** Damage to what is stored, as the object finds it when it next awakes. */
async function sqlOfIndex(statement: string): Promise<void> {
  await team.settle();
  await runInDurableObject(team.index, (_, state) => {
    state.storage.sql.exec(statement);
  });
  await evictDurableObject(team.index);
}

async function erase(id: string, at = now): Promise<void> {
  const preview = await forget(ada.at(at), { ids: [id], mode: "erase" });
  if (preview.outcome !== "preview") throw new Error("no preview");
  expect((await forget(ada.at(at), { ids: [id], mode: "erase", confirm: preview.confirm })).outcome).toBe("erased");
}

describe("the statistics", () => {
  test("say what the memory of the index has no room for, and that it is asked for elsewhere", async () => {
    await ada.remember("the blue whale sings");
    const before = await ada.call("omn_memory_stats");
    expect(before.structured["index"]).toEqual({ storage_percent: 0, beyond_memory: [] });
    expect(before.text).not.toContain("Larger than the memory");

    await sqlOfIndex(`INSERT INTO copied_spaces (mark, dimensions, evicted) VALUES ('space', 8, 1);
      INSERT INTO meta (name, value) VALUES ('graph', 'too-large') ON CONFLICT (name) DO UPDATE SET value = excluded.value`);

    const after = await ada.call("omn_memory_stats");
    expect(after.structured["index"]).toEqual({ storage_percent: 0, beyond_memory: ["vectors", "graph"] });
    expect(after.text).toContain("Larger than the memory of the team's index: vectors (Vectorize is asked for the oldest), graph (the database is asked for it).");
    expect(await ada.search("whales singing")).toEqual(["the blue whale sings"]);
  });
});

describe("the index is dropped [S15] [S5]", () => {
  test("and the next search finds everything again, past versions too", async () => {
    for (let n = 0; n < 20; n += 1) await ada.keep(`fact.${n}`, `whale number${n}`);
    await ada.keep("fact.3", "dolphin number3", {}, now + minute);

    await runInDurableObject(team.index, (_, state) => state.storage.deleteAll());
    await evictDurableObject(team.index);

    expect(await ada.search("whale", {}, now + minute)).toHaveLength(19);
    expect(await ada.search("dolphin", {}, now + minute)).toEqual(["dolphin number3"]);
    expect(await ada.search("number3", { asOf: now }, now + minute)).toEqual(["whale number3"]);
  });

  test("table by table, and a fresh object builds its layout anew", async () => {
    await ada.remember("the blue whale sings");
    await sqlOfIndex(["docs", "slots", "parts", "fresh", "segments", "chunks", "sources", "ahead", "meta"].map((table) => `DROP TABLE ${table};`).join("\n"));

    expect(await ada.search("whales singing")).toEqual(["the blue whale sings"]);
  });

  test("more than a page of memories comes back whole", async () => {
    const records = Array.from({ length: 1_000 }, (_, n) => ({ key: `bulk.${n}`, content: `entry${n} of the ledger` }));
    for (const half of [records.slice(0, 500), records.slice(500)]) {
      expect((await ada.call("omn_import_memories", { memories: half })).structured).toMatchObject({ created: 500 });
    }
    await ada.call("omn_import_memories", { memories: [{ key: "bulk.last", content: "entry1000 of the ledger" }] });
    await team.index.rebuild(team.ref);

    expect((await team.index.stats(team.ref)).documents).toBe(1_001);
    expect(await ada.search("entry0 entry499 entry1000", {}, Date.now())).toHaveLength(3);
  });
});

describe("long histories [S15] [U13]", () => {
  test("of more versions than a page takes come back whole", async () => {
    for (const name of ["ash", "birch"]) {
      const history = Array.from({ length: 2_099 }, (_, n) => ({
        version: n + 1, at: new Date(now - 3_000 * minute + n * minute).toISOString(), actor_id: "x", tool: "t", action: "update",
        state: { key: name, content: `${name} tree in ring${n + 1}` },
      }));
      const memory = { key: name, content: `${name} tree felled`, version: 2_100, updated_at: new Date(now).toISOString(), history };
      expect((await ada.call("omn_import_memories", { memories: [memory, { key: `${name}.leaf`, content: `leaf of an ${name}` }] })).structured).toMatchObject({ created: 2 });
    }
    await team.index.rebuild(team.ref);
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
    const later = Date.now();
    expect(await ada.search("felled leaf", {}, later)).toHaveLength(4);
    for (const name of ["ash", "birch"]) {
      expect(await ada.search(`${name} tree`, { asOf: now - 2_000 * minute }, later)).toContain(`${name} tree in ring1001`);
    }
  }, 60_000);
});

describe("the index lags [S15] [U6]", () => {
  const begunAnew = () => evictDurableObject(team.index);

  test("behind a commit it never heard of: a search finds it within seconds, and at once when the object has started since", async () => {
    await ada.remember("known from the start");
    await ada.commitOnly("the missed zeppelin");
    expect((await team.index.stats(team.ref)).documents).toBe(1);
    await expect.poll(() => ada.search("zeppelin")).toEqual(["the missed zeppelin"]);

    await ada.commitOnly("the missed balloon");
    await begunAnew();
    expect(await ada.search("balloon")).toEqual(["the missed balloon"]);
  });

  test("behind the second of three versions: as of then, it is found", async () => {
    const first = await ada.keep("ship", "a rowing boat");
    const missed = followingVersion(ada.at(now + minute), first, { content: "a steamer" });
    await commits.commit(ada.principal, ada.at(now + minute), [{ memory: missed, action: "update" }]);
    await ada.keep("ship", "an airship", {}, now + 2 * minute);

    const later = now + 3 * minute;
    expect(await ada.search("steamer boat airship", {}, later)).toEqual(["an airship"]);
    expect(await ada.search("steamer", { asOf: now + minute }, later)).toEqual(["a steamer"]);
    expect(await ada.search("boat", { asOf: now + minute }, later)).toEqual([]);
    expect(await ada.search("boat", { asOf: now }, later)).toEqual(["a rowing boat"]);
  });

  test("behind an erasure: nothing of it is found then, and the index forgets it", async () => {
    const doomed = await ada.keep("secret", "the old passphrase");
    await commits.erase(ada.principal, ada.at(now), [doomed]);
    await expect.poll(() => ada.search("passphrase")).toEqual([]);
    expect((await team.index.stats(team.ref)).documents).toBe(0);

    await commits.erase(ada.principal, ada.at(now), [await ada.keep("other", "the new passphrase")]);
    await begunAnew();
    expect(await ada.search("passphrase")).toEqual([]);
    expect((await team.index.stats(team.ref)).documents).toBe(0);
  });
});

describe("the index misses rows [S15]", () => {
  test.each([
    ["the words of present versions", "DELETE FROM fresh WHERE part LIKE 'now:%'"],
    ["documents", "DELETE FROM docs WHERE memory_id = (SELECT min(memory_id) FROM docs)"],
    ["everything but its progress", "DELETE FROM docs"],
  ])("%s: verify notices, rebuilds and finds", async (_name, damage) => {
    await ada.remember("a heron by the river");
    await ada.remember("a heron by the lake");
    await sqlOfIndex(damage);
    expect((await ada.search("heron")).length).toBeLessThan(2);

    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: true });

    expect((await ada.search("heron")).sort()).toEqual(["a heron by the lake", "a heron by the river"]);
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
  });

  test("part of a memory's text: verify notices, rebuilds and finds it whole", async () => {
    const { id } = await ada.keep("bird", "a heron by the river 🐦");
    await sqlOfIndex("UPDATE docs SET body = json_set(body, '$.content', 'a heron by')");
    const read = async () => (await ada.call("omn_retrieve_memory", { id })).structured["memories"].map(({ content }: { content: string }) => content);
    expect(await read()).toEqual(["a heron by"]);

    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: true });

    expect(await read()).toEqual(["a heron by the river 🐦"]);
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
  });

  test.each([
    ["the words of past versions", "DELETE FROM fresh WHERE part LIKE 'past:%'"],
    ["documents of past versions", "DELETE FROM docs WHERE until_at IS NOT NULL"],
  ])("%s: verify notices, rebuilds and finds as of then [U13]", async (_name, damage) => {
    await ada.keep("bird", "a heron");
    await ada.keep("bird", "a stork", {}, now + minute);
    await sqlOfIndex(damage);
    expect(await ada.search("heron", { asOf: now }, now + minute)).toEqual([]);

    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: true });

    expect(await ada.search("heron", { asOf: now }, now + minute)).toEqual(["a heron"]);
    expect(await ada.search("heron", {}, now + minute)).toEqual([]);
  });

  test("an index that is whole is left alone, with archives, versions, imports and erasures in it", async () => {
    await ada.keep("a", "one");
    await ada.keep("a", "two", {}, now + minute);
    const gone = await ada.keep("b", "three");
    await erase(gone.id);
    const old = await ada.keep("c", "four");
    await deliver(
      ada.principal,
      await commits.commit(ada.principal, ada.at(now), [
        { memory: followingVersion(ada.at(now), old, { archivedAt: now }), action: "archive" },
      ]),
    );
    await ada.call("omn_import_memories", {
      memories: [
        {
          key: "d", content: "seven", version: 7, updated_at: "2026-01-02",
          history: [{ version: 6, at: "2026-01-01", actor_id: "x", tool: "y", action: "update", state: { key: "d", content: "six" } }],
        },
      ],
    });

    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
  });
});

describe("messages arrive in another order than the commits [S15]", () => {
  test("the watermark waits for the gap, and everything is found in the end", async () => {
    const [one, two, three] = [await ada.commitOnly("first"), await ada.commitOnly("second"), await ada.commitOnly("third")];
    const applied = async (): Promise<number> => (await team.index.stats(team.ref)).appliedSeq;

    await deliver(ada.principal, [three]);
    expect(await applied()).toBe(0);
    await deliver(ada.principal, [one]);
    expect(await applied()).toBe(one.seq);
    await deliver(ada.principal, [one]);
    await deliver(ada.principal, [two]);
    expect(await applied()).toBe(three.seq);
    expect((await ada.search("first second third")).sort()).toEqual(["first", "second", "third"]);
  });

  test("an older version that comes late does not turn back time, and is found as of then", async () => {
    const first = await ada.keep("ship", "a rowing boat");
    const versions = [];
    for (const [n, content] of ["a steamer", "an airship"].entries()) {
      const at = ada.at(now + (n + 1) * minute);
      const [written] = await commits.commit(ada.principal, at, [
        { memory: followingVersion(at, versions[0] ?? first, { content }), action: "update" },
      ]);
      versions.push(written ?? first);
    }
    await deliver(ada.principal, versions.slice(1));
    await deliver(ada.principal, versions.slice(0, 1));

    const later = now + 3 * minute;
    expect(await ada.search("boat steamer airship", {}, later)).toEqual(["an airship"]);
    expect(await ada.search("steamer", { asOf: now + minute }, later)).toEqual(["a steamer"]);
    expect(await ada.search("boat", { asOf: now + minute }, later)).toEqual([]);
    expect(await ada.search("boat", { asOf: now }, later)).toEqual(["a rowing boat"]);
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
  });

  test("a store that comes after its own erasure leaves nothing behind", async () => {
    const doomed = await ada.commitOnly("the old passphrase");
    const erased = await commits.erase(ada.principal, ada.at(now), [doomed]);
    await team.index.remove(team.ref, [doomed.id], erased, erased);
    await deliver(ada.principal, [doomed]);

    expect(await ada.search("passphrase")).toEqual([]);
    expect(await team.index.stats(team.ref)).toMatchObject({ documents: 0, appliedSeq: erased });
  });

  test("a store that comes after a catch-up and an erasure leaves nothing behind", async () => {
    const doomed = await ada.commitOnly("the old passphrase");
    expect(await ada.search("passphrase")).toHaveLength(1);
    await erase(doomed.id);
    await deliver(ada.principal, [doomed]);

    expect(await ada.search("passphrase")).toEqual([]);
    expect((await team.index.stats(team.ref)).documents).toBe(0);
  });
});
