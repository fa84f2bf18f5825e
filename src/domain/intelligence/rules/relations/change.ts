import { additions, auxiliaries, beforeFormer, behindFormer, changeVerbs, changeWords, firstPerson, isVerbWord, negations, surelyFormer, times, unsure } from "./cues.ts";
import { telling } from "./statements.ts";
import type { Sentence } from "./tokens.ts";

/** What a sentence says to be otherwise than an earlier clause had it. */
export interface Change {
  reason: string;
  strength: number;
}

const version = /^v?\d[\d.]*[a-z]?$/;
/** Words of the new value: more, and the sentence says something else besides. */
const longestValue = 3;

/**
 * Whether a sentence says plainly that what a clause states has changed: it names all that the clause is about, beside it either the
 * clause's value as what held before ("moved from Netlify", "instead of npm"), or the same thing in another version ("upgraded to
 * PostgreSQL 17"), and nothing else but the new value. A further word may be another place, person or part, of which the clause did
 * not speak, and leaves it as it is. It reads words, not grammar, so the sentence may be built in any way.
 */
export function changeOf(clause: readonly string[], { clauses, isQuestion }: Sentence): Change | undefined {
  const words = clauses.flat();
  if (isQuestion || words.some((word) => unsure.has(word) || additions.has(word)) || clause.some((word) => unsure.has(word) || negations.has(word))) return undefined;
  if (!words.some(isCue) || clauses.some(isDenied)) return undefined;
  const matter = mattersOf(clause);
  return formerIn(clause, matter, words) ?? versionIn(clause, matter, words);
}

const isCue = (word: string): boolean => changeWords.has(word) || changeVerbs.has(word) || surelyFormer.has(word);
/** "was not upgraded": no change. "no longer", which is read as "not now", is one. */
const isDenied = (clause: readonly string[]): boolean => clause.some((word) => changeVerbs.has(word)) && clause.some((word, i) => negations.has(word) && !changeWords.has(clause[i + 1] ?? ""));

const isMatter = (word: string): boolean => telling([word]).length > 0 && !auxiliaries.has(word) && !isVerbWord(word) && !changeVerbs.has(word) && !negations.has(word) && !beforeFormer.has(word) && !behindFormer.has(word);
/** "Deploys happen on Fridays": the first one is what it is about. */
const mattersOf = (words: readonly string[]): string[] => words.filter((word, i) => isMatter(word) || (i === 0 && isVerbWord(word) && isVerbWord(words[1] ?? "")));

/** The value of the clause, named as what held before. */
function formerIn(clause: readonly string[], matter: readonly string[], words: readonly string[]): Change | undefined {
  for (let length = Math.min(4, matter.length); length > 0; length -= 1) {
    for (let at = matter.length - length; at >= 0; at -= 1) {
      const value = matter.slice(at, at + length);
      // "from 30 to 90 days": the unit may stand once, at the end.
      const sought = [value, ...(length === 2 && version.test(value[0] as string) ? [value.slice(0, 1)] : [])];
      const found = sought.find((one) => isFormer(words, one));
      // "raised from 20 to 50", said twice: what the earlier one says itself to have held before is not what it states.
      if (!found || isFormer(clause, found)) continue;
      const about = [...matter.slice(0, at), ...matter.slice(at + length)];
      const isOwn = about.length === 0 && clause.some((word) => firstPerson.has(word)) && words.some((word) => firstPerson.has(word));
      if (about.length === 0 && !isOwn) continue;
      if (says(words, about, value)) return { strength: 0.9, reason: "The later one names what the earlier one says as what held before." };
    }
  }
  return undefined;
}

/** It stands behind "from", "instead of", "no longer", "not", with nothing between but what holds the sentence together; or, in Japanese, before such a word. */
function isFormer(words: readonly string[], value: readonly string[]): boolean {
  const lean = words.filter((word, i) => isMatter(word) || beforeFormer.has(word) || behindFormer.has(word) || word === "durch" || changeVerbs.has(word) || (negations.has(word) && !isAboutAct(words, i)));
  return lean.some((word, i) => {
    const stands = (from: number): boolean => from >= 0 && value.every((one, k) => lean[from + k] === one);
    return ((beforeFormer.has(word) || negations.has(word)) && stands(i + 1)) || ((behindFormer.has(word) || (word === "durch" && lean.includes("ersetzt"))) && stands(i - value.length));
  });
}

/** "is not used": what is denied is the act. */
const isAboutAct = (words: readonly string[], at: number): boolean => at === words.length - 1;

/** The same thing, in another version. */
function versionIn(clause: readonly string[], matter: readonly string[], words: readonly string[]): Change | undefined {
  // That it supports another version, too, is no change of the one that it runs on.
  if (!words.some((word) => changeVerbs.has(word) || (isVerbWord(word) && word !== "は" && clause.includes(word)))) return undefined;
  for (let i = 1; i < matter.length; i += 1) {
    const [name, old] = [matter[i - 1] as string, matter[i] as string];
    if (!version.test(old) || version.test(name)) continue;
    const said = mattersOf(words);
    const fresh = said.find((word, k) => version.test(word) && word !== old && (said[k - 1] === name || (said[k - 1] === old && said[k - 2] === name)));
    if (fresh === undefined) continue;
    const about = [...matter.slice(0, i - 1), ...matter.slice(i + 1)];
    if (about.length > 0 && says(words, about, [name, old], [name, fresh])) return { strength: 0.9, reason: "The later one names another version of the same thing, and says that it changed." };
  }
  return undefined;
}

/** Beside what it is about, the former value and times, the sentence has the new value alone, in one piece. `fresh`: known to be that. */
function says(words: readonly string[], about: readonly string[], former: readonly string[], fresh: readonly string[] = []): boolean {
  if (!about.every((word) => words.includes(word))) return false;
  const known = new Set([...about, ...former, ...fresh]);
  const own = words.flatMap((word, i) => (isMatter(word) && !known.has(word) && !times.has(word) ? [i] : []));
  if (own.length === 0) return true;
  if (fresh.length > 0 || own.length > longestValue) return false;
  const [first, last] = [own[0] as number, own.at(-1) as number];
  return words.slice(first, last + 1).every((word, k) => own.includes(first + k) || telling([word]).length === 0);
}
