import { isTechnology } from "../../../graph/extract/technologies.ts";
import { sameSet } from "./conflict.ts";
import { auxiliaries, isTime, moves, negations, prepositions } from "./cues.ts";
import { type Reading, type Statement, telling } from "./statements.ts";

/** They end a German sentence. */
const lastVerbs = new Set("umgestellt umgezogen gezogen verlegt migriert".split(" "));

/**
 * Whether the later text says where something went of which the earlier one says where, or what, it is: "The user lives in Kiel", "The user moved to Bonn"; "The
 * database is MySQL 8", "We migrated the database to Postgres". Where it went may be a thing of another kind, so this alone replaces nothing.
 */
export function movedOn(earlier: Reading, later: Reading): boolean {
  const went = later.statements.filter(({ isTransition, isNegated, words }) => isTransition && !isNegated && words.some((word) => moves.has(word))).map(({ subject, rest }) => goalOf([...subject], rest));
  const gone = later.sentences.filter(({ isQuestion }) => !isQuestion).flatMap(({ clauses }) => clauses).filter((clause) => lastVerbs.has(clause.at(-1) ?? "") && !clause.some((word) => negations.has(word)));
  const goals = [...went, ...gone.map((clause) => goalOf([], ["", ...clause]))];
  return earlier.statements.some((old) => {
    const value = placeOf(old, earlier.names);
    return value !== undefined && !later.content.has(value) && goals.some(([what, to]) =>
      to !== undefined && isTime(to) === isTime(value) && sameSet(new Set(what), old.subject) && !(isSomebody(old, earlier) && isTechnology(to)));
  });
}

/** They live in Kiel, and moved to Linux all the same. */
const isSomebody = ({ subject, rest }: Statement, { names }: Reading): boolean => /^(?:live|wohn)/.test(rest[0] ?? "") && [...subject].some((word) => word === "user" || names.has(word));

/** The first word of where it is, or of what it is by name. */
function placeOf({ isNegated, isChange, kind, rest }: Statement, names: ReadonlySet<string>): string | undefined {
  if (isNegated || isChange) return undefined;
  const at = rest.findIndex((word) => prepositions.has(word));
  // "is slow on Mondays" says where nothing is.
  if (at === 1 || (at === 2 && kind !== "is")) return rest[at + 1];
  return kind === "is" && names.has(rest[1] ?? "") ? rest[1] : undefined;
}

const towards = new Set("to into nach auf zu zum zur".split(" "));

/** What went, and the first word of where: what stands before the verb, or else between it and the preposition. */
function goalOf(subject: string[], rest: readonly string[]): [what: string[], to: string | undefined] {
  const at = rest.findIndex((word) => towards.has(word));
  const what = subject.filter((word) => !auxiliaries.has(word));
  return [what.length > 0 ? what : telling(rest.slice(1, Math.max(at, 0))).filter((word) => !auxiliaries.has(word)), at > 0 ? rest[at + 1] : undefined];
}
