import { beforeEach, describe, expect, test } from "vitest";
import { exportMemories } from "../../../src/domain/memories/export.ts";
import { forget } from "../../../src/domain/memories/forget.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import { minute, newTeam, now, type Person, type Team } from "../../support/team.ts";

let team: Team;
let ada: Person;
let people: Person[];

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  people = [ada, await team.join(), await team.join()];
});

const by = (n: number): Person => people[n % people.length] as Person;
const times = <T>(n: number, work: (i: number) => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: n }, (_, i) => work(i)));

interface Exported {
  id: string;
  key: string;
  version: number;
  content: string;
  history?: { version: number; actor_id: string; state: { content: string; tags: string[]; importance: number; summary: string | null } }[];
}

async function exported(key: string): Promise<Exported[]> {
  const { data } = await exportMemories(ada.at(now + minute), { format: "json", limit: 1_000, includeHistory: true });
  return (JSON.parse(data).memories as Exported[]).filter((memory) => memory.key === key);
}

/** The chain has no hole, and holds exactly these contents. */
async function checkChain(key: string, contents: string[]): Promise<void> {
  const [memory, ...others] = await exported(key);
  expect(others).toEqual([]);
  const versions = [...(memory?.history ?? []).map(({ version, state }) => [version, state.content] as const), [memory?.version, memory?.content] as const];
  expect(versions.map(([version]) => version)).toEqual(contents.map((_, n) => n + 1));
  expect(versions.map(([, content]) => content).sort()).toEqual([...contents].sort());
}

describe("many writers of one key [B2] [S14]", () => {
  test.each([8, 24])("%i stores at once give as many versions, and none is lost", async (n) => {
    const contents = Array.from({ length: n }, (_, i) => `said by ${i}`);
    const outcomes = await times(n, (i) => by(i).remember(contents[i] as string, { key: "board", visibility: "shared" }));
    expect(outcomes.map(({ memory }) => memory.version).sort((a, b) => a - b)).toEqual(contents.map((_, i) => i + 1));
    expect(outcomes.filter(({ outcome }) => outcome === "created")).toHaveLength(1);
    await checkChain("board", contents);
    const last = outcomes.find(({ memory }) => memory.version === n)?.memory.content as string;
    expect(await ada.search("said", {}, now + minute)).toEqual([last]);
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
  });

  test("through the tool, from several tools of several people, and who wrote what is kept", async () => {
    const outcomes = await times(12, (i) =>
      by(i).call("omn_store_memory", { key: "board", content: `said by ${i}`, metadata: { scope: "shared" } }),
    );
    expect(outcomes.map(({ structured }) => structured["version"]).sort((a, b) => a - b)).toEqual(outcomes.map((_, i) => i + 1));
    const whole = await ada.call("omn_export_memories", {});
    const memory = JSON.parse(whole.structured["data"]) as Exported;
    for (const { actor_id, state } of memory.history ?? []) expect(actor_id).toBe(by(Number(state.content.split(" ")[2])).id);
  });

  test("stores, updates and imports on the same key", async () => {
    await ada.keep("board", "start", { visibility: "shared" });
    const outcomes = await times(12, async (i) => {
      const content = `said by ${i}`;
      if (i % 3 === 0) return (await by(i).remember(content, { key: "board", visibility: "shared" })).memory.version;
      if (i % 3 === 1) {
        const revised = await revise(by(i).at(now), { target: { key: "board" }, changes: { content } });
        return revised.outcome === "conflict" ? 0 : revised.memory.version;
      }
      return (await by(i).call("omn_import_memories", { memories: [{ key: "board", content, visibility: "shared" }] })).structured["updated"] === 1 ? -1 : 0;
    });
    expect(outcomes).not.toContain(0);
    await checkChain("board", ["start", ...outcomes.map((_, i) => `said by ${i}`)]);
  });

  test("changes of different fields at once all survive", async () => {
    const { id } = await ada.keep("board", "start", { visibility: "shared" });
    const changes = [{ content: "new content" }, { tags: ["new"] }, { importance: 0.9 }, { summary: "new summary" }, { type: "insight" as const }, { occurredAt: now }];
    const outcomes = await times(changes.length, (i) => revise(by(i).at(now), { target: { id }, changes: changes[i] ?? {} }));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(changes.map(() => "updated"));
    const [found] = await ada.recall({ id }, now + minute);
    expect(found?.memory).toMatchObject(Object.assign({ version: changes.length + 1 }, ...changes));
  });

  test("of several changes based on one version one is made, the others are told what it was", async () => {
    const { id } = await ada.keep("board", "start", { visibility: "shared" });
    const outcomes = await times(6, (i) => revise(by(i).at(now), { target: { id }, expectedVersion: 1, changes: { content: `said by ${i}` } }));
    const [made, ...more] = outcomes.filter(({ outcome }) => outcome === "updated");
    expect(more).toEqual([]);
    const conflicts = outcomes.filter((outcome) => outcome.outcome === "conflict");
    expect(conflicts).toHaveLength(5);
    for (const { current } of conflicts) expect(current).toMatchObject({ version: 2, content: made?.outcome === "updated" ? made.memory.content : "" });
  });
});

