/** So many of the tokens keep the order of their rank; in which order the others merge is not known. */
export const inRankOrder = 1_280;

/** The first character of a line says how many characters the word shares with the one before it, and of how many forms it is a token. */
const marks = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
const mostShared = 20;
/** By that mark, modulo their number: as it is, after a space, both. */
const forms = [[""], [" "], ["", " "]];

/**
 * A token on each line, as in JSON. The first `inRankOrder` stand in the order of their rank. Of the others each word is written once, with
 * and without the space before it, and they are sorted, without what a word shares with the one before it (front coding): in the order of
 * their rank they take 50% more.
 */
export function packTokens(tokens: string[]): string {
  const words = new Map<string, number>();
  for (const token of tokens.slice(inRankOrder)) {
    const word = token.replace(/^ /, "");
    words.set(word, (words.get(word) ?? 0) + (word === token ? 1 : 2));
  }
  let last = "";
  const others = [...words.keys()].sort().map((word) => {
    const shared = sharedStart(last, word);
    last = word;
    return `${marks.charAt(shared * forms.length + (words.get(word) as number) - 1)}${escaped(word.slice(shared))}`;
  });
  return [...tokens.slice(0, inRankOrder).map(escaped), ...others].join("\n");
}

export function unpackTokens(packed: string): string[] {
  const lines = JSON.parse(`["${packed.replaceAll("\n", '","')}"]`) as string[];
  let word = "";
  const others = lines.slice(inRankOrder).flatMap((line) => {
    const mark = marks.indexOf(line.charAt(0));
    word = word.slice(0, Math.floor(mark / forms.length)) + line.slice(1);
    return (forms[mark % forms.length] as string[]).map((before) => before + word);
  });
  return [...lines.slice(0, inRankOrder), ...others];
}

function sharedStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length, mostShared);
  let shared = 0;
  while (shared < most && a[shared] === b[shared]) shared += 1;
  return shared;
}

const escaped = (token: string): string => JSON.stringify(token).slice(1, -1);
