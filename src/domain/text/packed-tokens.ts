/** So many of the tokens keep the order of their rank; in which order the others merge is not known. */
export const inRankOrder = 2_048;

const mostShared = 35;

/**
 * A token on each line, as in JSON. The first `inRankOrder` stand in the order of their rank. The others are sorted, and each begins with
 * how many characters it shares with the one before it, in base 36 (front coding): in the order of their rank they take 40% more.
 */
export function packTokens(tokens: string[]): string {
  let last = "";
  const others = tokens
    .slice(inRankOrder)
    .sort((a, b) => (a < b ? -1 : 1))
    .map((token) => {
      const shared = sharedStart(last, token);
      last = token;
      return shared.toString(36) + escaped(token.slice(shared));
    });
  return [...tokens.slice(0, inRankOrder).map(escaped), ...others].join("\n");
}

export function unpackTokens(packed: string): string[] {
  const tokens = JSON.parse(`["${packed.replaceAll("\n", '","')}"]`) as string[];
  let last = "";
  for (let at = inRankOrder; at < tokens.length; at += 1) {
    const line = tokens[at] as string;
    last = last.slice(0, Number.parseInt(line.charAt(0), 36)) + line.slice(1);
    tokens[at] = last;
  }
  return tokens;
}

function sharedStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length, mostShared);
  let shared = 0;
  while (shared < most && a[shared] === b[shared]) shared += 1;
  return shared;
}

const escaped = (token: string): string => JSON.stringify(token).slice(1, -1);
