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

test("what alone holds an identifier, or the word that is all of a question, is told as certain; what shares it with others, or lacks a word, is not [U5]", async () => {
  const { owner } = await newTeam();
  const notes = [
    ...facts, "DMARC for the mail domain is on quarantine since the phishing wave; Melanie reads the reports on Fridays and raises it to reject in January.",
    "PR #418 makes the planner read the gates of a depot from a table, as the review of the winter plan had asked for. It waits for the migration of the test data.",
    "Release v2.15.2 went out with the fix of the doubled invoices. The one before it, v2.15.1, was taken back after an hour.", "The crash came with commit 4f2c9ab, which cached the tiles of a map without their zoom.",
    "The host of the package mirror is reached through the office network only.", "The certificates are renewed by Traefik.", "Old certificates stay in the vault for a year.",
  ];
  for (const content of notes) await owner.call("omn_store_memory", { content });
  await indexed(owner.principal);
  for (const [question, begins] of [["PR #418", "PR #418"], ["dmarc", "DMARC"], ["v2.15.2", "Release v2.15.2"], ["4f2c9ab", "The crash"], ["which commit is 4f2c9ab", "The crash"]] as const) {
    const { structured } = await owner.call("omn_retrieve_memory", { query: question });
    expect([structured["memories"][0]?.content.startsWith(begins), structured["uncertain"] ?? false], question).toEqual([true, false]);
  }
  for (const question of ["PR #419", "dmarc selector", "which reviewer approved 4f2c9ab", "certificates", "hosting"]) {
    const { structured } = await owner.call("omn_retrieve_memory", { query: question });
    expect(structured["memories"].length === 0 || structured["uncertain"] === true, question).toBe(true);
  }
});

test("the word that one memory alone holds tells of it as surely after that memory was rewritten [U5]", async () => {
  const { owner } = await newTeam();
  const memories = Array.from({ length: 280 }, (_, i) => ({ key: `note-${i}`, content: `The importer ${i} was changed because of ${["latency", "cost", "an outage"][i % 3]}.` }));
  await owner.call("omn_import_memories", { memories: [...memories, { key: "quoxle", content: "Quoxle, the old gateway in front of the importers, was moved to the second zone, which took two weeks in all." }] });
  await owner.call("omn_update_memory", { key: "quoxle", content: "Quoxle, the old gateway in front of the importers, was taken out of service once the second zone had one of its own." });
  const { structured } = await owner.call("omn_retrieve_memory", { query: "quoxle" });
  expect([structured["memories"][0]?.version, structured["uncertain"] ?? false]).toEqual([2, false]);
});

test("a question for everything about somebody finds what is said of them, as their name does [D5]", async () => {
  const ada = await told();
  const said = ["Mara leads the payments squad.", "Mara is on vacation until December 7.", "Mara prefers written updates over calls."];
  for (const content of [...said, "The cafeteria closes at 14:00.", "TODO by 2026-12-04: check the invoices."]) await ada.call("omn_store_memory", { content });
  await indexed(ada.principal);
  for (const query of ["everything about Mara", "What do we know about Mara?", "list all notes about Mara", "Alles über Mara", "List everything you know about Mara"]) {
    const found: { content: string }[] = (await ada.call("omn_retrieve_memory", { query })).structured["memories"];
    expect(found.length, query).toBeGreaterThan(1);
    expect(found.filter(({ content }) => !said.includes(content)), query).toEqual([]);
  }
  for (const [query, begins] of [["all notes about the cafeteria", "The cafeteria"], ["all TODOs", "TODO by"]] as const) {
    expect((await ada.call("omn_retrieve_memory", { query })).structured["memories"][0]?.content.startsWith(begins), query).toBe(true);
  }
});
