import { LruMap } from "../lru-map.ts";
import type { Memory } from "../memories/memory.ts";
import { wordPlaces, type WordPlaces } from "./find-terms.ts";
import { wordHashes } from "./selection/overlap.ts";

/**
 * What was read out of the texts of memories that this isolate found of late. The same ones are found again and again, and to
 * read 60 long ones takes longer than all that is done with their words. Nothing is answered from here: who asks has the
 * memory before him. Secrets are not kept.
 */
class Kept<V> {
  readonly #values: LruMap<{ memory: string; length: number; value: V }>;
  readonly #bytesOf: (value: V) => number;

  constructor(maxBytes: number, bytesOf: (value: V) => number) {
    this.#values = new LruMap(maxBytes);
    this.#bytesOf = bytesOf;
  }

  /** `read` makes a value of its own, which is kept until the memory has another version. */
  of(memory: Memory, text: string, read: () => V): V {
    if (memory.sensitivity === "secret" || memory.redaction !== undefined) return read();
    const name = `${memory.teamId}/${memory.id}`;
    const version = `${memory.version}/${memory.updatedAt}`;
    const before = this.#values.get(name);
    if (before?.memory === version && before.length === text.length) return before.value;
    const value = read();
    this.#values.set(name, { memory: version, length: text.length, value }, entryBytes + this.#bytesOf(value));
    return value;
  }
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
