import { lexiconWords } from "./lexicon-words.ts";
import { listedClasses, unpackLexicon } from "./packed-lexicon.ts";

/** Looks words up in a general dictionary of English. */
export type WordClass = "person" | "surname" | "place" | "organization" | "common" | "unknown";

export interface Lexicon {
  /** Takes a word, or words joined by single spaces, in lower case. Several words are known only as a place. */
  classOf(words: string): WordClass;
  /** Whether a word may name a thing; those not in the dictionary may. */
  mayBeNoun(word: string): boolean;
}

/** Names that are everyday words of developers, and everyday words the dictionary lacks or takes for names. */
const everyday = new Set(
  `api app art auth backend bash bill bug bugs cache chip class client cloud code commit config cookie dash data dev docs drew edge feature file files
  fix flow frank frontend gate grace grant hash heath hook hunter iris ivy jack jar job key lane link log main mark may merit merge mode module note ops page
  pat patience pr prod query ray read refactor release repo rich rob rose ruby rusty schema script server service sue task team test tests thread token tool
  tools trace ui url user users ux ward web will wiki yes`.split(/\s+/),
);

let entries: Map<string, number> | undefined;

/** A dictionary of 14,700 words, unpacked at first use: start-up does not pay for it. */
export function loadLexicon(): Lexicon {
  entries ??= unpackLexicon(lexiconWords);
  const listed = entries;
  return {
    classOf(words) {
      if (everyday.has(words)) return "common";
      const entry = listed.get(words);
      return entry === undefined ? "unknown" : (listedClasses[entry >> 1] as WordClass);
    },
    mayBeNoun: (word) => everyday.has(word) || ((listed.get(word) ?? 1) & 1) === 1,
  };
}
