/** A part of a text that the write guard objects to; `start` and `end` in UTF-16 code units. */
export interface Finding {
  /** In words, such as `GitHub token`; never from the text itself. */
  kind: string;
  start: number;
  end: number;
}

/** Without findings that lie within another one, in the order of the text. */
export function outermost(findings: readonly Finding[]): Finding[] {
  const sorted = [...findings].sort((a, b) => a.start - b.start || b.end - a.end);
  const kept: Finding[] = [];
  for (const finding of sorted) {
    const last = kept.at(-1);
    if (!last || finding.start >= last.end) kept.push(finding);
    else if (finding.end > last.end) last.end = finding.end;
  }
  return kept;
}
