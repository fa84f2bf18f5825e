/** What is weighed when segments are chosen. */
export interface Weighed {
  tokens: number;
  /** Of the label of its line. */
  labelTokens: number;
  line: number;
  needs: readonly number[];
  /** With what each is worth; a fact is worth nothing a second time. */
  facts: ReadonlyMap<string, number>;
  /** With what each is worth; less with every repeat. */
  terms: ReadonlyMap<string, number>;
  /** For where it stands. */
  bonus: number;
}

export interface Wanted {
  /** In tokens. */
  room: number;
  /** Whether enough is held by now; asked after each choice. */
  isEnough(facts: ReadonlySet<string>, tokens: number): boolean;
}

/** What a word is worth that was said once already. */
const repeat = 0.35;
/** In tokens: otherwise the shortest sentences would always win. */
const overhead = 4;

/**
 * Segments in the order in which they were chosen: again and again the one that tells the most new things for its tokens, with
 * all that it needs (greedy maximum coverage). Where none has room, the shortest is chosen all the same.
 */
export function selectSegments(segments: readonly Weighed[], { room, isEnough }: Wanted): number[] {
  const closures = closuresOf(segments);
  const dependents = segments.map((): number[] => []);
  for (const [at, closure] of closures.entries()) for (const other of closure) if (other !== at) dependents[other]?.push(at);

  const chosen: number[] = [];
  const isChosen = new Uint8Array(segments.length);
  const lines = new Set<number>();
  const facts = new Set<string>();
  const heard = new Map<string, number>();
  let tokens = 0;

  const costs = new Float64Array(segments.length);
  const priorities = new Float64Array(segments.length);
  const weighedAt = new Int32Array(segments.length).fill(-1);
  const weigh = (at: number): void => {
    let gain = 0;
    let cost = 0;
    const seen = new Set<string>();
    for (const i of closures[at] as number[]) {
      if (isChosen[i] === 1) continue;
      const segment = segments[i] as Weighed;
      gain += segment.bonus;
      cost += segment.tokens + (lines.has(segment.line) ? 0 : segment.labelTokens);
      for (const [fact, worth] of segment.facts) {
        if (facts.has(fact) || seen.has(fact)) continue;
        seen.add(fact);
        gain += worth;
      }
      for (const [term, worth] of segment.terms) gain += worth * repeat ** (heard.get(term) ?? 0);
    }
    costs[at] = cost;
    priorities[at] = gain / (cost + overhead);
    weighedAt[at] = chosen.length;
  };
  for (let at = 0; at < segments.length; at += 1) weigh(at);

  const left = new Set(segments.keys());
  while (left.size > 0 && !isEnough(facts, tokens)) {
    const best = bestOf(left);
    left.delete(best);
    if ((priorities[best] as number) <= 0) break;
    if (isChosen[best] === 1 || tokens + (costs[best] as number) > room) continue;
    take(best);
  }
  if (chosen.length === 0 && segments.length > 0) take(costs.reduce((least, cost, at) => (cost < (costs[least] as number) ? at : least), 0));
  return chosen;

  /** The greatest priority. One that was weighed before the last choice can only be less by now, so it is weighed again where it would win. */
  function bestOf(candidates: Iterable<number>): number {
    let best = -1;
    let most = -1;
    for (const at of candidates) {
      if ((priorities[at] as number) > most && weighedAt[at] !== chosen.length) weigh(at);
      if ((priorities[at] as number) <= most) continue;
      best = at;
      most = priorities[at] as number;
    }
    return best;
  }

  function take(best: number): void {
    const added = (closures[best] as number[]).filter((i) => isChosen[i] === 0);
    tokens += costs[best] as number;
    for (const i of added) {
      const segment = segments[i] as Weighed;
      isChosen[i] = 1;
      left.delete(i);
      lines.add(segment.line);
      for (const fact of segment.facts.keys()) facts.add(fact);
      for (const term of segment.terms.keys()) heard.set(term, (heard.get(term) ?? 0) + 1);
      chosen.push(i);
    }
    // These cost less now.
    for (const i of added) for (const dependent of dependents[i] as number[]) if (left.has(dependent)) weigh(dependent);
  }
}

/** Each with all that it needs, and what that needs. */
function closuresOf(segments: readonly Weighed[]): number[][] {
  const closures: number[][] = [];
  const of = (at: number): number[] => {
    const found = new Set([at]);
    for (const i of found) for (const needed of (segments[i] as Weighed).needs) found.add(needed);
    return [...found].sort((a, b) => a - b);
  };
  for (const at of segments.keys()) closures.push(of(at));
  return closures;
}
