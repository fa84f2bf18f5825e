import { LruMap } from "../lru-map.ts";
import type { Memory } from "../memories/memory.ts";
import { saidIn } from "../memories/memory-fields.ts";
import { indexTerms } from "../text/query-terms.ts";
import { estimateTokens } from "../text/token-count.ts";
import { wordPlaces, type WordPlaces } from "./find-terms.ts";
import { type Cutting, type Unit, unitsOf } from "./presentation/text-units.ts";
import { textTraits, type TextTraits } from "./ranking/text-traits.ts";
import { wordHashes } from "./selection/overlap.ts";

/** What is read out of the text of a memory. */
interface Readings {
  words: Int32Array;
  places: WordPlaces;
  named: readonly string[];
  traits: TextTraits;
  tokens: number;
  /** By how they were cut. */
  [units: `units/${string}`]: readonly Unit[];
}

/** The readings of one version of a memory, whose content has so many characters: a part of a content is another text. */
interface Entry extends Pick<Memory, "teamId" | "version" | "updatedAt"> {
  length: number;
  bytes: number;
  readings: Partial<Readings>;
}

/**
 * What was read out of the texts of memories that this isolate found of late, some 20,000 short ones. The same ones are found again and
 * again, and to read 60 long ones takes longer than all that is done with their words. Nothing is answered from here: who asks has
 * the memory before him. Secrets are not kept.
 */
const kept = new LruMap<Entry>(16 * 1024 * 1024);

/** Of an entry beside its readings, of an array, and of a term or unit among others. */
const [entryBytes, arrayBytes, termBytes, unitBytes] = [400, 100, 40, 64];

/** `read` makes a value of its own, which is kept until the memory has another version. */
function reading<N extends keyof Readings>(memory: Memory, name: N, read: () => Readings[N], bytesOf: (value: Readings[N]) => number): Readings[N] {
  if (memory.sensitivity === "secret" || memory.redaction !== undefined) return read();
  const { id, teamId, version, updatedAt, content: { length } } = memory;
  const found = kept.get(id);
  const entry: Entry = found && found.teamId === teamId && found.version === version && found.updatedAt === updatedAt && found.length === length
    ? found : { teamId, version, updatedAt, length, bytes: entryBytes, readings: {} };
  const before = entry.readings[name];
  if (before !== undefined) return before;
  const value = read();
  entry.readings[name] = value;
  entry.bytes += bytesOf(value);
  kept.set(id, entry, entry.bytes);
  return value;
}

/** The words of everything that a memory says, as hashes; to be read only. */
export const wordsOfMemory = (memory: Memory, text: string): Int32Array =>
  reading(memory, "words", () => wordHashes(text).slice(), ({ byteLength }) => arrayBytes + byteLength);

/** Where the words of a memory's content stand. */
export const placesOf = (memory: Memory): WordPlaces => reading(memory, "places", () => ownPlaces(memory.content), placesBytes);

function ownPlaces(text: string): WordPlaces {
  const { starts, letters, ...places } = wordPlaces(text);
  return { ...places, starts: starts.slice(), letters: letters.slice() };
}

function placesBytes({ starts, letters, others }: WordPlaces): number {
  let bytes = 2 * arrayBytes + starts.byteLength + letters.byteLength;
  for (const terms of others.values()) bytes += termBytes * (1 + terms.length);
  return bytes;
}

/** The terms of what a memory is called and belongs to: key, summary and tags. */
export const namedByMemory = (memory: Memory): readonly string[] =>
  reading(memory, "named", () => [...new Set([memory.key ?? "", saidIn(memory, "summary") ?? "", ...saidIn(memory, "tags")].flatMap(indexTerms))], ({ length }) => arrayBytes + termBytes * length);

/** What ranking reads out of a memory. */
export const traitsOfMemory = (memory: Memory): TextTraits => reading(memory, "traits", () => textTraits(memory), ({ names }) => arrayBytes + termBytes * names.flat().length);

/** How many tokens a memory's content takes, as `estimateTokens` counts. */
export const tokensOfMemory = (memory: Memory): number => reading(memory, "tokens", () => estimateTokens(memory.content), () => 0);

/** The units of a memory's content, as `unitsOf` cuts them: to count the tokens of each takes longer than all else of a long text. */
export const unitsOfMemory = (memory: Memory, cutting: Cutting): readonly Unit[] =>
  reading(memory, `units/${cutting.tokens}/${cutting.shift}`, () => unitsOf(memory.content, cutting), ({ length }) => arrayBytes + unitBytes * length);
