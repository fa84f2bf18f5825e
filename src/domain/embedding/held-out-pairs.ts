import { sentenceEnd } from "../recall/presentation/excerpt.ts";

/** A question and a text that answers it, neither of which holds the other. */
export interface HeldOutPair {
  query: string;
  passage: string;
}

export interface PairSource {
  content: string;
  key?: string | null;
  summary?: string | null;
}

/** Shorter ones ("Dr.", "v2.") say nothing by themselves. */
const minLength = 12;
/** What models read of a passage in any case. */
const maxLength = 1_500;

/**
 * The first sentence asks for the rest. Where there is no rest, the summary or the words of the key ask for the content.
 * Undefined when the text has neither, or holds the name word for word.
 */
export function heldOutPair({ content, key, summary }: PairSource): HeldOutPair | undefined {
  const text = content.trim();
  for (const { index } of text.matchAll(sentenceEnd)) {
    const [query, passage] = [text.slice(0, index).trim(), text.slice(index).trim()];
    if (query.length >= minLength && passage.length >= minLength) return { query: query.slice(0, maxLength), passage: passage.slice(0, maxLength) };
  }
  const name = (summary ?? key?.replaceAll(/[^\p{L}\p{N}]+/gu, " ") ?? "").trim();
  if (name.length < minLength || text.length < minLength || text.includes(name)) return undefined;
  return { query: name.slice(0, maxLength), passage: text.slice(0, maxLength) };
}

/** Pairs of the sources, evenly spread over them, up to `most`; no passage twice, since it would count as a stranger to itself. */
export function heldOutPairs(sources: readonly PairSource[], most: number): HeldOutPair[] {
  const byPassage = new Map<string, HeldOutPair>();
  for (const pair of sources.map(heldOutPair)) if (pair) byPassage.set(pair.passage, pair);
  const pairs = [...byPassage.values()];
  const step = Math.max(1, pairs.length / most);
  return Array.from({ length: Math.min(most, pairs.length) }, (_, at) => pairs[Math.floor(at * step)] as HeldOutPair);
}
