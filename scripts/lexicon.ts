/** `node scripts/lexicon.ts` writes src/domain/graph/extract/lexicon-words.ts anew from the dictionary of compromise (MIT). */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import nlp from "compromise/two";
import { formMarks, inflected, listedClasses } from "../src/domain/graph/extract/packed-lexicon.ts";

export interface Entry {
  wordClass: (typeof listedClasses)[number];
  noun: boolean;
}

const namingTags: Record<string, Entry["wordClass"]> = {
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
const nounTags = new Set(["Noun", "Singular", "Plural", "Uncountable", "Gerund", "Actor", "ProperNoun", "Organization", "Abbreviation", "Unit"]);

/** The words of the built-in model's table (src/platform/local/static-embedder.ts has its layout): 50,000 frequent ones. */
function frequentWords(): Set<string> {
  const table = readFileSync(new URL("../src/platform/local/static-model.bin", import.meta.url));
  return new Set(table.subarray(table.length - table.readUInt32LE(12)).toString("utf8").split("\n"));
}

/**
 * The words of compromise in the order of the alphabet. Left out is what is answered alike when it is not listed, a proper noun
 * of no class, what is never asked for, such as upper case in emoticons, and several words that are no place: the teams and stars
 * among them are in few notes, and capitals show them to be names; and what is neither a name nor frequent.
 */
export function entriesOfCompromise(): Map<string, Entry> {
  const { lexicon } = (nlp.model() as { one: { lexicon: Record<string, string | string[]> } }).one;
  const words = Object.keys(lexicon).sort();
  const frequent = frequentWords();
  return new Map(words.flatMap((word) => {
    const tags = [lexicon[word] ?? []].flat();
    const named = tags.map((tag) => namingTags[tag]).find((wordClass) => wordClass !== undefined);
    if (word !== word.toLowerCase()) return [];
    if (named === undefined && tags.includes("ProperNoun")) return [];
    if (word.includes(" ") && named !== "place") return [];
    if (named === undefined && !frequent.has(word)) return [];
    return [[word, { wordClass: named ?? "common", noun: tags.some((tag) => nounTags.has(tag)) }]];
  }));
}

/** The form that `unpackLexicon` reads. Upper case and the marks are free, for the words have neither. */
export function packLexicon(entries: ReadonlyMap<string, Entry>): string {
  const isCommon = (word: string, noun: boolean): boolean => entries.get(word)?.wordClass === "common" && entries.get(word)?.noun === noun;
  const said = new Set<string>();
  const marks = new Map<string, number>();
  for (const [word, { wordClass, noun }] of [...entries].sort(([a], [b]) => a.length - b.length)) {
    if (wordClass !== "common" || said.has(word)) continue;
    const forms = inflected(word, noun).map(({ form, noun: may }) => (isCommon(form, may) && !said.has(form) ? form : undefined));
    const bits = forms.reduce((all, form, i) => (form === undefined ? all : all | (1 << i)), 0);
    if (bits > 0) marks.set(word, 2 * (bits - 1) + Number(noun));
    for (const form of forms) if (form !== undefined) said.add(form);
  }
  let packed = "";
  let before = "";
  for (const [word, { wordClass, noun }] of entries) {
    if (said.has(word)) continue;
    let shared = 0;
    while (shared < before.length && word[shared] === before[shared]) shared += 1;
    const dropped = before.length - shared;
    packed += "P".repeat(Math.floor(dropped / 16)) + (dropped % 16 === 0 ? "" : String.fromCharCode(0x40 + (dropped % 16)));
    const mark = marks.get(word);
    packed += word.slice(shared) + (mark === undefined ? String.fromCharCode(0x51 + 2 * listedClasses.indexOf(wordClass) + Number(noun)) : formMarks.charAt(mark));
    before = word;
  }
  return packed;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { version } = JSON.parse(readFileSync(new URL("../node_modules/compromise/package.json", import.meta.url), "utf8")) as { version: string };
  writeFileSync(
    new URL("../src/domain/graph/extract/lexicon-words.ts", import.meta.url),
    `/**
 * Written by scripts/lexicon.ts: the dictionary of compromise ${version} (copyright 2019 Spencer Kelly, MIT License), as
 * \`unpackLexicon\` reads it.
 */
export const lexiconWords = ${JSON.stringify(packLexicon(entriesOfCompromise()))};
`,
  );
}
