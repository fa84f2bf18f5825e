import { type Finding, outermost } from "./finding.ts";
import { assignedSecrets } from "./secret-assignments.ts";
import { secretForms } from "./secret-forms.ts";
import { aboutSeeds, secretRules } from "./secret-rules.ts";
import { isMadeUp } from "./secret-shapes.ts";
import { readsAsSentence, wordsCalledSecret } from "./secret-words.ts";
import { secretsCalledSo } from "./secrets-called-so.ts";

/** Blocks of keys, and the address to which a program sends its faults (a Sentry DSN): its key may be known. */
const publicBlock = /https?:\/\/[\da-f]{32}@[\w.-]{0,99}sentry[\w.-]{0,99}\/\d+|-----BEGIN (?:[A-Z0-9]+ )*(?:PUBLIC KEY|CERTIFICATE|SIGNATURE|MESSAGE)(?: BLOCK| REQUEST)?-----[\s\S]{0,20000}?-----END [A-Z0-9 ]{3,40}-----/g;

/** Finds credentials: those of a known form, those in a place where one stands, and what the text calls one. */
export function findSecrets(text: string): Finding[] {
  const lowered = inLowerCase(text);
  const found = [...ofKnownForm(text), ...assignedSecrets(text, lowered), ...inKnownPlaces(text), ...seedPhrases(text), ...wordsCalledSecret(lowered), ...secretsCalledSo(text, lowered)];
  const open = [...text.matchAll(publicBlock)].map(({ index, 0: { length } }) => [index, index + length] as const);
  return outermost(found.filter(({ start, end }) => !open.some(([from, to]) => from <= start && end <= to)));
}

/** Each letter in its place, which `toLowerCase` alone does not promise. */
const inLowerCase = (text: string): string => text.replaceAll(/[A-ZÀ-ÖØ-ÞŁŚŻŞČŠŽА-Я]+/g, (capitals) => capitals.toLowerCase());

function ofKnownForm(text: string): Finding[] {
  const found: Finding[] = [];
  for (const [kind, form] of secretForms) for (const { index, 0: whole } of text.matchAll(form)) if (!isMadeUp(whole)) found.push({ kind, start: index, end: index + whole.length });
  return found;
}

function inKnownPlaces(text: string): Finding[] {
  const found: Finding[] = [];
  for (const { kind, form, is, near } of secretRules) {
    if (near && !near.test(text)) continue;
    for (const match of text.matchAll(form)) {
      const value = match.slice(1).findLast((group) => group !== undefined) ?? match[0];
      const start = match.index + match[0].lastIndexOf(value);
      if (!is || is(value, match)) found.push({ kind, start, end: start + value.length });
    }
  }
  return found;
}

const seedWords = /(?<![a-z])((?:[a-z]{3,8}[ ,]+){11,23}[a-z]{3,8})(?![a-z])/g;
const introduced = /^.*?\b(?:are|lauten|sind|sont|son)[ ,]+/;
/** More words than a seed has are a list of something; few of a seed's are the same. */
const isSeed = (words: readonly string[], rest: string): boolean => new Set(words).size > 6 && !(words.length === 24 && /^[ ,]+[a-z]{2,}/.test(rest));

function seedPhrases(text: string): Finding[] {
  if (!aboutSeeds.test(text)) return [];
  return [...text.matchAll(seedWords)].flatMap(({ index, 0: whole }) => {
    const value = whole.replace(introduced, "");
    const [words, end] = [value.split(/[ ,]+/), index + whole.length];
    return words.length >= 12 && isSeed(words, text.slice(end)) && !readsAsSentence(value) ? [{ kind: "seed phrase", start: end - value.length, end }] : [];
  });
}
