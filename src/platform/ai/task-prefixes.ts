import type { TextKind } from "../../domain/embedding/embedder.ts";

type Prefixes = Record<TextKind, string>;

/** Models trained with a sentence before the text; left out, they find noticeably less. From their model cards. */
const families: [name: RegExp, prefixes: Prefixes][] = [
  [/nomic-embed-text/i, { query: "search_query: ", passage: "search_document: " }],
  [/embeddinggemma/i, { query: "task: search result | query: ", passage: "title: none | text: " }],
  [/\be5-(?:small|base|large)(?!.*instruct)/i, { query: "query: ", passage: "passage: " }],
  [/mxbai-embed|bge-(?:small|base|large)-en/i, { query: "Represent this sentence for searching relevant passages: ", passage: "" }],
  [/snowflake-arctic-embed.*2/i, { query: "query: ", passage: "" }],
  [/qwen3-embedding/i, { query: "Instruct: Given a question, retrieve memories that answer it\nQuery: ", passage: "" }],
];

/** The text in the form in which the model was trained to see it. */
export function prefixed(model: string, texts: string[], kind: TextKind): string[] {
  const prefix = families.find(([name]) => name.test(model))?.[1][kind] ?? "";
  return prefix === "" ? texts : texts.map((text) => prefix + text);
}
