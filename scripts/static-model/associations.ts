import { associationsMagic, mutualBit } from "../../src/platform/local/word-associations.ts";
import { termOf } from "../../src/domain/text/query-terms.ts";

/** For each word of associations.txt (`word: other other …`) what people say in its place. */
export const parseAssociations = (text: string): Map<string, string[]> =>
  new Map(text.trim().split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim().split(" ")]));

/** The same with each product of technologies.txt (`kind kind …: product product …`): who asks for the database means MariaDB. */
export function withTechnologies(associations: ReadonlyMap<string, readonly string[]>, text: string): Map<string, string[]> {
  const all = new Map([...associations].map(([word, others]) => [word, [...others]]));
  for (const line of text.trim().split("\n")) {
    const [kinds = [], products = []] = line.split(": ").map((words) => words.split(" "));
    for (const product of products) all.set(product, [...new Set([...(all.get(product) ?? []), ...kinds])]);
  }
  return all;
}

/**
 * `word-associations.bin` for the rows of a table; its layout is in src/platform/local/word-associations.ts. `meaningsOf` gives the English words that a row
 * stands for. Words that no row stands for are left out.
 */
export function encodeAssociations(associations: ReadonlyMap<string, readonly string[]>, rows: number, meaningsOf: (row: number) => readonly string[]): Uint8Array {
  const conceptsOf = Array.from({ length: rows }, (_, row) => [...new Set(meaningsOf(row).map(termOf))]);
  const concepts = new Map([...new Set(conceptsOf.flat())].map((stem, i) => [stem, i]));
  if (concepts.size >= mutualBit) throw new Error(`${concepts.size} concepts do not fit 15 bits`);
  const named = Array.from({ length: concepts.size }, () => new Set<number>());
  for (const [word, others] of associations) {
    const from = concepts.get(termOf(word));
    if (from === undefined) continue;
    for (const other of others) {
      const to = concepts.get(termOf(other));
      if (to !== undefined && to !== from) named[from]?.add(to);
    }
  }
  const neighbours = named.map((others, from) => new Map([...others].map((to) => [to, named[to]?.has(from) === true ? to | mutualBit : to])));
  for (const [from, others] of named.entries()) for (const to of others) if (named[to]?.has(from) !== true) neighbours[to]?.set(from, from);
  const lists = neighbours.map((some) => [...some].sort(([a], [b]) => a - b).map(([, encoded]) => encoded));
  const numbers = conceptsOf.map((stems) => stems.map((stem) => concepts.get(stem) as number));
  return Buffer.concat([
    Uint32Array.of(associationsMagic, rows, concepts.size, lists.flat().length), startsOf(numbers), startsOf(lists), Uint16Array.from(numbers.flat()), Uint16Array.from(lists.flat()),
  ].map((part) => Buffer.from(part.buffer)));
}

/** Where each list begins when they stand one behind the other, and where the last one ends. */
function startsOf(lists: readonly (readonly number[])[]): Uint32Array {
  const starts = new Uint32Array(lists.length + 1);
  for (const [i, list] of lists.entries()) starts[i + 1] = (starts[i] as number) + list.length;
  return starts;
}
