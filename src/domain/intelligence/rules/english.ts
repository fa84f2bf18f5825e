/** English grammar, as far as a sentence of the first person is told of its speaker. */

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** Stand between "I" and its verb. */
export const adverbs = wordSet("really also always usually often never just still only currently mostly generally now actually sometimes rarely recently finally already personally strongly typically no longer");
const modals = wordSet("will would can could shall should may might must cannot can't won't wouldn't couldn't shouldn't mustn't used");
const pasts = wordSet(
  `was wasn't were had hadn't did didn't went bought sold quit left got chose made took found grew met began became wrote spoke broke told said knew thought
  felt kept lost paid ran saw sent set put cut read built drove flew gave came won fell hurt taught caught brought held led moved`,
);
/** Verbs whose base form may follow "and" with the same subject. */
const bases = wordSet("live work prefer like love enjoy hate use own speak study drink eat play run take travel teach manage lead maintain have need want write go commute avoid keep wear drive ride read cook");
/** "need" and "feed" end like a past and are none. */
const isPast = (verb: string): boolean => pasts.has(verb) || (/[^e]ed$/.test(verb) && verb.length > 4);

/** "live" -> "lives", "have" -> "has"; past and modal verbs stay. */
export function thirdPerson(verb: string): string {
  const lower = verb.toLowerCase();
  if (modals.has(lower) || isPast(lower)) return verb;
  const fixed: Record<string, string> = { am: "is", are: "is", "aren't": "isn't", have: "has", "haven't": "hasn't", do: "does", "don't": "doesn't", "ain't": "isn't" };
  if (fixed[lower]) return fixed[lower];
  if (/(?:s|x|z|ch|sh|o)$/.test(lower)) return `${verb}es`;
  return /[^aeiou]y$/.test(lower) ? `${verb.slice(0, -1)}ies` : `${verb}s`;
}

const clitics: Record<string, string> = { "i'm": "is", "i've": "has", "i'll": "will", "i'd": "would" };
const bare = (token: string): string => token.toLowerCase().replaceAll("’", "'").replace(/[.,;:!?)"]+$/, "");
const tail = (token: string): string => /[.,;:!?)"]+$/.exec(token)?.[0] ?? "";

/** The sentence told of the speaker: "I love my dog" -> "Anna loves their dog". */
export function inThirdPerson(sentence: string, name: string): string {
  const tokens = sentence.split(" ");
  const told: string[] = [];
  let isNamed = false;
  /** 1: the verb of the speaker comes; 2: verbs behind "and" are the speaker's, too. */
  let expects = 0;
  for (const token of tokens) {
    const word = bare(token);
    const rest = tail(token);
    const previous = bare(told.at(-1) ?? "");
    const put = (text: string): void => void told.push(text + rest);
    if (word === "i" || clitics[word]) {
      put(clitics[word] ? `${name} ${clitics[word]}` : name);
      // "My wife and I live": both do.
      expects = clitics[word] ? 2 : isNamed && previous === "and" ? 0 : 1;
      isNamed = true;
    } else if (word === "my" || word === "mine") {
      put(isNamed ? (word === "my" ? "their" : "theirs") : `${name}'s`);
      isNamed = true;
    } else if (word === "me" || word === "myself") {
      put(isNamed ? (word === "me" ? "them" : "themself") : name);
      isNamed = true;
    } else if (expects === 1 ? !adverbs.has(word) && /^[a-z']+$/.test(word) : expects === 2 && (previous === "and" || previous === "but") && bases.has(word)) {
      told.push(thirdPerson(token.slice(0, token.length - rest.length)) + rest);
      expects = 2;
    } else told.push(token);
  }
  return told.join(" ");
}

/** Verbs by which the subject of a statement ends. */
const finite = wordSet(
  `is are was were isn't aren't has have had uses use used runs run ran lives live lived works work worked must should shall cannot can will needs need requires require supports support
  listens listen starts start started ends end ended left joined moved takes take says costs cost contains contain stores store stays belongs owns own speaks studies prefers prefer likes like
  loves love hates hate enjoys drinks drink eats eat plays play decided chose agreed switched migrated replaced stopped quit cancelled bought sold graduated became got does do did doesn't don't
  didn't never always usually no can't won't mustn't deploys deploy expires returns sends writes write reads means happens happened fires points depends cap caps plans plan works`,
);

/** The place of the verb of a statement, in words; -1 where none of the known ones stands among its first ten. */
export function verbPlace(words: readonly string[]): number {
  const place = words.slice(0, 10).findIndex((word, i) => i > 0 && finite.has(bare(word)));
  return place;
}

/** What the sentence is about: its words before the verb. */
export function subjectOf(sentence: string): string | undefined {
  const words = sentence.split(" ");
  const place = verbPlace(words);
  return place > 0 ? words.slice(0, place).join(" ") : undefined;
}