describe("forgetting against writing [U4] [S14]", () => {
  test("a memory changed since its preview is not erased: the change is never lost unseen", async () => {
    for (let round = 0; round < 6; round += 1) {
      const key = `k${round}`;
      const { id } = await ada.keep(key, "start");
      const preview = await forget(ada.at(now), { ids: [id], mode: "erase" });
      const confirm = preview.outcome === "preview" ? preview.confirm : "";
      const [erased, stored] = await Promise.all([
        forget(ada.at(now), { ids: [id], mode: "erase", confirm }),
        ada.remember("changed", { key }, now + 1),
      ]);
      const left = await exported(key);
      expect(left.map(({ content }) => content)).toEqual(["changed"]);
      // Erased first: the store made a new memory. Stored first: the token no longer held.
      expect(erased.outcome === "erased" ? stored.outcome : erased.outcome).toBe(erased.outcome === "erased" ? "created" : "preview");
      expect(left[0]?.id === id).toBe(erased.outcome === "preview");
    }
  });

  test("of several confirmed erasures one is told that it erased, the others that nothing is there", async () => {
    const { id } = await ada.keep("k", "start");
    const preview = await forget(ada.at(now), { ids: [id], mode: "erase" });
    const confirm = preview.outcome === "preview" ? preview.confirm : "";
    const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => forget(ada.at(now), { ids: [id], mode: "erase", confirm })));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes) if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "MEMORY_NOT_FOUND" });
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
  });

  test("archiving and storing at once never leaves two of one key", async () => {
    await ada.keep("k", "start");
    await times(8, async (i) => {
      if (i % 2) return ada.remember(`said by ${i}`, { key: "k" });
      const preview = await forget(ada.at(now), { key: "k", mode: "archive" }).catch(() => undefined);
      return preview?.outcome === "preview" ? forget(ada.at(now), { key: "k", mode: "archive", confirm: preview.confirm }).catch(() => undefined) : undefined;
    });
    expect((await ada.recall({ key: "k" }, now + minute)).length).toBeLessThanOrEqual(1);
    for (const memory of await exported("k")) {
      expect([...(memory.history ?? []).map(({ version }) => version), memory.version]).toEqual(Array.from({ length: memory.version }, (_, n) => n + 1));
    }
  });
});

test("a memory that several archive at once, or change meanwhile, is archived for all of them [B2]", async () => {
  const { id } = (await ada.remember("the heron stands by the lake", { key: "heron", visibility: "shared" })).memory;
  const answers = await times(6, (n) => (n === 0 ? ada.call("omn_update_memory", { id, metadata: { tags: ["bird"] } }) : ada.call(["mnemosyne_delete", "memory_delete"][n % 2] as string, { memory_id: id })));
  expect(answers.map(({ isError, text }) => (isError ? text : ""))).toEqual(answers.map(() => ""));
  expect((await ada.call("omn_list_memories", {})).structured["memories"]).toEqual([]);
});
