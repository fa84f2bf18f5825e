import type { Memory } from "../memories/memory.ts";

const mostReferences = 30;
const longestText = 8_192;
const longestKey = 255;
const id = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** A key that a text can name without marking it: several parts, joined without spaces. */
const compound = /^[\p{L}\p{N}_]+(?:[.:/-][\p{L}\p{N}_]+)+$/u;
/** `[[any key]]` and `any key` between back quotes. Neither runs over the end of a line. */
const marked = /\[\[([^[\]\n]{1,255})\]\]|`([^`\n]{1,255})`/g;

/** Words in a memory's text that may be the id or key of another one; the store knows whether they are. */
export function referencesIn(memory: Pick<Memory, "id" | "key" | "content">): string[] {
  const text = memory.content.slice(0, longestText);
  const found = new Set<string>();
  for (const [, bracketed, quoted] of text.matchAll(marked)) found.add((bracketed ?? quoted ?? "").trim());
  for (const [run] of text.matchAll(/\S+/g)) {
    if (run.length > longestKey) continue;
    const word = run.replace(/^[^\p{L}\p{N}_]+/u, "").replace(/[^\p{L}\p{N}_]+$/u, "");
    if (id.test(word)) found.add(word.toLowerCase());
    else if (compound.test(word)) found.add(word);
  }
  found.delete("");
  found.delete(memory.id);
  if (memory.key !== null) found.delete(memory.key);
  return [...found].slice(0, mostReferences);
}
