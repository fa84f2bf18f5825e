/**
 * An upper estimate of how many o200k tokens a text takes, without shipping the 200,000-entry vocabulary.
 * Short lower-case words are one token; long ones, identifiers, digits (at most three to a token) and symbols
 * are charged more than they cost on average; other scripts are charged by UTF-8 length. The test compares
 * it with the real tokenizer over prose, code, JSON and several scripts.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(/[A-Za-z]+|\d+|[^\S\n]+|\n+|[^\sA-Za-z\d]/g)) {
    const code = piece.charCodeAt(0);
    if (code > 0x7f) tokens += code < 0x800 ? 1 : 1.5;
    else if (/[A-Za-z]/.test(piece)) tokens += wordTokens(piece);
    else if (/\d/.test(piece)) tokens += Math.ceil(piece.length / 3);
    else if (piece === " ") tokens += 0;
    else tokens += /\s/.test(piece) ? Math.ceil(piece.length / 8) : 1;
  }
  return Math.ceil(tokens);
}

function wordTokens(word: string): number {
  const humps = word.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [word];
  let tokens = 0;
  for (const hump of humps) {
    if (/^[A-Z]{3,}$/.test(hump)) tokens += Math.ceil(hump.length / 2);
    else tokens += hump.length <= 7 ? 1.15 : Math.ceil(hump.length / 5);
  }
  return tokens;
}
