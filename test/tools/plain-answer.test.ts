import { expect, test } from "vitest";
import { indexed, newTeam, type Person } from "../support/team.ts";

const facts = ["The staging port is 8443.", "Billing runs on PostgreSQL.", "The docs are built with Antora.", "Sprint planning is on Monday at 10.", "Logs go to Loki.", "The mobile app is written in Flutter."];

async function told(): Promise<Person> {
  const { owner } = await newTeam();
  for (const content of facts) await owner.call("omn_store_memory", { content });
  await indexed(owner.principal);
  return owner;
}

test("a short fact that holds all that is asked is told as certain, and what holds only a part is not [U5]", async () => {
  const ada = await told();
  for (const [question, fact] of [["What is the staging port?", 0], ["How are the docs built?", 2], ["When is sprint planning?", 3], ["Where do logs go?", 4]] as const) {
    const { structured, text } = await ada.call("omn_retrieve_memory", { query: question });
    expect([structured["memories"][0]?.content, structured["uncertain"] ?? false], question).toEqual([facts[fact], false]);
    expect(text).not.toContain("nothing certain");
  }
  for (const question of ["What is the production port?", "Where do metrics go?", "What is the desktop app written in?", "How long is the staging port open?"]) {
    const { structured } = await ada.call("omn_retrieve_memory", { query: question });
    expect(structured["memories"].length === 0 || structured["uncertain"] === true, question).toBe(true);
  }
});
