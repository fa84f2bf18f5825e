export interface KeyPattern {
  /** Literal text before the first `*`. */
  prefix: string;
  /** The least text greater than all that start with the prefix. */
  prefixEnd: string;
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
    prefixEnd: `${prefix}\u{10ffff}`,
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
