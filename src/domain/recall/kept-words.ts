import { LruMap } from "../lru-map.ts";
import type { Memory } from "../memories/memory.ts";
import { estimateTokens } from "../text/token-count.ts";
import { wordPlaces, type WordPlaces } from "./find-terms.ts";
import { type Cutting, type Unit, unitsOf } from "./presentation/text-units.ts";
import { textTraits, type TextTraits } from "./ranking/text-traits.ts";
import { wordHashes } from "./selection/overlap.ts";

/**
 * What was read out of the texts of memories that this isolate found of late. The same ones are found again and again, and to
 * read 60 long ones takes longer than all that is done with their words. Nothing is answered from here: who asks has the
 * memory before him. Secrets are not kept.
 */
class Kept<V> {
  readonly #values: LruMap<Entry<V>>;
  readonly #bytesOf: (value: V) => number;

  constructor(maxBytes: number, bytesOf: (value: V) => number) {
    this.#values = new LruMap(maxBytes);
    this.#bytesOf = bytesOf;
  }

  /** `read` makes a value of its own, which is kept until the memory has another version. `what`: which of several. */
  of(memory: Memory, text: string, read: () => V, what = ""): V {
    if (memory.sensitivity === "secret" || memory.redaction !== undefined) return read();
    const { teamId, version, updatedAt } = memory;
    const name = what === "" ? memory.id : `${memory.id}/${what}`;
    const before = this.#values.get(name);
    if (before && before.teamId === teamId && before.version === version && before.updatedAt === updatedAt && before.length === text.length) return before.value;
    const value = read();
    this.#values.set(name, { teamId, version, updatedAt, length: text.length, value }, entryBytes + this.#bytesOf(value));
    return value;
  }
}

/** Of which version of whose memory it is, and the length of the text that was read. */
interface Entry<V> extends Pick<Memory, "teamId" | "version" | "updatedAt"> {
  length: number;
  value: V;
}

/** Of an entry beside its arrays. */
const entryBytes = 500;
/** Of a term among others. */
const termBytes = 40;

const hashes = new Kept<Int32Array>(4 * 1024 * 1024, ({ byteLength }) => byteLength);

/** The words of everything that a memory says, as hashes; to be read only. */
export const wordsOfMemory = (memory: Memory, text: string): Int32Array => hashes.of(memory, text, () => wordHashes(text).slice());

const places = new Kept<WordPlaces>(4 * 1024 * 1024, ({ starts, letters, others }) => {
  let bytes = starts.byteLength + letters.byteLength;
  for (const terms of others.values()) bytes += termBytes * (1 + terms.length);
  return bytes;
});

/** Where the words of a memory's content stand. */
export const placesOf = (memory: Memory): WordPlaces =>
  places.of(memory, memory.content, () => {
    const { starts, letters, others } = wordPlaces(memory.content);
    return { starts: starts.slice(), letters: letters.slice(), others };
  });

const traits = new Kept<TextTraits>(4 * 1024 * 1024, ({ names }) => termBytes * names.flat().length);

/** What ranking reads out of a memory. */
export const traitsOfMemory = (memory: Memory): TextTraits => traits.of(memory, memory.content, () => textTraits(memory));

const tokens = new Kept<number>(2 * 1024 * 1024, () => 0);

/** How many tokens a memory's content takes, as `estimateTokens` counts. */
export const tokensOfMemory = (memory: Memory): number => tokens.of(memory, memory.content, () => estimateTokens(memory.content));

/** Of a unit, which is four numbers. */
const unitBytes = 64;
const units = new Kept<readonly Unit[]>(4 * 1024 * 1024, ({ length }) => unitBytes * length);

/** The units of a memory's content, as `unitsOf` cuts them: to count the tokens of each takes longer than all else of a long text. */
export const unitsOfMemory = (memory: Memory, cutting: Cutting): readonly Unit[] =>
  units.of(memory, memory.content, () => unitsOf(memory.content, cutting), `${cutting.tokens}/${cutting.shift}`);
