import { beforeEach, describe, expect, test, vi } from "vitest";
import { AiEmulator } from "../../../../src/platform/local/ai.ts";
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
    const run = vi.spyOn(AiEmulator.prototype as never as { run: () => Promise<never> }, "run");
    run.mockRejectedValue(new Error("away"));
    try {
      expect((await ask("What is painted in April?")).first).toBeDefined();
    } finally {
      run.mockRestore();
    }
  });
});
