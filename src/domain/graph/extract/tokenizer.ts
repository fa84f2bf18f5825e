/** A word of the text with what stands around it. */
export interface Token {
  /** Without the punctuation around it and without a possessive 's. */
  word: string;
  lower: string;
  /** Punctuation before and after. */
  open: string;
  close: string;
  /** Stood between back quotes, whole. */
  quoted: boolean;
  possessive: boolean;
  /** Begins a sentence, or what is said after a colon: its capital says nothing. */
  first: boolean;
}

/** Longer runs without white space are data, not words; it also bounds what any rule looks at. */
const longestWord = 200;

const abbreviations = new Set(["dr", "mr", "mrs", "ms", "prof", "st", "vs", "e.g", "i.e", "etc", "approx", "no", "inc", "corp", "ltd", "jr", "sr"]);
const opening = /^["'“‘„«([{<*_`]+/;
const closing = /["'”’»)\]}>*`~,;:.!?…–—-]+$/;
const bullet = /^[-*•+–—#>|=]+$/;
/** Only where a line begins: elsewhere it ends a sentence. */
const numberedItem = /^\d{1,3}[.)]$/;

/** Sentences in order, each a list of words. Linear in the length of the text: every rule looks at one word at a time. */
export function sentencesOf(text: string): Token[][] {
  const sentences: Token[][] = [];
  let current: Token[] = [];
  let end = 0;
  const flush = (): void => {
    if (current.length > 0) sentences.push(current);
    current = [];
  };
  for (const match of text.matchAll(/\S+/g)) {
    const gap = text.slice(end, match.index);
    const raw = match[0];
    end = match.index + raw.length;
    const breaks = (gap.match(/\n/g) ?? []).length;
    const item = numberedItem.test(raw) && (breaks > 0 || match.index === 0);
    if (breaks > 1 || (breaks === 1 && (item || bullet.test(raw) || /^[\p{Lu}"“`([]/u.test(raw)))) flush();
    if (item || bullet.test(raw)) {
      // A dash between words separates clauses.
      const last = current.at(-1);
      if (last) last.close += ";";
      continue;
    }
    if (raw.length > longestWord) {
      const last = current.at(-1);
      if (last) last.close += ";";
      continue;
    }
    const token = tokenOf(raw, current.length === 0 || current.at(-1)?.close.includes(":") === true);
    if (token.word === "") {
      const last = current.at(-1);
      if (last) last.close += raw;
      continue;
    }
    current.push(token);
    if (/[.!?…]/.test(token.close) && !(token.close === "." && (abbreviations.has(token.lower) || /^\p{Lu}$/u.test(token.word)))) flush();
  }
  flush();
  return sentences;
}

function tokenOf(raw: string, first: boolean): Token {
  const open = opening.exec(raw)?.[0] ?? "";
  let rest = raw.slice(open.length);
  let close = closing.exec(rest)?.[0] ?? "";
  // The brackets of a call belong to its name.
  if (close.startsWith(")") && rest.slice(0, rest.length - close.length).endsWith("(")) close = close.slice(1);
  rest = rest.slice(0, rest.length - close.length);
  const possessive = /['’]s$/.test(rest);
  const word = (possessive ? rest.slice(0, -2) : rest).replace(/_+$/, "");
  const quoted = open.includes("`") && close.includes("`");
  return { word, lower: word.toLowerCase(), open, close, quoted, possessive, first };
}

/** Nothing of a phrase crosses these. A full stop within a sentence ends an abbreviation. */
export const endsClause = (token: Token): boolean => /[,;:)\]–—-]/.test(token.close);
