import { beforeEach, describe, expect, test } from "vitest";
import { noText } from "../../../../src/domain/recall/retrieve.ts";
import { Legs } from "../../../../src/domain/recall/retrievers/legs.ts";
import { idsByExpansion } from "../../../../src/domain/recall/retrievers/query-expansion.ts";
import { indexed, newTeam, type Person, type Team } from "../../../support/team.ts";

let team: Team;
let ada: Person;
const question = "How do I undo a faulty release?";
const answer = "Rollback of a bad deploy: ship --previous, it keeps five builds";

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  for (const note of [answer, "The office has a new coffee machine in the kitchen", "The lighthouse at the harbour is painted white every spring"]) await ada.remember(note);
  await indexed(ada.principal);
});

const ask = async (who: Person, args: Record<string, unknown> = {}) => {
  const { structured } = await who.call("omn_retrieve_memory", { query: question, min_relevance: 0, receipt: true, ...args });
  return { first: structured["memories"][0]?.content as string | undefined, leg: structured["receipt"].legs.query_expansion as { status: string; candidates: number } };
};

describe("a question whose words no memory holds [A10]", () => {
  test("is looked up by the words that people say in their place", async () => {
    const { first, leg } = await ask(ada);
    expect(leg).toMatchObject({ status: "ok", candidates: 1 });
    expect(first).toBe(answer);
  });

  test("is not where words answer, nor where it, vectors or words are switched off", async () => {
    for (const args of [{ query: "rollback of a deploy" }, { without: ["expansion"] }, { without: ["vector"] }, { mode: "text" }, { mode: "vector" }]) expect((await ask(ada, args)).leg.status).toBe("off");
  });

  test("leads to nothing of others, nor counts it", async () => {
    const grace = await team.join();
    expect(await ask(grace)).toMatchObject({ first: undefined, leg: { candidates: 0 } });
  });

  test("is answered from the rest while nothing can expand it", async () => {
    const reported: string[] = [];
    const legs = new Legs((leg) => reported.push(leg));
    const expander = { expand: () => Promise.reject(new Error("away")) };
    expect(await idsByExpansion({ expander, search: () => Promise.resolve(["one"]) }, legs, question, noText)).toEqual([]);
    expect(legs.reports.query_expansion?.status).toBe("failed");
    expect(reported).toEqual(["query_expansion"]);
  });
});
