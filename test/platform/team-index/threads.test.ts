import { beforeEach, describe, expect, test } from "vitest";
import { forget } from "../../../src/domain/memories/forget.ts";
import { revise, type ReviseInput } from "../../../src/domain/memories/revise.ts";
import { recall } from "../../../src/domain/recall/recall.ts";
import { rendering } from "../../support/rendering.ts";
import { minute, newTeam, now, type Person, type Team } from "../../support/team.ts";
import type { RememberInput } from "../../../src/domain/memories/remember.ts";

const thread = "thread:trip";
let team: Team;
let ada: Person;
let grace: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  grace = await team.join();
});

/** A turn of the conversation, `n` minutes into it. */
const say = (who: Person, n: number, content: string, fields: Partial<RememberInput> = {}) =>
  who.keep(`turn.${n}`, content, { namespace: thread, visibility: "shared", occurredAt: now + n * minute, ...fields });

const change = (who: Person, id: string, changes: ReviseInput["changes"]) => revise(who.at(now + minute), { target: { id }, changes });

async function remove(who: Person, id: string, mode: "archive" | "erase"): Promise<void> {
  const preview = await forget(who.at(now + minute), { ids: [id], mode });
  if (preview.outcome === "preview") await forget(who.at(now + minute), { ids: [id], mode, confirm: preview.confirm });
}

/** Whether the question finds the memory, as the person sees it. */
const finds = async (who: Person, question: string, content: string): Promise<boolean> =>
  (await who.search(question, {}, now + 2 * minute)).includes(content);

/** What the text index gives each memory that it finds, by content. */
async function textScores(who: Person, query: string): Promise<Map<string, number>> {
  const { items, receipt } = await recall(who.at(now), { query, mode: "text", limit: 100, minRelevance: 0, receipt: true, rendering });
  const scores = new Map(receipt?.hits.map(({ id, legs }) => [id, legs.memory_text?.score ?? 0]));
  return new Map(items.map(({ memory }) => [memory.content, scores.get(memory.id) ?? 0]));
}

describe("a turn of a conversation is found through what was said beside it [S15]", () => {
  test("up to two turns away, nearer ones better, further ones not", async () => {
    const turns = ["where shall we go", "to the lighthouse", "agreed", "when then", "on friday", "fine by me"];
    for (const [n, turn] of turns.entries()) await say(ada, n, turn);

    expect((await ada.search("lighthouse"))[0]).toBe("to the lighthouse");
    const scores = await textScores(ada, "lighthouse");
    expect([...scores.keys()].sort()).toEqual(turns.slice(0, 4).sort());
    const [before = 0, itself = 0, after = 0, further = 0] = turns.map((turn) => scores.get(turn));
    expect(itself).toBeGreaterThan(Math.max(before, after));
    expect(Math.min(before, after)).toBeGreaterThan(further);
  });

  test("only in the same thread or session, not in a project", async () => {
    await say(ada, 0, "to the lighthouse");
    await say(ada, 1, "agreed", { namespace: "thread:other" });
    await ada.remember("the lighthouse keeper", { namespace: "project:coast", occurredAt: now });
    await ada.remember("lives alone", { namespace: "project:coast", occurredAt: now + minute });
    expect((await ada.search("lighthouse")).sort()).toEqual(["the lighthouse keeper", "to the lighthouse"]);
  });

  test("in the order of events, whatever the order of storing", async () => {
    await say(ada, 4, "fine by me");
    await say(ada, 0, "where to");
    await say(ada, 2, "what do you think");
    await say(ada, 1, "the lighthouse");
    await say(ada, 3, "lovely");
    expect(await finds(ada, "lighthouse", "lovely")).toBe(true);
    expect(await finds(ada, "lighthouse", "fine by me")).toBe(false);
  });

  test("the speaker and the date find a turn", async () => {
    await say(ada, 0, "see you there", { agentId: "marguerite" });
    expect(await ada.search("Marguerite")).toEqual(["see you there"]);
    expect(await ada.search("November 2026")).toEqual(["see you there"]);
  });
});

