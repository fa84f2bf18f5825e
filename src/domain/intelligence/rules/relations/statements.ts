import { additions, changeVerbs, changeWords, definite, fillers, isAttribute, isVerbWord, modals, negations, occasions, prepositions, pronouns, relationOf, roles, unsure, verbIn, type VerbKind } from "./cues.ts";
import { type Sentence, sentencesOf } from "./tokens.ts";

/** What one clause of a text says, as far as it can be read by its structure. */
export interface Statement {
  /** Words of the subject, in any order; those of the clause that opens the sentence are part of it. */
  subject: ReadonlySet<string>;
  /** Words that the subject is equated or related with, in their order, beginning with the verb. */
  rest: readonly string[];
  kind: VerbKind;
  isNegated: boolean;
  /** It says that this was otherwise before. */
  isChange: boolean;
  /** The verb itself says so (`moved to`): what held before, another verb said. */
  isTransition: boolean;
  /** The sentence says that it holds beside something else. */
  isBeside: boolean;
  /** Several may have this role at once. */
  isLoose: boolean;
  /** All words of the clause, with their cues. */
  words: readonly string[];
}

export interface Reading {
  sentences: readonly Sentence[];
  /** The statements of each clause that is one. */
  statements: readonly Statement[];
  /** Words that carry meaning, of the whole text. */
  content: ReadonlySet<string>;
  /** Clauses with words that carry meaning. */
  clauses: readonly (readonly string[])[];
  /** Words that are written like names, in whatever sentence. */
  names: ReadonlySet<string>;
}

const anaphora = new Set(["it", "es", "er", "sie"]);

const isTelling = (word: string): boolean => !fillers.has(word) && !prepositions.has(word) && !changeWords.has(word) && !modals.has(word);

/** Words of a clause without those that only hold it together. */
export const telling = (words: readonly string[]): string[] => words.filter(isTelling);

export function read(text: string): Reading {
  const sentences = sentencesOf(text);
  const clauses = sentences.flatMap((sentence) => sentence.clauses).filter((clause) => telling(clause).length > 0);
  const statements = sentences.flatMap(({ clauses: [first = [], ...others], isQuestion }) => {
    if (isQuestion || [first, ...others].some((clause) => clause.some((word) => unsure.has(word)))) return [];
    const isBeside = [first, ...others].some((clause) => clause.some((word) => additions.has(word)));
    const opening = statementOf(first, []);
    // "…: p50 is 12 ms, p95 is 40 ms": the second is about the same thing as the first.
    const context = opening ? [...opening.subject] : telling(first).filter((word) => !changeVerbs.has(word));
    return [opening, ...others.map((clause) => statementOf(clause, context))].flatMap((one) => (one ? [{ ...one, isBeside }] : []));
  });
  return { sentences, statements, content: new Set(clauses.flatMap(telling)), clauses, names: new Set(sentences.flatMap(({ names }) => [...names])) };
}

function statementOf(clause: readonly string[], context: readonly string[]): Omit<Statement, "isBeside"> | undefined {
  const isTransition = clause.some((word) => changeVerbs.has(word));
  const isChange = isTransition || clause.some((word) => changeWords.has(word));
  if (!isChange && clause.some((word) => occasions.has(word))) return undefined;
  const isNegated = clause.filter((word) => negations.has(word)).length % 2 === 1;
  const plain = withoutSince(clause).filter((word) => !negations.has(word));
  const lean = plain.filter((word) => !changeWords.has(word) && !modals.has(word));
  const verb = verbIn(lean) ?? transitionIn(lean) ?? (plain.some((word) => modals.has(word)) ? dutyIn(lean) : undefined);
  if (!verb) return undefined;
  const [before, behind] = [lean.slice(0, verb.start), lean.slice(verb.start)];
  // "Its address changed, it is 10.0.0.7 now": what the clause before was about.
  const isContinued = isChange && context.length > 0 && before.length === 1 && anaphora.has(before[0] as string);
  if (!isContinued && (before.some((word) => pronouns.has(word) && !fillers.has(word)) || (before.length === 1 && pronouns.has(before[0] as string)))) return undefined;
  const said = { kind: verb.kind, isNegated, isChange, isTransition: isTransition && verb.kind === "is", words: clause };
  const [front, back] = [telling(before), telling(behind.slice(verb.end - verb.start))];
  if ((back.length === 0 && verb.kind !== "many") || (front.length === 0 && !before.some((word) => fillers.has(word)))) return undefined;
  // "Ben is the on-call lead" says who the on-call lead is.
  const isRole = verb.kind === "role" || (verb.kind === "is" && back.some((word) => roles.has(word)) && !front.some(isAttribute));
  if (isRole && front.length > 0 && front.length <= 2) {
    const isLoose = verb.kind === "role" || !definite.has(behind[1] ?? "");
    const role = back.filter((word) => roles.has(word) || !isVerbWord(word));
    return { ...said, kind: "is", subject: new Set([...context, ...role, ...(verb.kind === "role" ? ["lead"] : [])]), rest: ["is", ...front], isLoose };
  }
  const own = front.length === 0 || isContinued ? telling(context) : front;
  return { ...said, subject: new Set([...context, ...own]), rest: behind.filter((word, i) => i === 0 || (!fillers.has(word) && !definite.has(word) && !changeVerbs.has(word))).map((word, i) => (i === 0 ? relationOf(word) : word)), isLoose: false };
}

/** A verb of change stands between subject and value, too; in Japanese at the end. */
function transitionIn(clause: readonly string[]) {
  const verb = clause.findIndex((word) => changeVerbs.has(word));
  const object = verb < 0 ? -1 : clause.indexOf("を");
  const at = object > 0 && object < verb ? object : verb;
  return at < 0 ? undefined : { kind: "is" as const, start: at, end: at + 1 };
}

/** "Commits must be signed": the duty is the verb. */
function dutyIn(clause: readonly string[]) {
  return clause.length < 2 ? undefined : { kind: "many" as const, start: clause.length - 1, end: clause.length - 1 };
}

/** "Since March the frontend …": when it began is no part of the subject. */
function withoutSince(clause: readonly string[]): string[] {
  const at = clause.findIndex((word) => word === "since" || word === "seit");
  if (at < 0) return [...clause];
  const length = /^(?:release|version|v)$/.test(clause[at + 1] ?? "") ? 3 : 2;
  return [...clause.slice(0, at), ...clause.slice(at + length)];
}
