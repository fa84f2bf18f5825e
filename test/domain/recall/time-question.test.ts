import { describe, expect, test } from "vitest";
import { timeAskedFor } from "../../../src/domain/recall/time-question.ts";
import { always } from "../../../src/domain/text/time-calendar.ts";
import { recall } from "../../../src/domain/recall/recall.ts";
import { day, hour, newTeam, now, type Person } from "../../support/team.ts";

/** The days of a span, the last one included. */
const daysOf = (question: string): string | undefined => {
  const span = timeAskedFor(question, now);
  if (!span) return undefined;
  if (span.from === always.from && span.to === always.to) return "newest";
  const [from, to] = [span.from, span.to - 1].map((instant) => new Date(instant).toISOString().slice(5, 10));
  return from === to ? from : `${from} to ${to}`;
};

describe("a question that names a time and nothing else asks for what happened then [D5]", () => {
  test.each([
    ["What did we do yesterday?", "11-19"], ["what happened last week", "11-09 to 11-15"], ["yesterday", "11-19"], ["What have I done today so far?", "11-20"],
    ["What did we do yesterday and today?", "11-19 to 11-20"], ["What's new since Monday?", "11-16 to 11-20"], ["decisions in October", "10-01 to 10-31"], ["all bugs fixed in October", "10-01 to 10-31"], ["What broke yesterday?", "11-19"], ["Summarize last week, please.", "11-09 to 11-15"],
    ["what happened on 12 November", "11-12"], ["What did we discuss on 2026-11-05?", "11-05"], ["give me an update on last week", "11-09 to 11-15"],
    ["Was haben wir gestern gemacht?", "11-19"], ["Was haben wir im Oktober beschlossen?", "10-01 to 10-31"], ["Welche Fehler haben wir gestern behoben?", "11-19"], ["昨天修复了什么", "11-19"], ["Woran haben wir letzte Woche gearbeitet?", "11-09 to 11-15"],
    ["Qu'avons-nous fait hier ?", "11-19"], ["Que s'est-il passé la semaine dernière ?", "11-09 to 11-15"], ["¿Qué hicimos ayer?", "11-19"], ["¿Qué pasó la semana pasada?", "11-09 to 11-15"],
    ["昨天我们做了什么？", "11-19"], ["上周发生了什么", "11-09 to 11-15"], ["昨日何がありましたか", "11-19"], ["先週何をしましたか", "11-09 to 11-15"],
    ["What's new?", "newest"], ["recent changes", "newest"], ["What have we been working on lately?", "newest"], ["Was gibt es Neues?", "newest"], ["Quoi de neuf ?", "newest"], ["¿Qué hay de nuevo?", "newest"], ["最近做了什么？", "newest"],
  ])("%s: %s", (question, expected) => {
    expect(daysOf(question)).toBe(expected);
  });

  test.each([
    "What did Marta do last week?", "Which release went out last week?", "What did we decide about billing last week?", "Which billing bugs did we fix last week?", "What is the staging port?", "latest version", "new", "new relic", "2024", "What is the new address?",
    "What changed in Spring?", "What day is it today?", "What happens next week?", "What must be done by Friday?", "What did we do first?", "How far had I got at the beginning of October?", "昨天谁部署了？", "先週リリースしたのは何？",
    `What happened last week? ${"So much has happened. ".repeat(20)}`,
  ])("%s: asks for something else", (question) => {
    expect(daysOf(question)).toBeUndefined();
  });
});

const asked = async (who: Person, query: string, more: { limit?: number; project?: string; filter?: object } = {}): Promise<string[]> =>
  (await recall(who.at(now), { query, limit: 10, ...more })).items.map(({ memory }) => memory.content);

