/** Share of the gold that stands among the first `k`. */
export function recallAt(k: number, ranked: readonly string[], gold: ReadonlySet<string>): number {
  return new Set(ranked.slice(0, k).filter((id) => gold.has(id))).size / gold.size;
}

/** Of the first gold one; 0 when there is none. */
export function reciprocalRank(ranked: readonly string[], gold: ReadonlySet<string>): number {
  const index = ranked.findIndex((id) => gold.has(id));
  return index === -1 ? 0 : 1 / (index + 1);
}

/** Of the values there are; undefined when there are none. */
export function mean(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** Means of each figure over the questions of each group, groups in order of appearance. */
export function groupMeans<Name extends string>(
  scored: readonly { groups: readonly string[]; figures: Record<Name, number | undefined> }[],
): { name: string; questions: number; figures: Record<Name, number | undefined> }[] {
  const names = [...new Set(scored.flatMap(({ groups }) => groups))];
  return names.map((name) => {
    const members = scored.filter(({ groups }) => groups.includes(name)).map(({ figures }) => figures);
    const figures = Object.keys(members[0] ?? {}) as Name[];
    const means = figures.map((figure) => [figure, mean(members.map((member) => member[figure]))] as const);
    return { name, questions: members.length, figures: Object.fromEntries(means) as Record<Name, number | undefined> };
  });
}

export const percent = (share: number | undefined): string => (share === undefined ? "–" : `${(100 * share).toFixed(1)}%`);
