export interface KeyPattern {
  /** Literal text before the first `*`. */
  prefix: string;
  /** The least text greater than all that start with the prefix, in the order of code points; undefined when there is none. */
  prefixEnd: string | undefined;
  matches(key: string): boolean;
}

/** Matches `*` greedily without regular expressions: a hostile pattern cannot make it slow. */
export function compileKeyPattern(pattern: string): KeyPattern {
  const parts = pattern.split("*");
  const prefix = parts[0] as string;
  const suffix = parts.at(-1) as string;
  const middle = parts.slice(1, -1);
  return {
    prefix,
    prefixEnd: after(prefix),
    matches(key) {
      if (parts.length === 1) return key === pattern;
      if (!key.startsWith(prefix) || !key.endsWith(suffix) || key.length < prefix.length + suffix.length) return false;
      let at = prefix.length;
      const end = key.length - suffix.length;
      for (const part of middle) {
        const found = key.indexOf(part, at);
        if (found === -1 || found + part.length > end) return false;
        at = found + part.length;
      }
      return at <= end;
    },
  };
}

function after(prefix: string): string | undefined {
  const points = [...prefix].map((character) => character.codePointAt(0) as number);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // Surrogates are no characters.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
}
