import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Semantic } from "../../../../src/domain/recall/retrievers/vector-retriever.ts";
import { EmbeddingFailure } from "../../../../src/domain/embedding/embedder.ts";
import { WorkersAiEmbedder } from "../../../../src/platform/ai/workers-ai-embedder.ts";
import { SqueezedEmbedder } from "../../../support/squeezed-embedder.ts";
import { indexed, newTeam, now, type Person, type Team } from "../../../support/team.ts";

const notes = [
  "The backup of the database runs every night at three", "Kenji prefers to be called by telephone", "Invoices are sent on the first working day of each month",
  "The office has a new coffee machine in the kitchen", "Holidays have to be entered two weeks ahead", "The lighthouse at the harbour is painted white every spring",
] as const;
const question = "Wann läuft die Sicherung der Datenbank?";

let team: Team;
let ada: Person;
beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});
afterEach(() => {
  vi.restoreAllMocks();
});

const found = async (who: Person, query: string): Promise<string[]> => {
  const { structured } = await who.call("omn_retrieve_memory", { query, min_relevance: 0 });
  return structured["memories"].map(({ content }: { content: string }) => content);
};

/** All that is embedded from now on. */
function embeddedTexts(refuse: (text: string) => boolean = () => false): string[] {
  const texts: string[] = [];
  const { embed } = WorkersAiEmbedder.prototype;
  vi.spyOn(WorkersAiEmbedder.prototype, "embed").mockImplementation(function (this: WorkersAiEmbedder, asked, ...rest) {
    texts.push(...asked);
    return asked.some(refuse) ? Promise.reject(new EmbeddingFailure("bad input", { retryable: false })) : embed.call(this, asked, ...rest);
  });
  return texts;
}

describe("what was stored a moment ago and has no vector in the index [D3] [D5]", () => {
  test("is found by its meaning, and just once when the vector is there", async () => {
    for (const content of notes) await ada.call("omn_store_memory", { content });
    expect((await found(ada, question))[0]).toBe(notes[0]);
    await indexed(ada.principal);
    const later = await found(ada, question);
    expect(later[0]).toBe(notes[0]);
    expect(new Set(later).size).toBe(later.length);
  });

  test("is found by what it says now, and no longer by what it said", async () => {
    for (const content of notes.slice(1)) await ada.call("omn_store_memory", { content });
    const { structured } = await ada.call("omn_store_memory", { content: "The cat sleeps on the sofa" });
    await indexed(ada.principal);
    await ada.call("omn_update_memory", { id: structured["memory_id"], content: notes[0] });
    expect((await found(ada, question))[0]).toBe(notes[0]);
    expect((await found(ada, "Where is the kitten resting?"))[0]).not.toBe(notes[0]);
  });

  test("is neither shown to others nor embedded for their questions, and what a secret says is embedded for nobody", async () => {
    const grace = await team.join();
    for (const content of notes) await ada.call("omn_store_memory", { content });
    await ada.call("omn_store_memory", { content: "The vault opens with the marzipan word", metadata: { sensitivity: "secret" } });
    const texts = embeddedTexts();
    expect(await found(grace, question)).toEqual([]);
    expect(texts.filter((text) => text !== question)).toEqual([]);
    expect((await found(ada, question))[0]).toBe(notes[0]);
    expect(texts.join()).toContain(notes[0]);
    expect(texts.join()).not.toContain("marzipan");
  });

  test("costs a question nothing where the embedder refuses it", async () => {
    for (const content of notes) await ada.call("omn_store_memory", { content });
    await indexed(ada.principal);
    await ada.call("omn_store_memory", { content: "A poisoned note" });
    const texts = embeddedTexts((text) => text.includes("poisoned"));
    const { structured } = await ada.call("omn_retrieve_memory", { query: question, min_relevance: 0 });
    expect(structured["memories"][0].content).toBe(notes[0]);
    expect(structured["degraded"]).toBeUndefined();
    expect(texts).toContain("A poisoned note");
  });

  test.each([[true, ["subject-7"]], [false, []]])("is embedded along with the question where many texts take as long as one (%s)", async (takesMany, asked) => {
    const embedder = Object.assign(new SqueezedEmbedder(), { takesMany });
    const semantic = new Semantic({ embedders: { current: embedder, bySpace: () => embedder }, index: { query: async () => [] }, servingSpace: async () => undefined });
    const { hits } = await semantic.nearest(ada.principal, now, "what is subject-7?", { kinds: ["memory"], limit: 5, signal: new AbortController().signal, passages: () => [{ id: "a", text: "subject-7" }] });
    expect(hits).toHaveLength(asked.length);
    expect(embedder.of("passage")).toEqual(asked);
  });
});
