/**
 * `node scripts/ranker/train.ts <features.jsonl> …` fits the two models of `src/domain/recall/ranking/model.json` on rows that
 * `collect.ts` wrote, and prints how they do: on the half of each set's questions that was not looked at, on sets that take no
 * part, and with each set left out. Seeds are fixed: the same rows give the same models. What ships is fitted on the rows of two runs, with query expansion
 * and without it (`crowd` and beginnings only with it): the same questions among other candidates, which makes the models depend less on which those are.
 * `ONLY=relevance` keeps the order that ships, `DRY=1` writes nothing, `MORE=1` also leaves sets out.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { boost, type BoostOptions, type Examples } from "./boost.ts";
import { packed } from "./pack.ts";
import { reliability, report, type Question, type Scored } from "./figures.ts";
import { featureNames, type FeatureName } from "../../src/domain/recall/ranking/features.ts";
import { placeNames, relevancesOf, withPlace } from "../../src/domain/recall/ranking/rank.ts";
import { isSwapped, laterTeams, writtenId } from "./sets.ts";
import { isHeld } from "../../test/evals/held.ts";
import { stackSets, teamSets } from "../../test/evals/teams.ts";
import shipped from "../../src/domain/recall/ranking/model.json" with { type: "json" };
import { unpacked } from "../../src/domain/recall/ranking/packed-trees.ts";
import { Trees, type TreeModel } from "../../src/domain/recall/ranking/trees.ts";

/** Written for this project, or MIT. LoCoMo (CC BY-NC), BEAM (no licence named) and the stacks only judge (docs/decisions/recall.md has what the stacks would change). */
const kinds = ["teams", "later teams", "beginnings", "friends", "assistant", "devmem", "precision"] as const;
type Kind = (typeof kinds)[number];
const judges: readonly string[] = ["locomo", "beam", "stacks"];

const kindOfSet = new Map<string, string>([...[...teamSets, "crowd"].map((set) => [set, "teams"] as const), ...laterTeams.map((set) => [set, "later teams"] as const), ...stackSets.map((set) => [set, "stacks"] as const)]);
const kindOf = (set: string): string => (set.includes("-first-") ? "beginnings" : kindOfSet.get(set) ?? set.replace(/\d$/, ""));

/**
 * What a kind counts beside the others, of which each counts alike at 1. The order does not learn from the later teams and from beginnings: with them
 * LoCoMo's MRR falls by a point. Relevance does: they hold most of the questions that nothing answers.
 */
const orderWeights: Partial<Record<Kind, number>> = { teams: 2, "later teams": 0, beginnings: 0 };
const relevanceWeights: Partial<Record<Kind, number>> = { "later teams": 0.8, beginnings: 0.12, precision: 4 };

/** Of a question that is asked of somebody else, beside the one that was written. */
const swappedWeight = 0.3;

/** More words that match and more nearness never speak against a memory, whatever a set says by chance. */
const rising = new Set<FeatureName>(["text", "textShare", "textRank", "covered", "coveredWithContext", "matchedIdf", "typed", "when", "similarity", "similarityShare", "vectorRank", "wordMatch", "wordMatchRank"]);
const falling = new Set<FeatureName>(["similarityGap", "wordMatchGap", "rareMissing"]);
const monotone = featureNames.map((name) => Number(rising.has(name)) - Number(falling.has(name)));
/** Of who speaks alone: relevance that may only rise with nearness is worse everywhere. */
const monotoneRelevance = [...featureNames, ...placeNames].map((name) => Number(name === "opening"));

const order: BoostOptions = { trees: 150, rate: 0.085, leastWeight: 5, lambda: 6, rowShare: 0.7, featureShare: 0.4, objective: "rank", seed: 1, monotone };
const relevance: BoostOptions = { trees: 120, rate: 0.055, leastWeight: 20, lambda: 20, rowShare: 0.7, featureShare: 0.5, objective: "logistic", seed: 2, monotone: monotoneRelevance };

const shippedOrder = process.env["ONLY"] === "relevance" ? unpacked(shipped.order) : undefined;

interface Models {
  order: TreeModel;
  relevance: TreeModel;
}

const foldOf = ({ id }: Question): number => (createHash("sha256").update(writtenId(id)).digest()[1] as number) & 1;

function examplesOf(questions: readonly Question[], weightOf: (question: Question) => number, rowsOf: (question: Question) => Float32Array[] = ({ rows }) => rows): Examples {
  const examples: Examples = { rows: [], labels: [], weights: [], starts: [0] };
  for (const question of questions) {
    if (question.rows.length === 0) continue;
    examples.rows.push(...rowsOf(question));
    examples.labels.push(...question.labels);
    examples.weights.push(...question.rows.map(() => weightOf(question)));
    examples.starts.push(examples.rows.length);
  }
  return examples;
}

