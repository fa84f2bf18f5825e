import { fillers, refersBack } from "./fact-words.ts";

/** A sentence, line or block of code that is kept whole or left out, with what it would be misread without. */
export interface Segment {
  text: string;
  /** What stands between it and the next one of its line. */
  gap: string;
  /** Segments of one line are shown on one. */
  line: number;
  /** Marker of a list, time and speaker: said before the first segment of the line that is kept. */
  label: string;
  /** Places of others that it is never shown without: its headings, the line that introduces its list, the sentence it refers to. */
  needs: number[];
  isHeading: boolean;
  /** Within code nothing is shortened. */
  isCode: boolean;
}

export interface Segments {
  segments: Segment[];
  /** Who speaks, in a conversation. */
  speakers: string[];
}

const fence = /^\s*(`{3,}|~{3,})/;
const heading = /^\s{0,3}(#{1,6})\s+\S/;
const bold = /^\s*(?:\*\*|__)[^*_]+(?:\*\*|__):?\s*$/;
const isRow = (line: string): boolean => /^\|.*\|$/.test(line.trim());
const isRule = (line: string): boolean => /^[\s:|-]+$/.test(line);
const marker = /^(?<indent>\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/;
const speaker = /^(?:\[?\d{1,4}[:.-]\d{2}(?:[:.-]\d{2})?(?:[ T]\d{2}:\d{2}(?::\d{2})?)?\]?\s*(?:[-–|]\s*)?)?(?:(?:\*\*|__|<|@)?(?<name>\p{L}[\p{L}\p{M}\p{Nd} .'’_-]{0,30}?)(?:\*\*|__|>)?(?:\s?\([^)\n]{1,20}\))?(?::(?:\*\*|__)?\s+|：\s*))?/u;

/** In characters: what ends in a colon and is no longer names a section, a longer one introduces a list. */
const longestTitle = 60;
/** A line at least so long may go on in the next one, in columns; a character of a script without spaces takes two. */
const wrapped = 55;
/** Of a block of code: a longer one is looked at by its lines, in characters. */
const longestBlock = 400;
/** An answer so short says nothing without what it answers, in characters. */
const shortReply = 18;

/** A sentence needs no more than so many before it, and an item no more above it. */
const longestChain = 5;
const deepestList = 5;

/** More would take long to choose from; only a text of fragments has more, and then some side by side count as one. */
const most = 600;

const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const widthOf = (line: string): number => line.length + (line.match(wide)?.length ?? 0);

/** The places where its sentences, lines and blocks of code begin and end; nothing of the text is in none of them but white space. */
export function segmentsOf(text: string): Segments {
  const lines = text.split(/\r?\n/);
  const segments: Segment[] = [];
  const speakers: string[] = [];
  /** The sections that a line stands in, outermost first. */
  let sections: { level: number; at: number }[] = [];
  /** The list items that a line stands below. */
  let items: { indent: number; at: number }[] = [];
  let intro: number | undefined;
  let isNewParagraph = true;
  /** How many sentences one after another refer back. */
  let chain = 0;

  const add = (segment: Partial<Segment> & { text: string; line: number }): number =>
    segments.push({ gap: " ", label: "", needs: [], isHeading: false, isCode: false, ...segment }) - 1;
  const above = (): number[] => [...(sections.length > 0 ? [(sections.at(-1) as { at: number }).at] : []), ...(intro === undefined ? [] : [intro])];

  for (let at = 0; at < lines.length; at += 1) {
    const line = (lines[at] as string).trimEnd();
    const opening = fence.exec(line);
    if (opening) {
      const end = lines.findIndex((other, i) => i > at && other.trimStart().startsWith(opening[1] as string));
      const last = end === -1 ? lines.length - 1 : end;
      addCode(lines.slice(at, last + 1), at);
      at = last;
      isNewParagraph = false;
      continue;
    }
    if (line.trim() === "") {
      isNewParagraph = true;
      continue;
    }
    const level = levelOf(line, isNewParagraph, lines[at + 1]);
    if (level !== undefined) {
      sections = sections.filter((section) => section.level < level);
      items = [];
      intro = undefined;
      sections.push({ level, at: add({ text: line.trim(), line: at, needs: above(), isHeading: true }) });
      isNewParagraph = true;
      continue;
    }
    if (isRow(line) && isRule(lines[at + 1] ?? "")) {
      const head = add({ text: line.trim(), line: at, needs: above() });
      const border = add({ text: (lines[at + 1] as string).trim(), line: at + 1, needs: [head] });
      for (at += 2; at < lines.length && isRow(lines[at] as string); at += 1) add({ text: (lines[at] as string).trim(), line: at, needs: [border] });
      at -= 1;
      isNewParagraph = false;
      continue;
    }
    const first = at;
    const bullet = marker.exec(line);
    let whole = line;
    while (goesOn(whole, lines[at + 1], bullet !== null)) {
      at += 1;
      whole += `\n${(lines[at] as string).trimEnd()}`;
    }
    if (!bullet && isNewParagraph) {
      items = [];
      intro = undefined;
    }
    const indent = bullet?.groups?.["indent"]?.length ?? 0;
    items = bullet ? items.filter((item) => item.indent < indent) : [];
    const body = whole.slice(bullet?.[0].length ?? 0);
    const said = speaker.exec(body);
    const name = said?.groups?.["name"];
    if (name !== undefined) speakers.push(name);
    const label = (bullet?.[0] ?? "") + (said?.[0] ?? "");
    const parents = items.length > 0 ? [(items.at(-1) as { at: number }).at] : above();
    const isContinuing = !isNewParagraph && !bullet;
    let isFirst = true;
    // Of an item, the first sentence says what the others are about.
    let itemStart = 0;
    for (const { text: sentence, gap } of sentencesOf(whole.slice(label.length) || whole)) {
      const before = segments.length - 1;
      const leans = (!isFirst || isContinuing || name !== undefined) && before >= 0 && !segments[before]?.isHeading && chain < longestChain && (refersBack.test(sentence) || widthOf(sentence) <= shortReply);
      chain = leans ? chain + 1 : 0;
      const leansOn = isFirst || !bullet ? (leans ? [before] : []) : [itemStart];
      const added = add({ text: sentence, gap, line: first, label: whole.length > label.length ? label : "", needs: [...parents, ...leansOn] });
      if (isFirst) itemStart = added;
      isFirst = false;
    }
    if (bullet && items.length < deepestList) items.push({ indent, at: segments.length - 1 });
    else if (/[:：]$/.test(whole)) intro = segments.length - 1;
    else intro = undefined;
    isNewParagraph = false;
  }
  return { segments: inGroups(segments, Math.ceil(segments.length / most)), speakers };

  function addCode(block: string[], line: number): void {
    const needs = above();
    if (block.join("\n").length <= longestBlock) {
      add({ text: block.join("\n"), line, needs, isCode: true });
      return;
    }
    const open = add({ text: (block[0] as string).trimEnd(), line, needs, isCode: true });
    const close = open + block.slice(1, -1).filter((code) => code.trim() !== "").length + 1;
    for (const [i, code] of block.slice(1, -1).entries()) if (code.trim() !== "") add({ text: code.trimEnd(), line: line + 1 + i, needs: [open, close], isCode: true });
    add({ text: (block.at(-1) as string).trimEnd(), line: line + block.length - 1, needs: [open], isCode: true });
  }
}

/** So many side by side as one. */
function inGroups(segments: Segment[], size: number): Segment[] {
  if (size <= 1) return segments;
  return Array.from({ length: Math.ceil(segments.length / size) }, (_, at): Segment => {
    const members = segments.slice(at * size, (at + 1) * size);
    const needs = new Set(members.flatMap((member) => member.needs.map((needed) => Math.floor(needed / size))));
    return { text: textOf(members), gap: " ", line: at, label: "", needs: [...needs].filter((needed) => needed !== at), isHeading: false, isCode: true };
  });
}

/** Each line with its label, once. */
export function textOf(segments: readonly Segment[]): string {
  let shown = "";
  let before: Segment | undefined;
  for (const segment of segments) {
    if (before?.line === segment.line) shown += before.gap;
    else shown += (before ? "\n" : "") + segment.label;
    shown += segment.text;
    before = segment;
  }
  return shown;
}

/** Of a heading; undefined for other lines. A short line that stands alone or ends in a colon is the innermost. */
function levelOf(line: string, isNewParagraph: boolean, next: string | undefined): number | undefined {
  const marks = heading.exec(line)?.[1];
  if (marks !== undefined) return marks.length;
  if (bold.test(line)) return 7;
  const said = line.trim();
  if (said.length > longestTitle || marker.test(line) || isRow(line)) return undefined;
  if (/[:：]$/.test(said) && !/[.!?。！？]\s/u.test(said)) return 8;
  const isAlone = isNewParagraph && next?.trim() === "";
  return isAlone && !/[.!?,;:。！？，；]["'”’」』）)]?$/u.test(said) && !speaker.exec(said)?.[0] ? 7 : undefined;
}

/** Whether the next line belongs to the sentence, as in a text that is broken at a width. */
function goesOn(line: string, next: string | undefined, isItem: boolean): boolean {
  if (next === undefined || next.trim() === "" || marker.test(next) || heading.test(next) || fence.test(next) || isRow(next) || speaker.exec(next.trimStart())?.[0]) return false;
  if (isItem && /^\s{2,}/.test(next)) return true;
  const last = line.slice(line.lastIndexOf("\n") + 1);
  return widthOf(last) >= wrapped && !/[.!?:;。！？：；]["'”’」』）)]?$/u.test(last) && (/^\s*[\p{Ll}\p{Nd}(]/u.test(next) || /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana},，、]$/u.test(last) || widthOf(last) >= 70);
}

/** The end of a sentence, not of an abbreviation; a sentence goes on in lower case. */
const end = /(?<=[.!?…]["'”’»)\]*_]{0,2})\s+(?=[^\s\p{Ll}])|(?<=[。！？][」』）”’]?)(?![」』）”’。！？])\s*|\n+(?=\s*\S)/gu;
const abbreviation = /(?:^|[\s("'’/-])(?:\p{L}|[A-Za-z]\.\s?[A-Za-z]|Dr|Mr|Mrs|Ms|Prof|St|No|Nr|ca|approx|vs|etc|bzw|evtl|inkl|ggf|usw|Abs|Art|Fig|fig|cf|ex|Sr|Sra|núm|art|incl|max|min|Inc|Ltd|Co|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|Dez|Okt)\.$/u;

/** With what stands before it, in characters. */
const longestAbbreviation = 12;

function sentencesOf(text: string): { text: string; gap: string }[] {
  const found: { text: string; gap: string }[] = [];
  let from = 0;
  for (const { 0: gap, index } of text.matchAll(end)) {
    const said = text.slice(from, index);
    const last = said.slice(-longestAbbreviation);
    if (last.trim() === "" || abbreviation.test(last) || (gap.includes("\n") && !/[.!?…。！？]["'”’»)\]」』）*_]{0,2}$/u.test(last))) continue;
    found.push({ text: said, gap: gap === "" ? "" : " " });
    from = index + gap.length;
  }
  const rest = text.slice(from).trimEnd();
  return rest === "" ? found : [...found, { text: rest, gap: " " }];
}

/** The sentence without phrases that say nothing. */
export function shortened({ text, isCode, isHeading }: Pick<Segment, "text" | "isCode" | "isHeading">): string {
  if (isCode || isHeading || text.includes("`") || /["“„«「]/u.test(text)) return text;
  return fillers.reduce((short, filler) => short.replace(filler, ""), text);
}
