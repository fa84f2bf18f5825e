import { describe, expect, test } from "vitest";
import { fromJson, fromJsonLines } from "../../src/command/import/documents.ts";
import { markdownNotes, pieces } from "../../src/command/import/markdown.ts";

const texts = (markdown: string): string[] => markdownNotes(markdown).map(({ content }) => content);

describe("memories of Markdown [U10] [F6]", () => {
  test.each<[what: string, markdown: string, memories: string[]]>([
    ["an item and a paragraph each, below their headings", "## Tests\n\nThe suite needs Docker to run on a machine.\n\n- Name each case after the behaviour that it shows to a person who reads.\n- Mock nothing that can be started within the second that a test may take.\n", [
      "Tests: The suite needs Docker to run on a machine.",
      "Tests: Name each case after the behaviour that it shows to a person who reads.",
      "Tests: Mock nothing that can be started within the second that a test may take.",
    ]],
    ["headings below headings", "# Shop\n## API\n### Paging\nA cursor lasts for an hour.\n## Jobs\nThey run at night.\n", ["Shop / API / Paging: A cursor lasts for an hour.", "Shop / Jobs: They run at night."]],
    ["a line in bold is a heading, words in bold are none", "# Notes\n**Work**\n\nAdvises a bank.\n\n**Never** push on Fridays.\n\n# Other\nPlain.\n", ["Notes / Work: Advises a bank.", "Notes / Work: **Never** push on Fridays.", "Other: Plain."]],
    ["a list of a few words each is one", "## Stack\n- Go 1.24\n- SQLite\n- htmx\n", ["Stack:\n- Go 1.24\n- SQLite\n- htmx"]],
    ["a list that a sentence leads to is one, however long its items are", "Releases are made in this order:\n\n1. Tag the commit on main that the pipeline has built and tested over night.\n2. Publish.\n", ["Releases are made in this order:\n1. Tag the commit on main that the pipeline has built and tested over night.\n2. Publish."]],
    ["an item keeps its lines, the items in it and its code", "- Build the image before the end-to-end tests,\n  since they start it:\n  - `make image`\n\n  ```sh\n  # not a heading\n  make image\n  ```\n- Then run them against the image that was built, never against the one before it.\n", [
      "Build the image before the end-to-end tests,\n  since they start it:\n  - `make image`\n  ```sh\n  # not a heading\n  make image\n  ```",
      "Then run them against the image that was built, never against the one before it.",
    ]],
    ["code belongs to what stands before it", "Configuration:\n\n```yaml\n# port\nlisten: 80\n\n- a\n```\n\nAfter.\n", ["Configuration:\n```yaml\n# port\nlisten: 80\n\n- a\n```", "After."]],
    ["comments, rules and empty headings say nothing", "<!-- hidden\n- secret -->\n# Empty\n\n---\n\nSaid.\n\n***\n", ["Empty: Said."]],
    ["a table stays whole", "| a | b |\n|---|---|\n| 1 | 2 |\n", ["| a | b |\n|---|---|\n| 1 | 2 |"]],
    ["the description of a Cursor rule is its heading", "---\ndescription: React conventions\nglobs: src/**/*.tsx\nalwaysApply: false\n---\nFunction components only.\n", ["React conventions: Function components only."]],
    ["line ends of Windows", "One.\r\n\r\nTwo.\r\n", ["One.", "Two."]],
    ["indented code belongs to what stands before it, too", "Before a task is done:\n\n    make lint\n    make test\n\nNothing else.\n", ["Before a task is done:\n\tmake lint\n\tmake test".replaceAll("\t", "    "), "Nothing else."]],
    ["nothing", "", []],
  ])("%s", (_, markdown, memories) => expect(texts(markdown)).toEqual(memories));

  test("the only title of a file of rules says nothing; of several each is a heading", () => {
    expect(markdownNotes("# Shop: agent guide\n\nOne.\n\n## Tests\n\nTwo.\n", true)).toEqual([{ content: "One." }, { content: "Tests: Two." }]);
    expect(markdownNotes("# Style\n\nOne.\n\n# Tests\n\nTwo.\n", true)).toEqual([{ content: "Style: One." }, { content: "Tests: Two." }]);
  });

  test("a note of Basic Memory: observations with their tags, relations, and what else it says", () => {
    const note = `---
title: Coffee
type: note
tags: [drinks, "brewing"]
permalink: coffee
---
# Coffee

Some words first.

## Observations
- [method] Pour over is clearer #filter (at home)
- [ ] buy beans

## Relations
- relates_to [[Coffee Beans]]
- requires [[Grinder]] (burr)
- [[Tea]]
`;
    expect(markdownNotes(note)).toEqual([
      { content: "Coffee: Some words first.", tags: ["drinks", "brewing"] },
      { content: "Coffee: Pour over is clearer (at home)", tags: ["method", "filter", "drinks", "brewing"] },
      { content: "Coffee: [ ] buy beans", tags: ["drinks", "brewing"] },
      { content: "Coffee relates to Coffee Beans", tags: ["drinks", "brewing"] },
      { content: "Coffee requires Grinder (burr)", tags: ["drinks", "brewing"] },
      { content: "Coffee relates to Tea", tags: ["drinks", "brewing"] },
    ]);
  });

  test("no piece of a text has more than the 10,000 characters that a memory may have, and no word is lost", () => {
    const words = Array.from({ length: 9_000 }, (_, i) => `word${i}`);
    const cut = texts(`# Long\n${words.slice(0, 4_000).join("\n")}\n\n${words.slice(4_000).join(" ")}`).flatMap(pieces);
    expect(Math.max(...cut.map((piece) => piece.length))).toBeLessThanOrEqual(10_000);
    expect(cut.join("\n").replaceAll(/Long:/g, "").replaceAll(/\s/g, "")).toBe(words.join(""));
  });
});

