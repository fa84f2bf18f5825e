/**
 * A tokenizer that keeps the terms of the latest texts, up to so many characters: a document's text is tokenized again
 * whenever a document beside it is indexed.
 */
export function cachedTokenizer(tokenize: (text: string) => readonly string[], maxCharacters: number): (text: string) => readonly string[] {
  /** The one used longest ago first. */
  const known = new Map<string, readonly string[]>();
  let characters = 0;
  return (text) => {
    const kept = known.get(text);
    const terms = kept ?? tokenize(text);
    if (kept) known.delete(text);
    else characters += text.length;
    known.set(text, terms);
    for (const oldest of known.keys()) {
      if (characters <= maxCharacters) break;
      known.delete(oldest);
      characters -= oldest.length;
    }
    return terms;
  };
}
