import type { Evaluation, Measured } from "./evaluation.ts";
import type { Arguments, Memories, Recall } from "./memories.ts";
import { groupMeans, mean, percent } from "./metrics.ts";
import { type Belief, type Case, loadPrecision, mainUser, type PrecisionData } from "./precision-cases.ts";
import { contextOf, type Score, scoreCase, scoreTurn } from "./precision-score.ts";

/**
 * PrecisionMemBench (github.com/tenurehq/precisionMemBench, MIT): does the right belief come back, and little else?
 *
 * Read from the data and from the benchmark's own runner (src/adapters/baseAdapter.ts, src/*.external.eval.test.ts there):
 * - It asks a memory for at most 20 beliefs of the case's scope and scores the tier `relevantBeliefs` alone by precision and
 *   recall. The other tiers (persona, pinned facts, pinned questions) it fills from the seed, for every product alike;
 *   pinned facts are taken out of what the memory returned, pinned questions are not.
 * - Precision is the mean over the cases where something came back or should have (nothing for something is 0, something
 *   where nothing was expected is 0), recall the mean over those that expect something: 43 of 77. The published figures that
 *   retrieval notes quote (supermemory .22/.71, agentmemory .17/.97) are these means over the 77; the 12 turns of sessions,
 *   whose rules differ a little, stand apart here as there. A blank question is not asked.
 *
 * A belief is a memory: key = canonical name, content = content, summary = why it matters, tags = aliases, confidence;
 * namespace = its scope (domain:x -> project:x, user:universal -> global). Superseded and resolved ones are stored and then
 * archived, as a client does that learns of it. Another user's belief belongs to another user. A question names the
 * namespace; two scopes are two calls, whose answers are merged by rank, as the runner does. New aliases within a session are new tags.
 *
 * "as one text" is what the runner gives to the products it compares: name, aliases, content and reason as one string, and
 * nothing is archived, so that all know the same. Its figures have no target; they show what our fields are worth.
 */
export const precisionTeams = ["fields", "text", "other", "nobody"] as const;
type Teams = Record<(typeof precisionTeams)[number], Memories>;

interface Layout {
  record(belief: Belief): Arguments;
  /** The call that makes the belief known by these aliases. */
  renamed(belief: Belief): Arguments;
  archives: boolean;
}

const namespaceOf = (scope: string): string => (scope === "user:universal" ? "global" : scope.replace(/^domain:/, "project:"));
const namespaceFor = ({ scope }: Belief): string => namespaceOf(scope[0] ?? "user:universal");
const asText = (belief: Belief): string => [belief.canonical_name, ...belief.aliases, belief.content, belief.why_it_matters].filter(Boolean).join(" ");

const fields: Layout = {
  record: (belief) => ({
    key: belief.canonical_name,
    content: belief.content,
    summary: belief.why_it_matters,
    tags: belief.aliases,
    confidence: belief.confidence,
    namespace: namespaceFor(belief),
  }),
  renamed: ({ aliases }) => ({ metadata: { tags: aliases } }),
  archives: true,
};

const oneText: Layout = {
  record: (belief) => ({ content: asText(belief), namespace: namespaceFor(belief) }),
  renamed: (belief) => ({ content: asText(belief) }),
  archives: false,
};

export async function precision(dataDir: string, teams: Teams, limit: number | undefined): Promise<Evaluation> {
  const data = loadPrecision(dataDir);
  const corpora = [await Corpus.store(data, fields, teams.fields, teams), await Corpus.store(data, oneText, teams.text, teams)] as const;
  const cases = data.cases.slice(0, limit);
  return {
    async measure(args) {
      const [first, second] = [await measure(data, corpora[0], cases, args), await measure(data, corpora[1], cases, args)];
      const [all, sessions] = second.groups;
      return { ...first, groups: [...first.groups, ...[all, sessions].flatMap((group) => (group ? [{ ...group, name: `${group.name}, as one text` }] : []))] };
    },
  };
}

/** The seed as one team remembers it. */
class Corpus {
  readonly #layout: Layout;
  readonly #teams: Teams;
  readonly #memories: Memories;
  readonly #beliefs = new Map<string, Belief>();
  readonly #idOf = new Map<string, string>();
  readonly #beliefOf = new Map<string, string>();

  private constructor(layout: Layout, memories: Memories, teams: Teams) {
    this.#layout = layout;
    this.#memories = memories;
    this.#teams = teams;
  }

