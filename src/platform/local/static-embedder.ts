import { words } from "../../domain/text/query-terms.ts";
import { addSpelling } from "./spelling-vector.ts";
import { isFunctionWord, stemsOf } from "./word-forms.ts";

/**
 * Word vectors without a network: a text is the sum of the vectors of its words, made a unit vector. The table is made by
 * scripts/static-model/ (licences: static-model.md); words of other languages stand in it where the English ones of the same
 * meaning do. Its layout, little-endian:
 *
 *   u32 × 4                magic "OMSV", words V, dimensions D, bytes of the word list
 *   f32 × V                what the bytes of each word are multiplied by; how much a word weighs is in its length
 *   i8  × V × D            the vectors, row by row
 *   UTF-8                  the words, most frequent first, separated by line feeds
 */
const magic = 0x56_53_4d_4f;
const headerBytes = 16;

/** Words of one meaning ("mot de passe"), and characters of a word in a script without spaces. */
const longestPhrase = 4;
const longestRun = 8;
/** The least parts of a German compound. */
const leastPart = 4;

const unspacedRuns = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー]+/gu;
const onlyHiragana = /^\p{Script=Hiragana}+$/u;
/** Beside a word of the table: characters that no dictionary word holds. */
const unknownCharacters = 0.25;

/** A text's rows of the table, and its words that are not in there. */
export interface DistinctWords {
  rows: Set<number>;
  words: Set<string>;
}

/** A row of the table, or a word that only its spelling tells of; `times`: its share. */
type Part = { row: number; times: number } | { word: string; times: number };

export class StaticEmbedder {
  readonly dimensions: number;
  /** Of the table. */
  readonly rows: number;
  readonly #rows: Map<string, number>;
  readonly #list: readonly string[];
  /** First words of phrases. */
  readonly #phraseStarts: Set<string>;
  readonly #scales: Float32Array;
  readonly #vectors: Int8Array;
  /** Filled as they are asked for. */
  readonly #lengths: Float32Array;

  constructor(model: ArrayBuffer) {
    const [found, count = 0, dimensions = 0, listBytes = 0] = new Uint32Array(model, 0, headerBytes / 4);
    const vectorsAt = headerBytes + 4 * count;
    const listAt = vectorsAt + count * dimensions;
    if (found !== magic || listAt + listBytes !== model.byteLength) throw new Error("static-model.bin is damaged");
    this.dimensions = dimensions;
    this.rows = count;
    this.#scales = new Float32Array(model, headerBytes, count);
    this.#lengths = new Float32Array(count);
    this.#vectors = new Int8Array(model, vectorsAt, count * dimensions);
    const list = new TextDecoder().decode(new Uint8Array(model, listAt, listBytes)).split("\n");
    this.#rows = new Map(list.map((word, row) => [word, row]));
    this.#list = list;
    this.#phraseStarts = new Set(list.flatMap((word) => (word.includes(" ") ? [word.slice(0, word.indexOf(" "))] : [])));
  }

  /** A unit vector, also of a text without words. */
  embed(text: string): Float32Array {
    const sum = new Float32Array(this.dimensions);
    for (const part of this.#parts(text)) {
      if ("row" in part) this.#addRow(part.row, part.times, sum);
      else addSpelling(part.word, sum, part.times);
    }
    if (sum.every((value) => value === 0)) addSpelling(text, sum);
    return unit(sum);
  }

  /** What a text says, each once. */
  distinct(text: string): DistinctWords {
    const parts = this.#parts(text);
    return { rows: new Set(parts.flatMap((part) => ("row" in part ? part.row : []))), words: new Set(parts.flatMap((part) => ("word" in part ? part.word : []))) };
  }

  /** Of a row of the table. */
  wordOf(row: number): string {
    return this.#list[row] as string;
  }

  /** The direction of a row of the table. */
  codesOf(row: number): Int8Array {
    return this.#vectors.subarray(row * this.dimensions, (row + 1) * this.dimensions);
  }