describe("documents of other tools [U10] [F6]", () => {
  test("of a ChatGPT conversation the branch that was shown last, without what was hidden, with its times", () => {
    const node = (parent: string | null, role: string, text: string, hidden = false): object => ({
      parent, children: [], message: { author: { role }, create_time: 1_735_689_600, content: { content_type: "text", parts: [text, { asset_pointer: "file" }] }, metadata: hidden ? { is_visually_hidden_from_conversation: true } : {} },
    });
    const mapping = { root: { parent: null, message: null }, a: node("root", "system", "hidden", true), b: node("a", "user", "Hello"), c: node("b", "assistant", "first try"), d: node("b", "assistant", "second try"), e: node("d", "tool", "output") };
    expect(fromJson([{ title: "x", conversation_id: "c-1", create_time: 1, current_node: "e", mapping }])?.conversations).toEqual([
      { id: "c-1", turns: [{ role: "user", content: "Hello", timestamp: "2025-01-01T00:00:00.000Z" }, { role: "assistant", content: "second try", timestamp: "2025-01-01T00:00:00.000Z" }] },
    ]);
  });

  test("a tree that leads in a circle ends", () => {
    const mapping = { a: { parent: "b", message: null }, b: { parent: "a", message: null } };
    expect(fromJson([{ id: "x", current_node: "a", mapping }])?.conversations).toEqual([{ id: "x", turns: [] }]);
  });

  test("of a Claude conversation the text, or the texts of its parts", () => {
    const chat = [{ uuid: "u", chat_messages: [{ sender: "human", text: "Hi", created_at: "2026-02-14T10:04:22Z" }, { sender: "assistant", text: "", created_at: "never", content: [{ type: "thinking" }, { type: "text", text: "Hello" }] }] }];
    expect(fromJson(chat)?.conversations).toEqual([{ id: "u", turns: [{ role: "user", content: "Hi", timestamp: "2026-02-14T10:04:22.000Z" }, { role: "assistant", content: "Hello" }] }]);
  });

  test.each<[what: string, document: unknown, memories: string[]]>([
    ["read_graph", { entities: [{ name: "db", entityType: "service", observations: ["Postgres 18", "in Frankfurt"] }], relations: [{ from: "api", to: "db", relationType: "depends_on" }] }, ["db: Postgres 18", "db: in Frankfurt", "api depends on db"]],
    ["Mem0 as a list", [{ id: "1", memory: "Likes tea" }], ["Likes tea"]],
    ["Claude's memory of projects", [{ conversations_memory: null, project_memories: { p: "Uses hexagons.\n\nIn Rust." } }], ["Uses hexagons.", "In Rust."]],
  ])("%s", (_, document, memories) => expect(fromJson(document)?.notes.map(({ content }) => content)).toEqual(memories));

  test("memories of no tool in particular go on as they are", () => {
    const records = [{ content: "One", tags: ["a"] }, { content: "Two", id: "x" }];
    expect([fromJson(records)?.records, fromJsonLines(records)?.records]).toEqual([records, records]);
  });

  test.each<[unknown]>([[{}], [[]], [null], ["text"], [[{ name: "x" }]], [{ entities: "x" }]])("%j is none that is known", (document) => expect(fromJson(document)).toBeUndefined());
});
