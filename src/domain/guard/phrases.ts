/** Phrases of many languages, found in one pass over the words of a text. */
interface Node {
  next: Map<string, Node>;
  /** Beginnings of words, by their first two letters. */
  stems?: Map<string, [stem: string, node: Node][]>;
  /** Where some words may stand between. */
  gap?: Node;
  /** Of the phrases that end here. */
  owners?: number[];
}

export interface Word {
  text: string;
  start: number;
  end: number;
  sentence: number;
}

/** A word, a sign of Chinese or Japanese, a comma or colon; or the end of a sentence. */
const wordOrEnd = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]|[\p{L}\p{N}_]+|[,，、:：]|[.!?](?=\s|["'”»)]|$)|[。！？;；\n]/gu;
const isHan = (found: string): boolean => found.length === 1 && found >= "\u3040" && found <= "\u9fff" && (found <= "\u30ff" || found >= "\u3400");
const ends: ReadonlySet<string> = new Set(".!?。！？;；\n");
const punctuation: ReadonlyMap<string, string> = new Map([["，", ","], ["、", ","], ["：", ":"]]);
/** In UTF-16 units: what has no full stop for longer is cut. */
const longestSentence = 300;

export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  let [sentence, from] = [0, 0];
  for (const { index, 0: found } of text.matchAll(wordOrEnd)) {
    const isEnd = ends.has(found);
    if (isEnd || index - from > longestSentence) {
      if (words.at(-1)?.sentence === sentence) sentence += 1;
      from = index + found.length;
      if (isEnd) continue;
    }
    words.push({ text: punctuation.get(found) ?? (isHan(found) ? found : found.toLowerCase()), start: index, end: index + found.length, sentence });
  }
  return words;
}

/** In words, or in signs of Chinese and Japanese. */
const [widest, widestHan] = [3, 6];

export class Phrases {
  readonly #lists: readonly string[];
  #read: Node | undefined;

  /** `*` ends a word that may go on, `..` stands for some words between; `to the (ai|model)` are two. */
  constructor(lists: readonly string[]) {
    this.#lists = lists;
  }

  /** Read at the first text: at the start of the Worker it would cost every cold start 10 ms. */
  #root(): Node {
    if (this.#read) return this.#read;
    const root: Node = { next: new Map() };
    for (const [owner, list] of this.#lists.entries()) for (const phrase of spelt(list)) this.#add(root, phrase.trim(), owner);
    return (this.#read = root);
  }

  #add(root: Node, phrase: string, owner: number): void {
    if (phrase === "") return;
    let node = root;
    for (const part of phrase.split(/\s+/)) {
      if (part === "..") {
        node = node.gap ??= { next: new Map() };
        continue;
      }
      const words = wordsOf(part).map(({ text }) => text);
      for (const [i, word] of words.entries()) node = part.endsWith("*") && i === words.length - 1 ? stemOf(node, word) : nextOf(node, word);
    }
    (node.owners ??= []).push(owner);
  }

  /** Calls back for each phrase: which list it is of, and its first and last word. */
  find(words: readonly Word[], found: (owner: number, first: number, last: number) => void): void {
    const walk = (node: Node, at: number, first: number, isAfterGap: boolean): void => {
      if (node.owners && !isAfterGap) for (const owner of node.owners) found(owner, first, at - 1);
      const word = words[at];
      if (!word || word.sentence !== (words[first] as Word).sentence) return;
      const next = node.next.get(word.text);
      if (next) walk(next, at + 1, first, false);
      if (node.stems) for (const [stem, after] of node.stems.get(word.text.slice(0, 2)) ?? []) if (word.text.startsWith(stem)) walk(after, at + 1, first, false);
      if (!node.gap) return;
      const most = isHan(word.text) ? widestHan : widest;
      for (let skipped = 0; skipped <= most; skipped += 1) walk(node.gap, at + skipped, first, true);
    };
    const root = this.#root();
    for (let first = 0; first < words.length; first += 1) walk(root, first, first, true);
  }
}

/** Phrases of a list, those that begin alike written out. */
export const spelt = (list: string): string[] =>
  (list.match(/(?:[^|()]|\((?:[^()]|\([^()]*\))*\))+/g) ?? []).flatMap((one) => {
    const [, head = "", ends] = /^([^(]*)\((.*)\)/s.exec(one) ?? [];
    return ends === undefined ? [one] : spelt(ends).map((end) => head + end);
  });

function nextOf(node: Node, word: string): Node {
  const known = node.next.get(word) ?? { next: new Map() };
  node.next.set(word, known);
  return known;
}

function stemOf(node: Node, stem: string): Node {
  const stems = (node.stems ??= new Map<string, [string, Node][]>());
  const list = stems.get(stem.slice(0, 2)) ?? [];
  stems.set(stem.slice(0, 2), list);
  const known = list.find(([one]) => one === stem)?.[1];
  if (known) return known;
  const made: Node = { next: new Map() };
  list.push([stem, made]);
  return made;
}