describe("what happened then is the answer [D5]", () => {
  test("all of it, newest first, by when it happened or else was last changed, and nothing of another time", async () => {
    const { owner } = await newTeam();
    await owner.remember("The gulls were counted.", { occurredAt: now - 8 * day });
    await owner.remember("Rust replaced the old pump firmware.", { occurredAt: now - 5 * day });
    await owner.remember("Told today of the fire in March.", { occurredAt: now - 240 * day });
    await owner.keep("crane", "The crane is inspected.", {}, now - 9 * day);
    await owner.keep("lamp", "The lamp is red.", {}, now - 60 * day);
    await owner.keep("lamp", "The lamp is green.", {}, now - 7 * day);
    await owner.remember("A note of this morning.", {}, now - 2 * hour);
    expect(await asked(owner, "What did we do last week?")).toEqual(["Rust replaced the old pump firmware.", "The lamp is green.", "The gulls were counted.", "The crane is inspected."]);
    expect(await asked(owner, "What happened today?")).toEqual(["A note of this morning."]);
    expect(await asked(owner, "What's new?", { limit: 2 })).toEqual(["A note of this morning.", "Rust replaced the old pump firmware."]);
    expect(await asked(owner, "What happened yesterday?")).toEqual([]);
  });

  test("decisions, where there are any; else whatever happened", async () => {
    const { owner } = await newTeam();
    await owner.remember("The pier lamps were cleaned.", { occurredAt: now - 8 * day });
    await owner.remember("Tickets stay on paper until 2030.", { occurredAt: now - 8 * day, type: "architecture_decision" });
    await owner.remember("We agreed on four-eyes reviews.", { occurredAt: now - 9 * day });
    await owner.remember("The hull was painted.", { occurredAt: now - day });
    expect(await asked(owner, "What did we decide last week?")).toEqual(["Tickets stay on paper until 2030.", "We agreed on four-eyes reviews."]);
    expect(await asked(owner, "What did we decide yesterday?")).toEqual(["The hull was painted."]);
  });

  test("a decision is found behind however much of another type was stored after it", async () => {
    const { owner } = await newTeam();
    await owner.remember("Tickets stay on paper until 2030.", { occurredAt: now - 9 * day, type: "architecture_decision" });
    for (let n = 0; n < 65; n += 1) await owner.remember(`Lamp ${n} was cleaned.`, { occurredAt: now - 8 * day, type: "standard" });
    expect(await asked(owner, "What did we decide last week?")).toEqual(["Tickets stay on paper until 2030."]);
    expect((await asked(owner, "What did we do last week?", { limit: 3 })).every((content) => content.startsWith("Lamp"))).toBe(true);
  });

  test("what was broken and fixed, where there is any; else whatever happened", async () => {
    const { owner } = await newTeam();
    await owner.remember("The pier lamps were cleaned.", { occurredAt: now - 8 * day });
    await owner.remember("Tickets were printed twice: the queue had two readers.", { occurredAt: now - 8 * day, type: "bug_fix" });
    await owner.remember("Fixed the ferry clock, which lost an hour.", { occurredAt: now - 9 * day });
    await owner.remember("The hull was painted.", { occurredAt: now - day });
    expect(await asked(owner, "Which bugs did we fix last week?")).toEqual(["Tickets were printed twice: the queue had two readers.", "Fixed the ferry clock, which lost an hour."]);
    expect(await asked(owner, "What broke yesterday?")).toEqual(["The hull was painted."]);
  });

  test("turns of talks come after what was noted", async () => {
    const { owner } = await newTeam();
    await owner.remember("Shall we have lunch?", { occurredAt: now - day, namespace: "thread:lunch" });
    await owner.remember("The port is 8080.", { occurredAt: now - day - hour });
    expect(await asked(owner, "What did we do yesterday?")).toEqual(["The port is 8080.", "Shall we have lunch?"]);
  });

  test("filters, expiry and the past hold, and a search by words alone searches for words", async () => {
    const { owner } = await newTeam();
    await owner.remember("The pump was oiled.", { occurredAt: now - day, tags: ["pump"] });
    await owner.remember("The crane was oiled.", { occurredAt: now - day, tags: ["crane"] });
    await owner.remember("Gone by noon.", { occurredAt: now - day, expiresAt: now - hour }, now - 2 * hour);
    expect((await asked(owner, "What did we do yesterday?")).toSorted()).toEqual(["The crane was oiled.", "The pump was oiled."]);
    expect(await asked(owner, "What did we do yesterday?", { filter: { tags: ["crane"] } })).toEqual(["The crane was oiled."]);
    expect((await recall(owner.at(now), { query: "yesterday", limit: 10, mode: "text" })).happened).toBeUndefined();
    expect((await recall(owner.at(now), { query: "yesterday", limit: 10, asOf: now - 3 * day })).happened).toBeUndefined();
  });

  test("nobody is shown what another keeps to themselves, nor what another team did [S2]", async () => {
    const team = await newTeam();
    const bob = await team.join();
    const stranger = (await newTeam()).owner;
    await team.owner.remember("Ada's secret diary.", { occurredAt: now - day, visibility: "private" });
    await team.owner.remember("The team met.", { occurredAt: now - day, visibility: "shared" });
    await stranger.remember("Another team met.", { occurredAt: now - day, visibility: "public" });
    expect(await asked(bob, "What happened yesterday?")).toEqual(["The team met."]);
    expect(await asked(stranger, "What happened yesterday?")).toEqual(["Another team met."]);
    expect(await asked(team.owner, "What happened yesterday?")).toEqual(expect.arrayContaining(["Ada's secret diary.", "The team met."]));
  });

  test("what belongs to the project at work comes first", async () => {
    const { owner } = await newTeam();
    await owner.remember("Elsewhere a later thing.", { occurredAt: now - day, namespace: "project:other" });
    await owner.remember("Here an earlier thing.", { occurredAt: now - day - hour, namespace: "project:here" });
    expect(await asked(owner, "What did I do yesterday?", { project: "here" })).toEqual(["Here an earlier thing.", "Elsewhere a later thing."]);
  });

  test("the database answers while the team's object is away", async () => {
    const { owner } = await newTeam();
    await owner.remember("The gulls were counted.", { occurredAt: now - day });
    await owner.remember("The gulls flew.", { occurredAt: now - day + hour });
    await owner.remember("The gulls were named.", { occurredAt: now - 3 * day });
    const context = owner.at(now);
    const away = { ...context, index: Object.assign(Object.create(context.index) as typeof context.index, { recall: () => Promise.resolve(undefined) }) };
    const { items } = await recall(away, { query: "What happened yesterday?", limit: 10 });
    expect(items.map(({ memory }) => memory.content)).toEqual(["The gulls flew.", "The gulls were counted."]);
  });
});
