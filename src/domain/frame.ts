/**
 * The frame of everything that a model is shown: memory text, keys, names and dates are data that anybody may have written,
 * and nothing in them may pass for a mark of ours. `Framed` is made here only, and tools answer nothing else, so text of a
 * memory cannot reach a model on another way.
 *
 * Three kinds of frame hold it. An element (`<memory …>` to `</memory>`) holds text of several lines: in it, what could be
 * read as one of our tags gets a backslash behind its "<". A line holds a text on one line: whatever would end the line, turn
 * it around or hide in it becomes a space. JSON holds the rest by its own quoting.
 */
class FramedText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}
export type Framed = FramedText;

/** Our own words as they stand; what is put in comes on one line, unless it is framed already. */
export const say = (words: TemplateStringsArray, ...values: (Framed | string | number)[]): Framed =>
  new FramedText(String.raw({ raw: words }, ...values.map((value) => (value instanceof FramedText ? value : escapeMarks(spaced(String(value)))))));

export const joined = (parts: readonly Framed[], separator = "\n"): Framed => new FramedText(parts.join(separator));

/** One below the other, without those that say nothing. */
export const lines = (parts: readonly Framed[]): Framed => joined(parts.filter((part) => part.toString() !== ""));

/** Text of several lines, for the inside of an element. */
export const block = (text: string): Framed => new FramedText(escapeMarks(text));

/** A text within quotes, as JSON writes it: it can be read back exactly. */
export const quoted = (text: string): Framed => new FramedText(JSON.stringify(escapeMarks(text)).replaceAll(invisible, unicodeEscape));

