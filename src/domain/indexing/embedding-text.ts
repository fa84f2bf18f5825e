import { isExpired, type Memory } from "../memories/memory.ts";
import { indexedFields, type MemoryState, wordsOf } from "../memories/memory-fields.ts";

/**
 * Beyond this a vector says less about each sentence, not more; it is also what bge-m3 takes (8,192 tokens) when a text has
 * a token for every character. Offline and smaller models cut further themselves.
 */
const maxLength = 8_000;

const labelFields = indexedFields("label");

/** Whether anybody may find the memory by its meaning. A secret one never reaches an embedder. */
export const isEmbeddable = (memory: Memory, now: number): boolean =>
  memory.archivedAt === null && memory.sensitivity === "normal" && !isExpired(memory, now);

/**
 * The text that is embedded for a memory: its content, then one line of its key, summary, tags and keywords, as far as there
 * are any, separated by " · ". A content that is too long is cut, the labels stay.
 */
export function embeddingText(memory: Pick<Memory, "content"> & Partial<MemoryState>): string {
  const labels = [...new Set(wordsOf(memory, labelFields))].join(" · ");
  const line = cut(labels, maxLength / 2);
  return line === "" ? cut(memory.content, maxLength) : `${cut(memory.content, maxLength - line.length - 1)}\n${line}`;
}

/** Never inside a surrogate pair. */
const cut = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length);
