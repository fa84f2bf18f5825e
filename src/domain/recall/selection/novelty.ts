import { stopWords, termOf } from "../../text/query-terms.ts";
import { verbatim } from "../../verbatim.ts";

/** Words with what holds identifiers, versions, paths, addresses and contractions together; signs that carry meaning. */
const tokens = /[-+]?[\p{L}\p{N}\p{M}_]+(?:[.'’\-/:@#]+[\p{L}\p{N}\p{M}_]+)*|[\p{Sc}\p{Sm}\p{So}%]/gu;
/**
 * A number, a name or other capitalised word, an identifier, a sign, or a word of a script without capitals, where names cannot
 * be recognized.
 */
const factual = /[\p{N}\p{Lu}\p{Lt}\p{Lo}_./:@#\p{Sc}\p{Sm}\p{So}%]/u;

/** The same where no table of Unicode is needed: a third of the time. */
const ascii = /^[\0-\x7f]*$/;
const asciiTokens = /[-+]?\w+(?:[.'\-/:@#]+\w+)*|[$+<>=|~^%]/g;
const asciiFactual = /[0-9A-Z_./:@#$+<>=|~^%]/;

/** Negations of the most written European languages, and English numbers and bounds in words. */
const factualWords = new Set(
  verbatim`no not nor never none nothing nobody neither cannot without except only always nicht nichts nie niemals kein keine
  keinen keinem keiner keines ohne ne pas jamais sans aucun aucune sin nunca ningún ninguna non mai senza nessun não
  sem nenhum не нет нельзя никогда без ни δεν μη όχι χωρίς zero one two three four five six seven eight nine ten eleven
  twelve fifteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion half twice first
  second third before after until above below`.split(/\s+/),
);

/**
 * The content of a text for comparison: every word but stop words, by its stem, and its facts with the word before them, for
 * "from 20 to 50" is not "from 50 to 20".
 */
export interface TextSignature {
  words: ReadonlySet<string>;
  facts: ReadonlySet<string>;
}

export function textSignature(text: string): TextSignature {
  const [found, pattern] = ascii.test(text) ? [text.match(asciiTokens), asciiFactual] : [text.normalize("NFKC").match(tokens), factual];
  const words = new Set<string>();
  const facts = new Set<string>();
  let before = "";
  for (const token of found ?? []) {
    const word = token.toLowerCase().replace("’", "'");
    const isNegation = factualWords.has(word) || word.endsWith("n't");
    if (!isNegation && stopWords.has(word)) continue;
    const inContext = `${before} ${word}`;
    words.add(inContext);
    const term = termOf(word);
    words.add(term);
    facts.add(isNegation || pattern.test(token) ? inContext : term);
    before = word;
  }
  return { words, facts };
}

/** Whether a text states a fact that another does not. Rather once too often yes: a repeat costs tokens, a lost fact the answer. */
export function addsFacts(text: TextSignature, other: TextSignature): boolean {
  for (const fact of text.facts) if (!other.words.has(fact)) return true;
  return false;
}
