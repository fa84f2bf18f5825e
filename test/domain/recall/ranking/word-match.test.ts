import { beforeEach, describe, expect, test, vi } from "vitest";
import { WorkersAiReranker } from "../../../../src/platform/ai/workers-ai-reranker.ts";
import { indexed, newTeam, type Person } from "../../../support/team.ts";

let ada: Person;

const notes = [
  "The backup of the database runs every night at three",
  "Kenji prefers to be called by telephone",
  "Invoices are sent on the first working day of each month",
  "The office has a new coffee machine in the kitchen",
  "Holidays have to be entered two weeks ahead",
  "The lighthouse at the harbour is painted white every spring",
];

beforeEach(async () => {
  ada = (await newTeam()).owner;
  for (const note of notes) await ada.remember(note);
  await indexed(ada.principal);
});

const ask = async (query: string, args: Record<string, unknown> = {}) => {
  const { structured } = await ada.call("omn_retrieve_memory", { query, min_relevance: 0, receipt: true, ...args });
  return { first: structured["memories"][0]?.content as string | undefined, leg: structured["receipt"].legs.word_match as { status: string; candidates: number } };
};

describe("a question in words that no memory has", () => {
  test("is compared word by word, by meaning", async () => {
    const { first, leg } = await ask("Wann läuft die Sicherung der Datenbank?");
    expect(leg).toMatchObject({ status: "ok", candidates: notes.length });
    expect(first).toBe(notes[0]);
  });

  test("is not where the words themselves answer, or vectors are left out", async () => {
    expect((await ask("harbour lighthouse")).leg.status).toBe("off");
    expect((await ask("Wann läuft die Sicherung der Datenbank?", { without: ["vector"] })).leg.status).toBe("off");
    expect((await ask("Wann läuft die Sicherung der Datenbank?", { mode: "text" })).leg.status).toBe("off");
  });

  test("is answered from the rest while nothing can compare", async () => {
    const score = vi.spyOn(WorkersAiReranker.prototype, "score").mockRejectedValue(new Error("away"));
    try {
      const { first, leg } = await ask("What is painted in April?");
      expect(first).toBeDefined();
      expect(leg.status).toBe("failed");
    } finally {
      score.mockRestore();
    }
  });
});

describe("a question that relevance is not sure of, over more than a few notes [D5]", () => {
  const more = [
    "Kira is on parental leave until February", "The user is allergic to peanuts", "We squash merge, and the title becomes the commit message", "Deploys happen on Tuesday and Thursday", "Anna owns the checkout, Tom owns search",
    "The staging database is reset every Monday at six", "We picked Temporal because of long sagas", "Dates in the interface are written day first", "Prefer early returns, no nested ternaries", "The nightly import fails when the host rotates its key",
    "The budget of the spring campaign is forty thousand", "My editor is Helix", "The design system is called Fjord", "Emma was born in March", "Hansen gets a discount of fifteen percent", "Sentry alerts go to the shop channel",
    "Secrets in CI come from GitHub", "We host on Hetzner", "Support answers within four hours on workdays", "The user runs half marathons",
  ];

  beforeEach(async () => {
    for (const note of more) await ada.remember(note);
    await indexed(ada.principal);
  });

  const shown = async (query: string): Promise<[uncertain: boolean | undefined, ...contents: string[]]> => {
    const { structured } = await ada.call("omn_retrieve_memory", { query });
    return [structured["uncertain"], ...structured["memories"].map(({ content }: { content: string }) => content)];
  };

  test.each([
    ["Why is Kira away?", more[0]],
    ["food restrictions", more[1]],
    ["merge strategy", more[2]],
    ["marketing spend", more[10]],
  ])("leads to the note whose words are near and which stands apart: %s", async (question, note) => {
    const [uncertain, ...contents] = await shown(question);
    expect(uncertain).toBe(true);
    expect(contents).toContain(note);
    expect(contents.length).toBeLessThanOrEqual(2);
  });

  test.each(["submarine periscope", "wedding dress", "GraphQL schema", "tax return deadline"])("leads nowhere where no note is near: %s", async (question) => {
    expect(await shown(question)).toEqual([undefined]);
  });
});