/** A key, a namespace or somebody's name: as it is when it is one plain word, in quotes otherwise. */
export const named = (name: string): Framed => (/^[\p{L}\p{N}_.:/@+#~-]+$/u.test(name) ? new FramedText(name) : quoted(name));

/** ` name="value"`, or nothing. */
export const attribute = (name: string, value: string | number | undefined): Framed =>
  value === undefined ? new FramedText("") : new FramedText(` ${name}=${quoted(String(value))}`);

/** Notes in brackets at the end of a line: ` (shared, by Grace)`; nothing when there are none. */
export const aside = (...notes: (Framed | string | undefined)[]): Framed => {
  const said = notes.filter((note) => note !== undefined);
  return said.length === 0 ? say`` : say` (${joined(said.map((note) => say`${note}`), ", ")})`;
};

export const json = (value: unknown): Framed => new FramedText(quietJson(value));

/** JSON that says the same, with what hides, turns lines around or could be read as one of our tags written as `\uXXXX`. */
export function quietJson(value: unknown): string {
  const text = JSON.stringify(value).replaceAll(hidden, unicodeEscape);
  // A backslash is part of JSON's own quoting.
  return withMarks(text, (mark) => (mark.startsWith("\\") ? mark : unicodeEscape(mark.charAt(0)) + mark.slice(1)));
}

/** Control characters, ends of lines of any kind, what turns the direction of writing, and characters that cannot be seen at all. */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const gaps = new RegExp(`[\\s${hidden.source.slice(1, -1)}]+`, "gu");

const unicodeEscape = (character: string): string =>
  Array.from({ length: character.length }, (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`).join("");

/** On one line. */
export const spaced = (text: string): string => text.replaceAll(gaps, " ");

/** A name that somebody gave, on one line and without what cannot be seen; at most so many characters. */
export function label(name: string, most: number): string {
  const characters = [...spaced(name.replaceAll(/[^\P{Cf}\u200c\u200d]/gu, "")).trim()];
  return characters.length <= most ? characters.join("") : `${characters.slice(0, most - 1).join("")}…`;
}

/** Nothing but the backslashes differs, and they can be taken out again: each "<" of such a tag has just one more behind it. */
export const escapeMarks = (text: string): string => withMarks(text, (mark) => `${mark}\\`);

/** The text with each mark written anew, in one pass. */
function withMarks(text: string, written: (mark: string) => string): string {
  let out = "";
  let from = 0;
  for (const { start, end } of marksIn(text)) {
    out += text.slice(from, start) + written(text.slice(start, end));
    from = end;
  }
  return out + text.slice(from);
}

const tagNames = ["memory", "related", "compressed"];
const longestName = Math.max(...tagNames.map(({ length }) => length));

/** Whatever is, looks like, or may begin an encoded "<". */
const opening = /[<\u226e\u2039\u02c2\u1438\u276e\u27e8\u2329\u3008\ufe64\uff1c]|&(?=[#a-z])|\\(?=[ux])|%(?=[0-9a-f])/giu;

/** Where a reader who is generous about letters and encodings may see a "<" that begins one of our tags. */
function marksIn(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (const { index: start } of text.matchAll(opening)) {
    const { says, end } = readAt(text, start);
    if (says === "<" && namesTag(text, end)) found.push({ start, end });
  }
  return found;
}

/** White space, slashes and backslashes, then the name of a tag and its end. */
function namesTag(text: string, from: number): boolean {
  let name = "";
  for (let at = from; at < text.length && name.length <= longestName; ) {
    const { says, end } = readAt(text, at);
    at = end;
    if (name === "" && /^[\s/\\]*$/.test(says)) continue;
    const letters = /^\w*/.exec(says)?.[0] ?? "";
    name += letters;
    if (letters !== says) break;
  }
  return tagNames.includes(name);
}

/** References of HTML (encoded over again as often as one likes), escapes of programming languages, and percent-encoding. */
const encoded = new RegExp(
  "&(?:(?:amp|#38|#x26);?)*(?:#x0*(?<hex>[0-9a-f]{1,6})|#0*(?<decimal>[0-9]{1,7})|(?<word>lt|gt|sol|bsol|nbsp|tab|newline|shy|zwn?j|zerowidthspace)|(?<letter>[a-z])(?:scr|opf|fr));?" +
    String.raw`|\\u(?<four>[0-9a-f]{4})|\\u\{0*(?<any>[0-9a-f]{1,6})\}|\\x(?<two>[0-9a-f]{2})|%(?:25)*(?<percent>[0-9a-f]{2})`,
  "iy",
);
const words: Record<string, string> = { lt: "<", gt: ">", sol: "/", bsol: "\\", nbsp: " ", tab: " ", newline: " " };

/** One character as it is read: decoded, without the form of its letter. "" when nobody sees it. */
function readAt(text: string, at: number): { says: string; end: number } {
  encoded.lastIndex = at;
  const { hex, decimal, word, letter, four, any, two, percent } = encoded.exec(text)?.groups ?? {};
  const digits = hex ?? four ?? any ?? two ?? percent;
  const code = digits === undefined ? (decimal === undefined ? undefined : Number(decimal)) : Number.parseInt(digits, 16);
  if (code !== undefined && code <= 0x10ffff) return { says: plain(String.fromCodePoint(code)), end: encoded.lastIndex };
  const decoded = word === undefined ? letter : (words[word.toLowerCase()] ?? "");
  if (decoded !== undefined) return { says: decoded.toLowerCase(), end: encoded.lastIndex };
  const character = String.fromCodePoint(text.codePointAt(at) as number);
  return { says: plain(character), end: at + character.length };
}

const unseen = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/gu;
/** Drawn like a character of ours, and not its variant by Unicode (UTS 39). */
const alike: Record<string, string> = {
  "\u2039": "<", "\u02c2": "<", "\u1438": "<", "\u276e": "<", "\u27e8": "<", "\u2329": "<", "\u3008": "<",
  "\u2044": "/", "\u2215": "/", "\u29f8": "/",
  а: "a", ԁ: "d", е: "e", ӏ: "l", м: "m", о: "o", г: "r", т: "t", у: "y", α: "a", ο: "o",
};

function plain(character: string): string {
  if (character >= " " && character <= "~") return character.toLowerCase();
  const letter = (alike[character] ?? character).normalize("NFKD").replaceAll(unseen, "").toLowerCase();
  return alike[letter] ?? letter;
}
