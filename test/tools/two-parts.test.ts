import { describe, expect, test } from "vitest";
import { estimateTokens } from "../../src/domain/text/token-count.ts";
import { indexed, newTeam, type Person, type Team } from "../support/team.ts";

const [port, owner] = ["The staging port is 8443.", "Priya owns the deploy pipeline."];
const others = ["Billing runs on PostgreSQL.", "The docs are built with Antora.", "Sprint planning is on Monday at 10.", "Logs go to Loki.", "The mobile app is written in Flutter.", "Nadia leads the search team.", "The launch is on 14 May."];
const question = "What is the staging port and who owns the deploy pipeline?";

async function told(contents: readonly string[] = [port, owner]): Promise<Team> {
  const team = await newTeam();
  for (const content of [...others, ...contents]) await team.owner.call("omn_store_memory", { content });
  await indexed(team.owner.principal);
  return team;
}

const ask = async (who: Person, query: string, more: Record<string, unknown> = {}) => {
  const { structured, text } = await who.call("omn_retrieve_memory", { query, ...more });
  return { text, structured, contents: (structured["memories"] as { content: string }[]).map(({ content }) => content) };
};

describe("a question in two parts", () => {
  test("has both parts answered, in their order, each as relevant as it is to its own part [D5]", async () => {
    const { owner: ada } = await told();
    expect((await ask(ada, question)).contents.slice(0, 2)).toEqual([port, owner]);
    const { structured, contents, text } = await ask(ada, "What is the staging port, and when is sprint planning?");
    expect(contents.slice(0, 2)).toEqual([port, "Sprint planning is on Monday at 10."]);
    expect(structured["memories"].map(({ relevance_score }: { relevance_score: number }) => relevance_score >= 0.55).slice(0, 2)).toEqual([true, true]);
    expect(structured["uncertain"]).toBeUndefined();
    expect(text).not.toContain("nothing certain");
    expect((await ask(ada, "Who leads the search team, and when is the launch?")).contents.slice(0, 2)).toEqual(["Nadia leads the search team.", "The launch is on 14 May."]);
  });

  test("says of which part nothing is certain [U5]", async () => {
    const { owner: ada } = await told([port]);
    const { structured, contents, text } = await ask(ada, "What is the staging port and who waters the office plants?");
    expect(contents[0]).toBe(port);
    expect(structured).toMatchObject({ advice: "nothing certain: who waters the office plants?" });
    expect(structured["uncertain"]).toBeUndefined();
    expect(text).toMatch(/^\(nothing certain: who waters the office plants\?\)$/m);
  });

  test("is answered as before where nothing is certain of any part [U5]", async () => {
    const { owner: ada } = await told([]);
    const { structured, contents } = await ask(ada, "Who waters the office plants and where is the spare bicycle parked?");
    expect(contents.length === 0 || structured["uncertain"] === true).toBe(true);
  });

  test("shows of each part what the asker may see, and what the filters leave [S2]", async () => {
    const team = await told([port]);
    const bob = await team.join();
    const stranger = (await newTeam()).owner;
    await team.owner.call("omn_store_memory", { content: owner, metadata: { scope: "private", tags: ["deploy"] } });
    await stranger.call("omn_store_memory", { content: "The staging port is 9999, and Mallory owns the deploy pipeline.", metadata: { scope: "shared" } });
    await indexed(team.owner.principal);
    for (const more of [{}, { min_relevance: 0 }, { min_relevance: 0, receipt: true }]) {
      const said = (await ask(bob, question, more)).text;
      expect(said).not.toContain("Priya");
      expect(said).not.toContain("9999");
    }
    expect((await ask(team.owner, question)).contents).toContain(owner);
    expect((await ask(team.owner, question, { filters: { tags: ["deploy"] }, min_relevance: 0 })).contents).toEqual([owner]);
    expect((await ask(stranger, question, { min_relevance: 0 })).contents).toHaveLength(1);
  });

  test("keeps limit, max_tokens and min_relevance over both parts, and names each memory once [U5]", async () => {
    const { owner: ada } = await told();
    expect((await ask(ada, question, { limit: 1 })).contents).toEqual([port]);
    expect((await ask(ada, question, { limit: 2, min_relevance: 0 })).contents).toEqual([port, owner]);
    const all = (await ask(ada, question, { min_relevance: 0 })).contents;
    expect(new Set(all).size).toBe(all.length);
    for (const max_tokens of [60, 120, 240, 480]) {
      const { structured, text } = await ask(ada, question, { max_tokens, min_relevance: 0 });
      expect(Math.max(estimateTokens(text), estimateTokens(JSON.stringify(structured)))).toBeLessThanOrEqual(max_tokens);
    }
  });

  test("is kept whole by the cache: the same question again has the same answer, until one of its memories changes [U6]", async () => {
    const { owner: ada } = await told();
    const first = await ask(ada, question, { receipt: true });
    const again = await ask(ada, question, { receipt: true });
    expect(again.contents).toEqual(first.contents);
    expect([first.structured["receipt"].cache, again.structured["receipt"].cache]).toEqual(["miss", "l1"]);
    await ada.call("omn_update_memory", { id: first.structured["memories"][1].memory_id, content: "Omar owns the deploy pipeline." });
    expect((await ask(ada, question)).contents.slice(0, 2)).toEqual([port, "Omar owns the deploy pipeline."]);
  });

  test("has a receipt that names what each leg found, and asks the past alike [U1] [U13]", async () => {
    const { owner: ada } = await told();
    const { structured } = await ask(ada, question, { receipt: true });
    const { hits, legs } = structured["receipt"];
    expect(hits.map(({ id }: { id: string }) => id)).toEqual(structured["memories"].map(({ memory_id }: { memory_id: string }) => memory_id));
    expect(legs.memory_text.status).toBe("ok");
    const past = await ask(ada, question, { as_of: new Date().toISOString() });
    expect(past.contents).toEqual(expect.arrayContaining([port, owner]));
  });

  test("prefers what the project says of each part [D5]", async () => {
    const { owner: ada } = await told([]);
    for (const [content, namespace] of [[port, "project:shop"], ["The staging port is 7001.", "project:other"], [owner, "global"]]) await ada.call("omn_store_memory", { content, namespace });
    await indexed(ada.principal);
    const { contents } = await ask(ada, question, { project: "shop" });
    expect(contents.slice(0, 2)).toEqual([port, owner]);
  });
});
