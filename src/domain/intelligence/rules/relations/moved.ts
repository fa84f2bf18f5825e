import { isTechnology } from "../../../graph/extract/technologies.ts";
import { isTime, moves, prepositions } from "./cues.ts";
import type { Reading, Statement } from "./statements.ts";

const auxiliaries = new Set(["was", "were", "has", "been"]);

/**
 * Whether the later text says where something went of which the earlier one says where, or what, it is: "The user lives in Kiel", "The user moved to Bonn"; "The
 * database is MySQL 8", "We migrated the database to Postgres". Where it went may be a thing of another kind, so this alone replaces nothing.
 */
export function movedOn(earlier: Reading, later: Reading): boolean {
  const went = later.statements.filter(({ isTransition, isNegated, words }) => isTransition && !isNegated && words.some((word) => moves.has(word)));
  return earlier.statements.some((old) => {
    const value = placeOf(old, earlier.names);
    return value !== undefined && went.some((fresh) => {
      const [what, to] = goalOf(fresh);
      return to !== undefined && to !== value && isTime(to) === isTime(value) && isSame(what, old.subject) && !(isSomebody(old, earlier) && isTechnology(to));
    });
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

/** What went, and the first word of where: what stands before the verb, or else behind it. */
function goalOf({ subject, rest }: Statement): [what: Iterable<string>, to: string | undefined] {
  const at = rest.findIndex((word) => prepositions.has(word));
  const own = [...subject].filter((word) => !auxiliaries.has(word));
  return [own.length > 0 ? own : rest.slice(1, at), at > 0 ? rest[at + 1] : undefined];
}

function isSame(what: Iterable<string>, subject: ReadonlySet<string>): boolean {
  const words = [...new Set(what)];
  return words.length === subject.size && words.every((word) => subject.has(word));
}