  /** Length of `codesOf`. */
  codesLengthOf(row: number): number {
    const known = this.#lengths[row] as number;
    if (known > 0) return known;
    let squares = 0;
    for (let i = row * this.dimensions; i < (row + 1) * this.dimensions; i += 1) squares += (this.#vectors[i] as number) ** 2;
    this.#lengths[row] = Math.sqrt(squares) || 1;
    return this.#lengths[row] as number;
  }

  /** How much a row of the table weighs. */
  lengthOf(row: number): number {
    return (this.#scales[row] as number) * this.codesLengthOf(row);
  }

  #parts(text: string): Part[] {
    const parts: Part[] = [];
    const spaced = text.normalize("NFKC").replaceAll(unspacedRuns, (run) => {
      this.#partsOfRun(run, parts);
      return " ";
    });
    const found = words(spaced).map((word) => word.toLowerCase());
    for (let at = 0; at < found.length; ) at += this.#partsAt(found, at, parts);
    return parts;
  }

  /** The longest phrase that begins here, or the word. @returns how many words it took */
  #partsAt(found: readonly string[], at: number, parts: Part[]): number {
    const word = found[at] as string;
    if (this.#phraseStarts.has(word)) {
      for (let count = Math.min(longestPhrase, found.length - at); count > 1; count -= 1) {
        const row = this.#rows.get(found.slice(at, at + count).join(" "));
        if (row === undefined) continue;
        parts.push({ row, times: 1 });
        return count;
      }
    }
    const row = this.#rows.get(word);
    if (row !== undefined) parts.push({ row, times: 1 });
    else if (!isFunctionWord(word)) {
      const rows = this.#formsOf(word);
      if (rows.length === 0) parts.push({ word, times: 1 });
      for (const form of rows) parts.push({ row: form, times: 1 / Math.sqrt(rows.length) });
    }
    return 1;
  }

  /** The table's rows for another form of a word, or for the two parts of a compound. */
  #formsOf(word: string): number[] {
    const known = (form: string): number | undefined => {
      const stem = stemsOf(form).find((one) => this.#rows.has(one));
      return stem === undefined ? undefined : this.#rows.get(stem);
    };
    const whole = known(word);
    if (whole !== undefined) return [whole];
    for (let end = word.length - leastPart; end >= leastPart; end -= 1) {
      const head = this.#headOf(word.slice(0, end));
      const tail = head === undefined ? undefined : known(word.slice(end));
      if (head !== undefined && tail !== undefined) return [head, tail];
    }
    return [];
  }

  /** Also with the letters that join it to what follows. */
  #headOf(part: string): number | undefined {
    return this.#rows.get(part) ?? (/[sn]$/.test(part) ? this.#rows.get(part.replace(/(?:s|n|en|es)$/, "")) : undefined);
  }

  /** The longest words of the table, from left to right. */
  #partsOfRun(run: string, parts: Part[]): void {
    const characters = [...run];
    let unknown = "";
    const close = (): void => {
      if (unknown !== "" && !onlyHiragana.test(unknown)) parts.push({ word: unknown, times: unknownCharacters });
      unknown = "";
    };
    for (let at = 0; at < characters.length; ) {
      const size = Array.from({ length: Math.min(longestRun, characters.length - at) }, (_, i) => i + 1).reverse().find((length) => this.#rows.has(characters.slice(at, at + length).join("")));
      if (size === undefined) {
        unknown += characters[at];
        at += 1;
        continue;
      }
      close();
      parts.push({ row: this.#rows.get(characters.slice(at, at + size).join("")) as number, times: 1 });
      at += size;
    }
    close();
  }

  #addRow(row: number, times: number, sum: Float32Array): void {
    const scale = times * (this.#scales[row] ?? 0);
    const start = row * this.dimensions;
    for (let i = 0; i < sum.length; i += 1) sum[i] = (sum[i] ?? 0) + scale * (this.#vectors[start + i] ?? 0);
  }
}

/** In place. */
function unit(sum: Float32Array): Float32Array {
  let squares = 0;
  for (const value of sum) squares += value * value;
  const length = Math.sqrt(squares);
  for (let i = 0; i < sum.length; i += 1) sum[i] = (sum[i] ?? 0) / length;
  return sum;
}
