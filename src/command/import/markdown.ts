import { type Note, words } from "./found.ts";

/** What stands together in Markdown, and below which headings. */
interface Block {
  /** All of them, outermost first. */
  below: readonly Heading[];
  /** The names of those that say what it is about. */
  headings: string[];
  kind: "item" | "text";
  lines: string[];
}

/** Characters of items that say nothing alone: a list of such is one memory. */
const shortItem = 60;
/** Characters of one memory, and of one message. */
const longest = 8_000;
const fence = /^ {0,3}(`{3,}|~{3,})/;
const rule = /^ {0,3}(?:-{3,}|\*{3,}|_{3,}|={3,})\s*$/;
const item = /^(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)/;
/** What Claude Code writes above each file that it begins says nothing. */
const boilerplate = /^This file provides guidance to [^.]+\.$/;
/**
 * The memories of a Markdown file: a list item or a paragraph each, with the headings it stands below, since alone it would not say what it is about. A list
 * stays whole below a sentence that leads to it, and where its items are a few words each. Notes of Basic Memory name what they are about in their front
 * matter; there `- [category] text #tag` is an observation and `- relation [[Other]]` a relation (basic-memory NOTE-FORMAT.md). `isRules`: its
 * only title is the project's name, or the file's, and says nothing.
 */
export function markdownNotes(file: string, isRules = false): Note[] {
  const { head, body } = frontMatter(file.replaceAll("\r\n", "\n"));
  const title = head.get("title")?.[0] ?? head.get("description")?.[0];
  const tags = head.get("tags") ?? [];
  const blocks = blocksOf(body, isRules).map((block) => ({ ...block, headings: underTitle(title, block.headings) }));
  const isGraph = head.has("permalink");
  const notes = (isGraph ? blocks.map((block) => [block]) : groups(blocks)).flatMap((group) => (isGraph ? statement(title, group[0] as Block) : [noteOf(group)]));
  const all = (own: string[] = []): Pick<Note, "tags"> => (own.length + tags.length === 0 ? {} : { tags: [...own, ...tags] });
  return notes.filter(({ content }) => content !== "" && !boilerplate.test(content)).map((note) => ({ content: note.content, ...all(note.tags) }));
}

/** The entries of the YAML between `---`: texts, and lists of texts in either form. */
function frontMatter(text: string): { head: Map<string, string[]>; body: string } {
  const [whole = "", yaml = ""] = /^---\n([\s\S]*?)\n---(?:\n|$)/.exec(text) ?? [];
  const head = new Map<string, string[]>();
  let last: string[] = [];
  for (const line of yaml.split("\n")) {
    const [, name, value = ""] = /^([\w-]+):[ \t]*(.*)$/.exec(line) ?? [];
    const [, listed] = /^[ \t]*-[ \t]+(.+)$/.exec(line) ?? [];
    if (name !== undefined) head.set(name, (last = value === "" ? [] : (/^\[(.*)\]$/.exec(value)?.[1]?.split(",") ?? [value]).map(unquoted).filter(Boolean)));
    else if (listed !== undefined) last.push(unquoted(listed));
  }
  return { head, body: text.slice(whole.length) };
}

const unquoted = (value: string): string => value.trim().replace(/^(["'])(.*)\1$/, "$2");

function underTitle(title: string | undefined, headings: string[]): string[] {
  const below = title !== undefined && headings[0] === title ? headings.slice(1) : headings;
  return title === undefined ? below : [title, ...below];
}

function blocksOf(body: string, isRules: boolean): Block[] {
  const blocks: Block[] = [];
  const all: Heading[] = [];
  let headings: Heading[] = [];
  let open: Block | undefined;
  let isApart = false;
  let closing: string | undefined;
  const begin = (kind: Block["kind"], line: string): void => void blocks.push((open = { below: headings, headings: [], kind, lines: [line] }));
  for (const line of body.replaceAll(/<!--[\s\S]*?-->/g, "").split("\n")) {
    const heading = closing === undefined ? headingIn(line) : undefined;
    if (closing !== undefined) {
      open?.lines.push(line);
      if (line.trimStart().startsWith(closing)) closing = undefined;
    } else if (heading) {
      all.push(heading);
      headings = [...headings.filter(({ depth }) => depth < heading.depth), heading];
      open = undefined;
      continue;
    } else if (fence.test(line)) {
      closing = (fence.exec(line) as RegExpExecArray)[1] as string;
      // Code belongs to what stands before it below the same heading.
      const before = blocks.at(-1);
      if (before?.below === headings) (open = before).lines.push(line);
      else begin("text", line);
    } else if (line.trim() === "" || rule.test(line)) {
      if (open?.kind === "text") open = undefined;
      isApart = true;
      continue;
    } else if (item.test(line)) begin("item", line);
    else if (open && (open.kind === "text" || !isApart || /^\s/.test(line))) open.lines.push(line);
    else if (/^(?: {4}|\t)/.test(line) && blocks.at(-1)?.below === headings) (open = blocks.at(-1) as Block).lines.push(line);
    else begin("text", line);
    isApart = false;
  }
  const [top, ...more] = all.filter(({ depth }) => depth === 1);
  const isSaid = (heading: Heading): boolean => !(isRules && more.length === 0 && heading === top);
  return blocks.map((block) => ({ ...block, headings: block.below.filter(isSaid).map(({ name }) => name) }));
}

interface Heading {
  /** 1 to 6; a line in bold is below all of them. */
  depth: number;
  name: string;
}

function headingIn(line: string): Heading | undefined {
  const [, marks, bold, name = ""] = /^(?:(#{1,6})[ \t]+|(\*\*))(.+?)(?:\*\*:?|[ \t]#+)?[ \t]*$/.exec(line) ?? [];
  if (marks === undefined && (bold === undefined || !/^\*\*[^*]+\*\*:?[ \t]*$/.test(line))) return undefined;
  return { depth: marks?.length ?? 7, name: plain(name) };
}

const plain = (text: string): string => text.replaceAll(/\*\*|__/g, "").replace(/:$/, "").trim();
const textOf = ({ lines }: Block): string => lines.join("\n").trim();
const said = (block: Block): string => textOf(block).replace(item, "");

/** Blocks that are one memory together. */
function groups(blocks: Block[]): Block[][] {
  const lists: Block[][] = [];
  for (const block of blocks) {
    const list = lists.at(-1);
    const last = list?.at(-1);
    const leads = last?.kind === "text" && /[:：]$/.test(textOf(last));
    if (list && last && block.kind === "item" && last.below === block.below && (last.kind === "item" || leads)) list.push(block);
    else lists.push([block]);
  }
  return lists.flatMap((list) => (list[0]?.kind === "text" || list.every((block) => textOf(block).length <= shortItem) ? [list] : list.map((block) => [block])));
}

function noteOf(group: Block[]): Note {
  const [first] = group as [Block];
  const text = group.length === 1 ? said(first) : group.map(textOf).join("\n");
  return { content: below(first.headings, text) };
}

const below = (headings: string[], text: string): string => (headings.length === 0 ? text : `${headings.join(" / ")}:${text.includes("\n") ? "\n" : " "}${text}`);

/** Of a note of Basic Memory. */
function statement(title: string | undefined, block: Block): Note[] {
  const about = title === undefined ? [] : [title];
  const headings = block.headings.filter((name, at) => at === 0 || !/^(?:observations|relations)$/i.test(name));
  const text = said(block);
  const [, relation, other, context] = block.kind === "item" ? (/^([^[\]]*)\[\[([^\]]+)\]\](?:\s*\(([^)]*)\))?$/.exec(text) ?? []) : [];
  if (other !== undefined) return [{ content: `${[...about, words(relation || "relates to"), other].join(" ")}${context ? ` (${context})` : ""}` }];
  const [, category, observed] = block.kind === "item" ? (/^\[([^\][]{2,40})\](?!\()\s+([\s\S]+)$/.exec(text) ?? []) : [];
  if (observed === undefined) return [{ content: below(headings, text) }];
  const tags = [...observed.matchAll(/(?<=\s)#([\p{L}\p{N}_/-]+)/gu)].map(([, tag]) => tag as string);
  return [{ content: below(headings, observed.replaceAll(/\s#[\p{L}\p{N}_/-]+/gu, "").trim()), tags: [category as string, ...tags] }];
}

/** A text cut where it is, between two characters; nothing of an empty one. */
export const cut = (text: string): string[] => text.match(new RegExp(`[^]{1,${longest}}`, "gu")) ?? [];

/** A text cut between lines; a line that is too long is cut where it is. */
export function pieces(text: string): string[] {
  const made: string[] = [];
  for (const line of text.split("\n").flatMap((one) => (one === "" ? [one] : cut(one)))) {
    const last = made.at(-1);
    if (last !== undefined && last.length + line.length < longest) made[made.length - 1] = `${last}\n${line}`;
    else made.push(line);
  }
  return made.map((piece) => piece.trim()).filter((piece) => piece !== "");
}
