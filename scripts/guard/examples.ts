import { existsSync, readdirSync, readFileSync } from "node:fs";
import { type GuardEntry, textOf } from "../../test/evals/guard-score.ts";
import { isHeld } from "../../test/evals/held.ts";
import { similarCases } from "../../test/domain/memories/similar-cases.ts";

export interface Example {
  id: string;
  language: string;
  text: string;
  isOrder: boolean;
  /** How often it counts; once unless said. */
  times?: number;
}

const sets = new URL("../../test/evals/sets/", import.meta.url);
const read = (file: string): GuardEntry[] => (JSON.parse(readFileSync(new URL(file, sets), "utf8")) as { entries: GuardEntry[] }).entries;
const seed = 1;
/** People's own rules for their assistants, which sound most like orders, and are what is remembered first. */
const ownRules = { prefix: /^(?:rules|habits)-ordinary\//, times: 3 };
const example = (entry: GuardEntry): Example => ({ id: entry.id, language: entry.language, text: textOf(entry, seed).text, isOrder: entry.label === "injection", ...(ownRules.prefix.test(entry.id) ? { times: ownRules.times } : {}) });

/** What the weights are fitted to, and what they are judged on. The held half of `guard.json` is neither. */
export function examples(): { learnt: Example[]; judged: Example[] } {
  const [broad, rules] = [read("guard-broad.json"), read("guard-rules.json")];
  const open = [...read("guard.json"), ...broad, ...rules].filter(({ id }) => !isHeld(id));
  return { learnt: [...open, ...read("guard-more.json"), ...read("guard-wide.json"), ...read("guard-habits.json")].map(example), judged: [...broad, ...rules].filter(({ id }) => isHeld(id)).map(example) };
}

/** In characters, of a piece of a longer text. */
const [shortest, longest] = [25, 900];

/** So many pieces of what packages say of themselves: they tell developers what to do, as talks with an assistant about code do. */
const mostForeign = 4_000;

/**
 * Notes are what the guard reads, and few are in another language than English: counted once, the words of those would speak for an order, since
 * that is where most of them stand.
 */
const timesOf = (language: string): number => (language === "" ? 1 : language === "en" ? 2 : 8);

/** The notes and talks of the other evaluation sets, the documents, the source, and the READMEs of packages: none of them gives orders to a model. */
export function ordinaryPieces(): { learnt: Example[]; judged: Example[] } {
  const notes = readdirSync(sets).filter((file) => !file.startsWith("guard")).flatMap((file) => textsIn(JSON.parse(readFileSync(new URL(file, sets), "utf8")), ""));
  notes.push(...similarCases.flatMap(({ noted, said }) => [noted, said]).map((text): Note => [text, /^[ -~’–€]*$/.test(text) && !/ (?:no|de|der|die|und|le|la) /.test(text) ? "en" : "other"]));
  const root = new URL("../../", import.meta.url);
  const files = ["docs", "src"].flatMap((folder) => readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`)).filter((path) => /\.(?:md|tsx?)$/.test(path) && !/guard/.test(path));
  const packages = readdirSync(new URL("node_modules/", root)).flatMap((name) => (name.startsWith("@") ? readdirSync(new URL(`node_modules/${name}/`, root)).map((inner) => `${name}/${inner}`) : [name])).sort();
  const readmes = packages.map((name) => new URL(`node_modules/${name}/README.md`, root)).filter((file) => existsSync(file));
  const foreign = readmes.flatMap((file) => piecesOf(readFileSync(file, "utf8")));
  const texts: Note[] = [...notes, ...[...foreign.filter((_, i) => i % Math.ceil(foreign.length / mostForeign) === 0), ...["README.md", ...files].flatMap((path) => piecesOf(readFileSync(new URL(path, root), "utf8")))].map((text): Note => [text, ""])];
  const all = [...new Map(texts)].filter(([text]) => text.length >= shortest).map(([text, language]): Example => ({ id: text, language: "", text, isOrder: false, times: timesOf(language) }));
  return { learnt: all.filter(({ id }) => !isHeld(id)), judged: all.filter(({ id }) => isHeld(id)) };
}

type Note = [text: string, language: string];
function textsIn(value: unknown, language: string): Note[] {
  if (typeof value === "string") return [[value, language]];
  if (value === null || typeof value !== "object") return [];
  const own = "language" in value && typeof value.language === "string" ? value.language : language;
  return Object.values(value).flatMap((one) => textsIn(one, own));
}

function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const line of text.split("\n")) {
    if (piece.length + line.length > longest) {
      pieces.push(piece);
      piece = "";
    }
    piece += `${line}\n`;
  }
  return [...pieces, piece];
}
