import { loadLexicon } from "../../graph/extract/lexicon.ts";

/** How a clause begins that says what somebody is called; letters of either case. */
export const callsMe = "(?:please |just |you can |people |(?:my )?friends |every(?:one|body) )?calls? me ";
const called = new RegExp(`^${callsMe}`, "i");
const shortName = /^(?!\p{L}+day\b)(\p{Lu}\p{Ll}[\p{L}'-]*)[.!]*$/u;
const introduced = /^(?:I'm|I am) (\p{Lu}\p{Ll}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]+)?)[.!]*$/u;

/** "I'm Marta Weber" and "Call me Tom" as sentences that say what is told: a name. Any other sentence is given back as it is. */
export function withNameTold(sentence: string): string {
  const beginning = called.exec(sentence)?.[0];
  const name = beginning && shortName.exec(sentence.slice(beginning.length))?.[1];
  if (name !== undefined) return `My preferred name is ${name}.`;
  const [, fullName] = introduced.exec(sentence) ?? [];
  return fullName !== undefined && isNameOfPerson(fullName) ? `My name is ${fullName}.` : sentence;
}

/** Somebody may be "Very Happy", "Irish Catholic" or "Team Lead": one of the words is known as a name, and none as anything else. */
export function isNameOfPerson(name: string): boolean {
  const lexicon = loadLexicon();
  const kinds = name.toLowerCase().split(" ").map((word) => lexicon.classOf(word));
  const isName = (kind: string): boolean => kind === "person" || kind === "surname";
  return kinds.some(isName) && kinds.every((kind) => isName(kind) || kind === "unknown");
}