describe("private words are not lent to what others may see [S6] [S15]", () => {
  test("a shared turn beside a private one: its words find it for nobody, not even their owner", async () => {
    await say(ada, 0, "my salary is ninety thousand", { visibility: "private" });
    await say(ada, 1, "agreed");
    expect(await finds(grace, "salary", "agreed")).toBe(false);
    expect(await finds(ada, "salary", "agreed")).toBe(false);
    expect(await finds(ada, "salary", "my salary is ninety thousand")).toBe(true);
  });

  test("two people's private turns do not lend to each other, one's own do", async () => {
    await say(ada, 0, "my salary is ninety thousand", { visibility: "private" });
    await say(grace, 1, "noted", { visibility: "private" });
    await say(ada, 2, "keep it quiet", { visibility: "private" });
    expect(await finds(grace, "salary", "noted")).toBe(false);
    expect(await finds(ada, "salary", "keep it quiet")).toBe(true);
  });

  test("a shared turn lends to a private one, and not to a public one", async () => {
    await say(ada, 0, "the budget is nine thousand");
    await say(ada, 1, "too little", { visibility: "private" });
    await say(ada, 2, "welcome everybody", { visibility: "public" });
    expect(await finds(ada, "budget", "too little")).toBe(true);
    expect(await finds(grace, "budget", "welcome everybody")).toBe(false);
  });

  test("a neighbour made private takes its words back, one made shared lends them", async () => {
    const salary = await say(ada, 0, "my salary is ninety thousand");
    await say(ada, 1, "agreed");
    expect(await finds(grace, "salary", "agreed")).toBe(true);
    await change(ada, salary.id, { visibility: "private" });
    expect(await finds(grace, "salary", "agreed")).toBe(false);
    await change(ada, salary.id, { visibility: "shared" });
    expect(await finds(grace, "salary", "agreed")).toBe(true);
  });
});

describe("a neighbour that goes takes its words along [S15] [S14]", () => {
  const gone: [how: string, act: (id: string) => Promise<unknown>][] = [
    ["erased", (id) => remove(ada, id, "erase")],
    ["archived", (id) => remove(ada, id, "archive")],
    ["moved to another thread", (id) => change(ada, id, { namespace: "thread:elsewhere" })],
    ["moved to another time", (id) => change(ada, id, { occurredAt: now + 90 * minute })],
    ["rewritten", (id) => change(ada, id, { content: "to the harbour" })],
  ];
  test.each(gone)("%s", async (_how, act) => {
    const neighbour = await say(ada, 3, "to the lighthouse");
    for (const [n, content] of [[1, "hm"], [2, "well"], [4, "agreed"], [5, "bye"], [6, "until then"], [7, "yes"]] as const) await say(ada, n, content);
    expect(await finds(ada, "lighthouse", "agreed")).toBe(true);
    expect(await finds(ada, "lighthouse", "hm")).toBe(true);

    await act(neighbour.id);

    for (const content of ["agreed", "bye", "hm", "well"]) expect(await finds(ada, "lighthouse", content), content).toBe(false);
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
  });

  test("and those now side by side lend to each other, as if it had never been there", async () => {
    await say(ada, 0, "to the lighthouse");
    const between = [await say(ada, 1, "one"), await say(ada, 2, "two")];
    await say(ada, 3, "agreed");
    expect(await finds(ada, "lighthouse", "agreed")).toBe(false);
    for (const { id } of between) await remove(ada, id, "erase");
    expect(await finds(ada, "lighthouse", "agreed")).toBe(true);
  });

  test("a restored one lends again", async () => {
    const neighbour = await say(ada, 0, "to the lighthouse");
    await say(ada, 1, "agreed");
    await remove(ada, neighbour.id, "archive");
    expect(await finds(ada, "lighthouse", "agreed")).toBe(false);
    await change(ada, neighbour.id, { archivedAt: null });
    expect(await finds(ada, "lighthouse", "agreed")).toBe(true);
  });

  test("a rebuilt index finds by the same words as one that grew", async () => {
    const turns = ["where to", "the lighthouse", "agreed", "when", "friday"];
    for (const [n, content] of turns.entries()) await say(n % 2 ? grace : ada, n, content, n === 3 ? { visibility: "private" } : {});
    await change(ada, (await say(ada, 2, "gladly")).id, { content: "with pleasure" });
    const ask = async () => {
      const found = [];
      for (const who of [ada, grace]) for (const word of turns.join(" ").split(" ")) found.push([word, (await who.search(word, {}, now + minute)).sort()]);
      return found;
    };
    const grown = await ask();
    await team.index.rebuild(team.ref);
    expect(await ask()).toEqual(grown);
  });

  test("a rebuilt index ranks like one that never had what was deleted from it", async () => {
    const fresh = await newTeam();
    for (const person of [ada, fresh.owner]) {
      await person.keep("a", "whale and krill");
      await person.keep("b", "krill harbour harbour");
      for (const n of [1, 2, 3]) await person.keep(`${n}`, `unrelated ${n}`);
    }
    for (let n = 0; n < 40; n += 1) await ada.keep("noise", `noise ${n}`);
    await remove(ada, (await ada.recall({ key: "noise" }))[0]?.memory.id ?? "", "erase");
    await team.index.rebuild(team.ref);
    const ask = async (who: Person) => (await who.recall({ query: "whale krill harbour" })).map(({ memory, relevance }) => [memory.key, relevance]);
    expect(await ask(ada)).toEqual(await ask(fresh.owner));
  });
});