  static async store({ beliefs }: PrecisionData, layout: Layout, memories: Memories, teams: Teams): Promise<Corpus> {
    const corpus = new Corpus(layout, memories, teams);
    await corpus.add(beliefs.filter((belief) => belief.user_id === mainUser), memories);
    if (layout.archives) {
      await corpus.add(beliefs.filter((belief) => belief.user_id !== mainUser), teams.other);
      const over = beliefs.filter((belief) => belief.superseded_by || belief.resolved_at);
      await memories.forget(over.map(({ _id }) => corpus.#id(_id)), "archive");
    }
    return corpus;
  }

  get beliefs(): ReadonlyMap<string, Belief> {
    return this.#beliefs;
  }

  async add(beliefs: readonly Belief[], memories = this.#memories): Promise<void> {
    const ids = await memories.store(beliefs.map((belief) => this.#layout.record(belief)));
    for (const [index, belief] of beliefs.entries()) {
      this.#beliefs.set(belief._id, belief);
      this.#idOf.set(belief._id, ids[index] ?? "");
      this.#beliefOf.set(ids[index] ?? "", belief._id);
    }
  }

  async erase(beliefId: string): Promise<void> {
    await this.#memories.forget([this.#id(beliefId)], "erase");
    this.#beliefs.delete(beliefId);
  }

  async know(beliefId: string, aliases: string[]): Promise<void> {
    const belief = this.#beliefs.get(beliefId);
    if (!belief) throw new Error(`no belief ${beliefId}`);
    this.#beliefs.set(beliefId, { ...belief, aliases });
    await this.#memories.update(this.#id(beliefId), this.#layout.renamed({ ...belief, aliases }));
  }

  /** Vectors of what was just stored. */
  async settled(): Promise<void> {
    await this.#memories.settled();
  }

  calls({ scope, query, maxBeliefs }: Case, args: Arguments): Arguments[] {
    if (query.trim() === "" || maxBeliefs === 0) return [];
    return scope.map((name) => ({ query, limit: maxBeliefs, filters: { namespace: namespaceOf(name) }, ...args }));
  }

  async ask({ userId }: Case, calls: readonly Arguments[]): Promise<{ ranked: { key: string; relevance: number }[]; recalls: Recall[] }> {
    const memories = userId === mainUser ? this.#memories : this.#teams.nobody;
    const recalls: Recall[] = [];
    for (const call of calls) recalls.push(await memories.recall(call));
    const longest = Math.max(0, ...recalls.map(({ hits }) => hits.length));
    const merged = Array.from({ length: longest }, (_, rank) => recalls.flatMap(({ hits }) => hits[rank] ?? [])).flat();
    return { ranked: merged.map(({ id, relevance }) => ({ key: this.#beliefOf.get(id) ?? id, relevance })), recalls };
  }

  #id(beliefId: string): string {
    const id = this.#idOf.get(beliefId);
    if (id === undefined) throw new Error(`no belief ${beliefId}`);
    return id;
  }
}

type Figures = Record<"precision" | "recall" | "passed", number | undefined>;

async function measure(data: PrecisionData, corpus: Corpus, cases: readonly Case[], args: Arguments): Promise<Measured> {
  const measured: Omit<Measured, "groups"> = { notes: [], misses: [], recalls: [], faults: [] };
  const scored: { groups: string[]; figures: Figures }[] = [];
  const nothingExpected: number[] = [];
  const ask = async (asked: Case, rule: typeof scoreCase): Promise<Score> => {
    const calls = corpus.calls(asked, args);
    const { ranked, recalls } = await corpus.ask(asked, calls);
    measured.recalls.push(...recalls.map(({ ms, tokens }) => ({ ms, tokens })));
    const context = contextOf(asked, ranked.map(({ key }) => key), corpus.beliefs);
    const score = rule(asked, context);
    const gold = asked.expect.relevantBeliefs?.shouldOnlyInclude ?? [];
    if (gold.length === 0 && calls.length > 0) nothingExpected.push(context.relevant.size);
    if (!score.passed) {
      const shown = ranked.filter(({ key }) => context.relevant.has(key) && !context.pinned.has(key));
      measured.misses.push({ id: asked.id, question: asked.query, args: calls[0] ?? {}, expected: gold, found: shown });
    }
    return score;
  };

  for (const asked of cases) {
    const { precision, recall, passed } = await ask(asked, scoreCase);
    scored.push({ groups: ["retrieval cases", asked.category], figures: { precision, recall, passed: passed ? 1 : 0 } });
  }
  const empty = nothingExpected.filter((size) => size === 0).length;
  measured.notes.push(`Where nothing should come back (${nothingExpected.length} cases) nothing does in ${empty}; otherwise ${(mean(nothingExpected.filter((size) => size > 0)) ?? 0).toFixed(1)} beliefs.`);
  const askedFor = scored.filter(({ figures }) => figures.recall !== undefined);
  measured.notes.push(`Where something should (${askedFor.length} cases) precision is ${percent(mean(askedFor.map(({ figures }) => figures.precision)))}.`);

  for (const turn of data.turns) {
    const { precision, recall, passed } = await ask(turn, scoreTurn);
    scored.push({ groups: ["sessions"], figures: { precision, recall, passed: passed ? 1 : 0 } });
    if (turn.create) await corpus.add([turn.create]);
    if (turn.aliases) await corpus.know(turn.aliases.beliefId, [...aliasesOf(data, turn.aliases.beliefId), ...turn.aliases.added]);
    if (turn.create || turn.aliases) await corpus.settled();
  }
  // The seed again, for the next measurement.
  for (const turn of data.turns) {
    if (turn.create) await corpus.erase(turn.create._id);
    if (turn.aliases) await corpus.know(turn.aliases.beliefId, aliasesOf(data, turn.aliases.beliefId));
  }
  await corpus.settled();
  const groups = groupMeans(scored);
  const leading = ["retrieval cases", "sessions"];
  return { ...measured, groups: [...leading.flatMap((name) => groups.find((group) => group.name === name) ?? []), ...groups.filter(({ name }) => !leading.includes(name))] };
}

const aliasesOf = ({ beliefs }: PrecisionData, id: string): string[] => beliefs.find(({ _id }) => _id === id)?.aliases ?? [];