/** The questions of the kinds that count, and what each of them weighs: a kind counts by the root of how many were written for it. */
function weighed(questions: readonly Question[], weights: Partial<Record<string, number>>): { some: Question[]; weightOf: (question: Question) => number } {
  const weightOfKind = ({ set }: Question): number => weights[kindOf(set)] ?? 1;
  const some = questions.filter((question) => weightOfKind(question) > 0);
  const written = some.filter(({ id }) => !isSwapped(id));
  const counts = Map.groupBy(written, ({ set }) => kindOf(set));
  const mean = written.length / counts.size;
  return { some, weightOf: (question) => (isSwapped(question.id) ? swappedWeight : 1) * weightOfKind(question) * Math.sqrt(mean / (counts.get(kindOf(question.set))?.length ?? mean)) };
}

function fit(questions: readonly Question[]): Models {
  const [ordered, judged] = [weighed(questions.filter(({ id }) => !isSwapped(id)), orderWeights), weighed(questions, relevanceWeights)];
  // Relevance reads the place that the order gives a candidate: of an order that has not seen the question.
  const folds = [0, 1].map((fold) => new Trees(boost(examplesOf(ordered.some.filter((question) => foldOf(question) !== fold), ordered.weightOf), order)));
  const placed = (question: Question): Float32Array[] => {
    const trees = folds[foldOf(question)] as Trees;
    const scores = question.rows.map((row) => trees.score(row));
    const places = scores.map((_, i) => i).sort((a, b) => (scores[b] as number) - (scores[a] as number));
    const rows: Float32Array[] = [];
    for (const [place, i] of places.entries()) rows[i] = withPlace(question.rows[i] as Float32Array, scores[i] as number, scores[places[0] as number] as number, place);
    return rows;
  };
  return { order: shippedOrder ?? boost(examplesOf(ordered.some, ordered.weightOf), order), relevance: boost(examplesOf(judged.some, judged.weightOf, placed), relevance) };
}

function scored(questions: readonly Question[], models: Models): Scored[] {
  const [trees, judge] = [new Trees(models.order), new Trees(models.relevance)];
  return questions.map((question) => {
    const scores = question.rows.map((row) => trees.score(row));
    const places = scores.map((_, i) => i).sort((a, b) => (scores[b] as number) - (scores[a] as number));
    const relevances = places.length === 0 ? [] : relevancesOf(question.rows, scores, places, judge);
    return { question, ranked: places.map((i, place) => ({ label: question.labels[i] as number, relevance: relevances[place] as number })) };
  });
}

const questions = process.argv.slice(2).flatMap((file) =>
  readFileSync(file, "utf8").trim().split("\n").map((line): Question => {
    const { rows, ...question } = JSON.parse(line) as Omit<Question, "rows"> & { rows: number[][] };
    return { ...question, rows: rows.map((row) => Float32Array.from(row)) };
  }));
const of = (kind: string): Question[] => questions.filter(({ set }) => kindOf(set) === kind);
const learned = kinds.flatMap(of).filter(({ id }) => !isHeld(writtenId(id)));
const models = fit(learned);
process.stdout.write(`Fitted on ${learned.length} questions\n`);
const heldOf = (kind: string): Question[] => of(kind).filter(({ id }) => isHeld(writtenId(id)));
for (const kind of kinds) report(`${kind}, not looked at`, scored(heldOf(kind), models));
for (const judge of judges) report(`${judge}, takes no part`, scored(of(judge), models));
reliability("all not looked at", scored(kinds.flatMap(heldOf), models));
for (const judge of judges) reliability(judge, scored(of(judge), models));
if (process.env["MORE"]) {
  for (const kind of kinds) report(`${kind}, left out whole`, scored(of(kind), fit(learned.filter(({ set }) => kindOf(set) !== kind))));
  const groups = (set: string): string[] => [...new Set(of(set).map(({ group }) => group))];
  for (const fold of [0, 1]) {
    const inFold = ({ set, group }: Question): boolean => groups(set).indexOf(group) % 2 === fold;
    const with2 = fit([...learned, ...judges.flatMap(of).filter((question) => !inFold(question))]);
    for (const judge of judges) report(`${judge}, half ${fold}, fitted on the other half too`, scored(of(judge).filter(inFold), with2));
  }
}
const json = JSON.stringify({ order: shippedOrder ? shipped.order : packed(models.order), relevance: packed(models.relevance) });
if (!process.env["DRY"]) writeFileSync(new URL("../../src/domain/recall/ranking/model.json", import.meta.url), `${json}\n`);
process.stdout.write(`${json.length} bytes\n`);
