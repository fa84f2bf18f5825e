/** Looks words up in a general dictionary of English. */
export type WordClass = "person" | "surname" | "place" | "organization" | "common" | "unknown";

export interface Lexicon {
  /** Takes a word, or words joined by single spaces, in lower case. */
  classOf(words: string): WordClass;
  /** Whether a word may name a thing; those not in the dictionary may. */
  mayBeNoun(word: string): boolean;
}

const classes: Record<string, WordClass> = {
  MaleName: "person",
  FemaleName: "person",
  FirstName: "person",
  Person: "person",
  LastName: "surname",
  City: "place",
  Country: "place",
  Place: "place",
  Region: "place",
  Organization: "organization",
  SportsTeam: "organization",
};

/** Names that are everyday words of developers, and everyday words the dictionary lacks or takes for names. */
const everyday = new Set(
  `api app art auth backend bash bill bug bugs cache chip class client cloud code commit config cookie dash data dev docs drew edge feature file files
  fix flow frank frontend gate grace grant hash heath hook hunter iris ivy jack jar job key lane link log main mark may merit merge mode module note ops page
  pat patience pr prod query ray read refactor release repo rich rob rose ruby rusty schema script server service sue task team test tests thread token tool
  tools trace ui url user users ux ward web will wiki yes`.split(/\s+/),
);

let loading: Promise<Lexicon> | undefined;

/**
 * The dictionary of `compromise`. Only its word list is used: tagging whole sentences costs 25 µs a character here, a
 * look-up less than one. Loaded at first use, for unpacking takes some 300 ms, which start-up must not pay.
 */
export function loadLexicon(): Promise<Lexicon> {
  loading ??= import("compromise/two").then(({ default: nlp }) => {
    const { lexicon } = (nlp.model() as { one: { lexicon: Record<string, string | string[]> } }).one;
    return { classOf: (words) => classIn(lexicon, words), mayBeNoun: (word) => nounIn(lexicon, word) };
  });
  return loading;
}

const nouns = new Set(["Noun", "Singular", "Plural", "Uncountable", "Gerund", "Actor", "ProperNoun", "Organization", "Abbreviation", "Unit"]);

function nounIn(lexicon: Record<string, string | string[]>, word: string): boolean {
  if (everyday.has(word)) return true;
  return !Object.hasOwn(lexicon, word) || [lexicon[word] ?? []].flat().some((tag) => nouns.has(tag));
}

function classIn(lexicon: Record<string, string | string[]>, words: string): WordClass {
  if (everyday.has(words)) return "common";
  if (!Object.hasOwn(lexicon, words)) return "unknown";
  const tags = [lexicon[words] ?? []].flat();
  for (const tag of tags) {
    const known = classes[tag];
    if (known) return known;
  }
  return tags.includes("ProperNoun") ? "unknown" : "common";
}
