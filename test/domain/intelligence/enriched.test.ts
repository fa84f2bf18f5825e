import { expect, test } from "vitest";
import { embeddingText } from "../../../src/domain/indexing/embedding-text.ts";
import { enriched } from "../../../src/domain/memories/enriched.ts";
import { asSaid, saidIn } from "../../../src/domain/memories/memory-fields.ts";
import { newState } from "../../../src/domain/memories/memory.ts";
import { indexedWords } from "../../../src/platform/team-index/document.ts";

const content = `We decided to keep the ledger in PostgreSQL. ${"Somebody looked at the dashboard for a while. ".repeat(10)}`;
const said = newState({ content, ownerId: "ada", tags: ["mine"] });
const state = enriched(said, { given: ["content", "tags"] });

test("what is derived adds no word to the index, to what is embedded, or to the importance that ranking counts [C3]", () => {
  expect(state).toMatchObject({ type: "architecture_decision", tags: ["mine"], summary: expect.any(String) as string });
  expect(state.keywords).not.toEqual([]);
  expect(asSaid(state)).toEqual(said);
  expect(embeddingText(state)).toBe(embeddingText(said));
  expect(indexedWords(JSON.stringify(state))).toEqual(indexedWords(JSON.stringify(said)));
  expect(saidIn(state, "importance")).toBe(0.5);
  expect(saidIn({ ...state, importance: 0.9, enrichment: null }, "importance")).toBe(0.9);
});

test("a memory from before is enriched when its content changes, where it says nothing [C3]", () => {
  const before = newState({ content: "old", ownerId: "ada", type: "insight" });
  expect(enriched({ ...before, importance: 0.9 }, { before, given: ["importance"] }).enrichment).toBeNull();
  const after = enriched({ ...before, content }, { before, given: ["content"] });
  expect(after).toMatchObject({ type: "insight", enrichment: { fields: ["importance", "tags", "keywords", "summary"] } });
});
