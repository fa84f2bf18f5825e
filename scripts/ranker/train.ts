/**
 * `node scripts/ranker/train.ts <features.jsonl> …` fits the two models of `src/domain/recall/ranking/model.json` on rows that
 * `collect.ts` wrote, and prints how they do: on the half of each set's questions that was not looked at, on sets that take no
 * part, and with each set left out. Seeds are fixed: the same rows give the same models. What ships is fitted on the rows of two runs, with query expansion
 * and without it (`crowd` only with it): the same questions among other candidates, which makes the models depend less on which those are.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { boost, type BoostOptions, type Examples } from "./boost.ts";
import { reliability, report, type Question, type Scored } from "./figures.ts";
import { featureNames, type FeatureName } from "../../src/domain/recall/ranking/features.ts";
import { relevancesOf, withPlace } from "../../src/domain/recall/ranking/rank.ts";
import { laterTeams } from "./sets.ts";
import { isHeld } from "../../test/evals/held.ts";
import { Trees, type TreeModel } from "../../src/domain/recall/ranking/trees.ts";

/** Written for this project, or MIT. LoCoMo (CC BY-NC), BEAM (no licence named) and four teams that came later only judge. */
const shipped = ["ledger", "trail", "lab", "studio", "friends", "friends2", "friends3", "assistant", "assistant2", "crowd", "devmem", "precision"];
const judges: readonly string[] = ["locomo", "beam", "later teams"];

/** More words that match and more nearness never speak against a memory, whatever a set says by chance. */
const rising = new Set<FeatureName>(["text", "textShare", "textRank", "covered", "coveredWithContext", "matchedIdf", "typed", "when", "similarity", "similarityShare", "vectorRank", "wordMatch", "wordMatchRank"]);
const falling = new Set<FeatureName>(["similarityGap", "wordMatchGap", "rareMissing"]);
const monotone = featureNames.map((name) => Number(rising.has(name)) - Number(falling.has(name)));

const order: BoostOptions = { trees: 150, depth: 4, rate: 0.1, leastWeight: 2, lambda: 3, rowShare: 0.7, featureShare: 0.5, objective: "rank", seed: 1, monotone };
const relevance: BoostOptions = { trees: 80, depth: 4, rate: 0.08, leastWeight: 6, lambda: 6, rowShare: 0.7, featureShare: 0.5, objective: "logistic", seed: 2 };

interface Models {
  order: TreeModel;
  relevance: TreeModel;
}

const foldOf = ({ id }: Question): number => (createHash("sha256").update(id).digest()[1] as number) & 1;

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

/** Each kind of data counts alike, however many questions it has. */
const kindOf = (set: string): string => (/^(?:friends|assistant)/.exec(set)?.[0] ?? (["ledger", "trail", "lab", "studio", "crowd"].includes(set) ? "teams" : set));

function fit(questions: readonly Question[]): Models {
  const counts = new Map<string, number>();
  for (const { set } of questions) counts.set(kindOf(set), (counts.get(kindOf(set)) ?? 0) + 1);
  const mean = questions.length / counts.size;
  const weightOf = ({ set }: Question): number => Math.sqrt(mean / (counts.get(kindOf(set)) as number));
  // Relevance reads the place that the order gives a candidate: of an order that has not seen the question.
  const folds = [0, 1].map((fold) => new Trees(boost(examplesOf(questions.filter((question) => foldOf(question) !== fold), weightOf), order)));
  const placed = (question: Question): Float32Array[] => {
    const trees = folds[foldOf(question)] as Trees;
    const scores = question.rows.map((row) => trees.score(row));
    const places = scores.map((_, i) => i).sort((a, b) => (scores[b] as number) - (scores[a] as number));
    const rows: Float32Array[] = [];
    for (const [place, i] of places.entries()) rows[i] = withPlace(question.rows[i] as Float32Array, scores[i] as number, scores[places[0] as number] as number, place);
    return rows;
  };
  return { order: boost(examplesOf(questions, weightOf), order), relevance: boost(examplesOf(questions, weightOf, placed), relevance) };
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

/** The later teams judge as one set, each a group of it. */
const partOf = (set: string): string => (laterTeams.some((team) => team === set) ? "later teams" : set);
const questions = process.argv.slice(2).flatMap((file) =>
  readFileSync(file, "utf8").trim().split("\n").map((line): Question => {
    const { rows, ...question } = JSON.parse(line) as Omit<Question, "rows"> & { rows: number[][] };
    return { ...question, set: partOf(question.set), rows: rows.map((row) => Float32Array.from(row)) };
  }));
const of = (sets: readonly string[]): Question[] => questions.filter(({ set }) => sets.includes(set));
const learned = of(shipped).filter((question) => !isHeld(question.id));
const models = fit(learned);
process.stdout.write(`Fitted on ${learned.length} questions of ${shipped.join(", ")}\n`);
const kinds = [...new Set(shipped.map(kindOf))];
const heldOf = (kind: string): Question[] => of(shipped).filter((question) => kindOf(question.set) === kind && isHeld(question.id));
for (const kind of kinds) report(`${kind}, not looked at`, scored(heldOf(kind), models));
for (const judge of judges) report(`${judge}, takes no part`, scored(of([judge]), models));
reliability("all not looked at", scored(kinds.flatMap(heldOf), models));
for (const judge of judges) reliability(judge, scored(of([judge]), models));
if (process.env["MORE"]) {
  for (const kind of kinds) report(`${kind}, left out whole`, scored(of(shipped).filter(({ set }) => kindOf(set) === kind), fit(learned.filter(({ set }) => kindOf(set) !== kind))));
  const groups = (set: string): string[] => [...new Set(of([set]).map(({ group }) => group))];
  for (const fold of [0, 1]) {
    const inFold = ({ set, group }: Question): boolean => groups(set).indexOf(group) % 2 === fold;
    const with2 = fit([...learned, ...of(judges).filter((question) => !inFold(question))]);
    for (const judge of judges) report(`${judge}, half ${fold}, fitted on the other half too`, scored(of([judge]).filter(inFold), with2));
  }
}
const json = JSON.stringify({ order: compact(models.order), relevance: compact(models.relevance) });
if (!process.env["DRY"]) writeFileSync(new URL("../../src/domain/recall/ranking/model.json", import.meta.url), `${json}\n`);
process.stdout.write(`${json.length} bytes\n`);

/** Three digits of a threshold, two decimals of a leaf: the bundle pays for each. */
function compact(model: TreeModel): TreeModel {
  const short = (value: number): number => Number(value.toPrecision(3));
  return { ...model, base: Number(model.base.toFixed(2)), thresholds: model.thresholds.map((row) => row.map(short)), leaves: model.leaves.map((row) => row.map((value) => Number(value.toFixed(2)))) };
}
