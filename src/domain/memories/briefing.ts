import { aside, type Framed, joined, named, say, spaced } from "../frame.ts";
import { indexTerms, queryTerms } from "../text/query-terms.ts";
import { cutTo, estimateTokens } from "../text/token-count.ts";
import { type AuthorOf, originOf } from "./authorship.ts";
import { saidIn } from "./memory-fields.ts";
import type { MemoryType } from "./memory-values.ts";
import type { Memory } from "./memory.ts";

/** Upper bound of the document: a briefing of 200–500 tokens. */
export const briefingTokens = 480;
/**
 * The share of the briefing for what the reader wrote, whether or not others share anything: nobody crowds out another's own
 * work.
 */
const ownShare = 5 / 6;

interface Section {
  title: string;
  /** Key prefixes that belong here; the first section that claims a key has it. */
  prefixes: string[];
  /** How a note that has no key begins where it belongs here. */
  begins?: RegExp;
  /** Types that belong here, of what neither key nor beginning places. */
  types?: MemoryType[];
  /** Share of what room is left, so that one long section cannot crowd out those after it. */
  share: number;
}

/** In tokens; a shorter value says too little. */
const shortestValue = 12;

/** A note without a key is replaced by none: what says where the work stood is left behind by notes this much later (ms). */
const stateLasts = 14 * 86_400_000;

/** What holds for all work, however long ago it was said. */
export const standingTypes: MemoryType[] = ["preference", "constraint"];

const blockers: Section = { title: "Blockers", prefixes: ["current.blockers"], begins: /^(?:block(?:ed|ers?|iert)|bloqué|bloqueado|阻塞)(?: ?[:：]| (?:by|on|von|durch|par|por) )|^waiting (?:for|on) /iu, share: 0.3 };

/** In order of what one needs first: the task, where it stands, what is in the way, what comes next, how to go about it. */
const sections: Section[] = [
  { title: "Task", prefixes: ["current.task", "current.goal"], begins: /^(?:(?:current )?task|goal|aufgabe|ziel|tâche|tarea|任务|タスク) ?[:：]|^(?:(?:currently|now|i'm|we're|we are) )?working on /iu, share: 0.35 },
  { title: "Progress", prefixes: ["current.progress", "current.status"], begins: /^(?:(?:in )?progress|status|stand|fortschritt|avancement|estado|进展|进度|進捗) ?[:：]/iu, share: 0.3 },
  blockers,
  { title: "Next steps", prefixes: ["current.next", "discovered.todos"], begins: /^(?:[-*] )?\[ \] |^to-?do (?:by|until|till|bis) |^(?:next(?: steps?)?|to-?dos?|(?:still )?open|still to do|nächste schritte|als nächstes|(?:noch )?offen|à faire|ensuite|pendiente|próximos pasos|下一步|待办|次) ?[:：]/iu, share: 0.35 },
  { title: "In work", prefixes: ["current."], share: 0.4 },
  { title: "Preferences and rules", prefixes: [], types: standingTypes, share: 0.4 },
  { title: "Discovered", prefixes: ["discovered."], share: 0.4 },
  { title: "Project", prefixes: ["project."], share: 0.6 },
  { title: "Decisions", prefixes: [], types: ["architecture_decision"], share: 0.5 },
  { title: "Commits", prefixes: ["commit."], share: 0.3 },
  { title: "Also known", prefixes: [], share: 1 },
];

const unblocked = /^(?:no longer blocked|unblocked|nicht mehr blockiert|débloqué|desbloqueado)(?!\p{L})/iu;
/** Words that a note without a key has in common at least with a later one that says what is no longer in the way. */
const sharedWords = 2;

function ends(ending: Memory, { key, content, updatedAt }: Memory): boolean {
  const said = new Set(indexTerms(ending.content));
  return key === null && ending.updatedAt > updatedAt && queryTerms(content).filter(({ term }) => said.has(term)).length >= sharedWords;
}

/** Those that say where the work stands. They are told whole where that leaves the others this much of the room. */
const stateSections = new Set(sections.slice(0, 5));
const shareBesideState = 1 / 4;

const shared: Section = { title: "Shared by the team", prefixes: [], share: 1 };

/**
 * The share for what is told beside memories, such as the session that the reader goes on with: kept free only where there is
 * something to tell, so that it is neither crowded out nor crowds out the task.
 */
const besideShare = 1 / 5;

/** Something told beside memories, most needed first, on one line each or all on one. */
export interface BriefingPart {
  title: string;
  entries: string[];
  form: "lines" | "list";
}

interface Reader {
  userId: string;
  authorOf: AuthorOf;
}

/**
 * A summary in sections, most needed first, each within its share of the budget; newest entries first. What the reader wrote
 * comes first. What others share stands under a heading of its own, with its author: a colleague's task is not the reader's.
 * `whole`: those whose content it says to the end.
 */
export function briefing(memories: readonly Memory[], reader: Reader, budget: number = briefingTokens, beside: readonly BriefingPart[] = []): { text: Framed; tokens: number; whole: Memory[] } {
  const newest = Math.max(...memories.map(({ updatedAt }) => updatedAt));
  const endings = memories.filter(({ content }) => unblocked.test(content));
  const own = Map.groupBy(memories.filter((memory) => isOwn(memory, reader)), (memory) => sectionOf(memory, newest));
  own.set(blockers, (own.get(blockers) ?? []).filter((memory) => !endings.some((ending) => ends(ending, memory))));
  const others = memories.filter((memory) => !isOwn(memory, reader));
  const parts: Framed[] = [];
  const saidWhole: Memory[] = [];
  const reserve = beside.length === 0 ? 0 : Math.floor(budget * besideShare);
  let left = Math.floor(budget * ownShare) - reserve;
  const tell = (section: Section, entries: Memory[], room: number): void => {
    const { text, said } = sectionText(section, entries, reader, Math.floor(room));
    if (!text) return;
    saidWhole.push(...said);
    parts.push(text);
    left -= estimateTokens(text.toString()) + 1;
  };
  const present = sections.filter((section) => own.has(section));
  const state = present.filter((section) => stateSections.has(section));
  // What does not fit into all the room takes all of it.
  const takes = (section: Section): number => estimateTokens(sectionText(section, own.get(section) as Memory[], reader, left).text?.toString() ?? "") + 1;
  const isStateWhole = state.reduce((sum, section) => sum + takes(section), 0) <= left * (1 - shareBesideState);
  for (const [i, section] of present.entries()) {
    const isWhole = i === present.length - 1 || (isStateWhole && stateSections.has(section));
    tell(section, own.get(section) as Memory[], isWhole ? left : left * section.share);
  }
  left += reserve;
  for (const [i, part] of beside.entries()) {
    const text = partText(part, Math.floor(i === beside.length - 1 ? left : left / 2));
    if (!text) continue;
    parts.push(text);
    left -= estimateTokens(text.toString()) + 1;
  }
  left += budget - Math.floor(budget * ownShare);
  if (others.length > 0) tell(shared, others, left);
  const text = parts.length === 0 ? say`Nothing is stored for this project yet.` : joined(parts);
  return { text, tokens: estimateTokens(text.toString()), whole: saidWhole };
}

/** Every member may revise a shared memory, so it counts as the reader's own only as long as they wrote its present version. */
const isOwn = ({ visibility, ownerId, updatedBy }: Memory, { userId }: Reader): boolean => visibility === "private" || (ownerId === userId && updatedBy === userId);

/** The first section that claims the key has it, or how a note of these days begins, then the one of its type; the last one has all others. */
const sectionOf = ({ key, type, content, updatedAt }: Memory, newest: number): Section =>
  sections.find(({ prefixes, begins }) => (key === null ? updatedAt > newest - stateLasts && begins?.test(content) : prefixes.some((prefix) => key.startsWith(prefix)))) ??
  sections.find(({ types }) => types?.includes(type)) ??
  (sections.at(-1) as Section);

function sectionText({ title, begins }: Section, memories: Memory[], { authorOf }: Reader, room: number): { text?: Framed; said: Memory[] } {
  const newest = distinct(memories.filter((memory) => memory.value === null || sayValue(memory) !== "").sort((a, b) => saidIn(b, "importance") - saidIn(a, "importance") || b.updatedAt - a.updatedAt));
  const isList = newest.length > 1;
  const most = isList ? Math.max(shortestValue * 3, Math.floor(room / 3)) : room;
  const entries: Framed[] = [];
  const said: Memory[] = [];
  let left = room - estimateTokens(`${title}:`) - (isList ? estimateTokens(andMore.toString()) : 0);
  const whole = left;
  for (const memory of newest) {
    const lead = say`${isList ? say`\n-` : ""}${leadOf(title, memory, authorOf(memory))} `;
    const { entry, isWhole } = entryOf(lead, withoutTitle(sayValue(memory), memory, begins), Math.min(most, left - 1));
    if (!entry) break;
    entries.push(entry);
    if (isWhole && memory.value === null) said.push(memory);
    left = whole - estimateTokens(joined(entries, "").toString());
  }
  if (entries.length > 0 && entries.length < newest.length) entries.push(andMore);
  return entries.length === 0 ? { said } : { text: say`${title}:${joined(entries, "")}`, said };
}

/** What the title says is not said again: "Next: write tests" stands under "Next steps" as "write tests". */
const withoutTitle = (said: string, { key }: Memory, begins: RegExp | undefined): string =>
  key === null && begins ? said.replace(begins, (begin) => (/[:：]$|\] $/u.test(begin) ? "" : begin)).trimStart() : said;

const andMore = say`\n- … and more`;

/** What says the same under no key of its own is told once. */
function distinct(memories: readonly Memory[]): Memory[] {
  const seen = new Set<string>();
  return memories.filter((memory) => {
    if (memory.key !== null) return true;
    const text = sayValue(memory).toLowerCase();
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew;
  });
}

/** As many entries as there is room for; the last that has some room is cut. */
function partText({ title, entries, form }: BriefingPart, room: number): Framed | undefined {
  const written: Framed[] = [];
  const whole = (more: Framed[]): Framed => say`${title}:${form === "lines" ? joined(more.map((entry) => say`\n- ${entry}`), "") : say` ${joined(more, ", ")}`}`;
  const fits = (entry: Framed): boolean => estimateTokens(whole([...written, entry]).toString()) <= room;
  for (const entry of entries) {
    const text = spaced(entry).trim();
    const [uncut, cut] = [say`${text}`, say`${cutTo(text, shortestValue * 2)}`];
    const next = fits(uncut) ? uncut : form === "lines" && fits(cut) ? cut : undefined;
    if (next === undefined) break;
    written.push(next);
  }
  return written.length === 0 ? undefined : whole(written);
}

/** Its key, unless the title says it, and whatever the reader should know of where it comes from. */
function leadOf(title: string, memory: Memory, author: string | undefined): Framed {
  const { key, visibility } = memory;
  const notes = aside(author === undefined && visibility !== "private" ? visibility : undefined, ...originOf(memory, author));
  const name = key === null || isTold(title, key) ? say`` : say` ${named(key)}`;
  const lead = joined([name, notes], "");
  return lead.toString() === "" ? lead : say`${lead}:`;
}

/** The whole entry, or as much of it as there is room for. */
function entryOf(lead: Framed, value: string, room: number): { entry?: Framed; isWhole: boolean } {
  const whole = say`${lead}${value}`;
  if (estimateTokens(whole.toString()) <= room) return { entry: whole, isWhole: true };
  for (let left = room - estimateTokens(lead.toString()); left > shortestValue; ) {
    const entry = say`${lead}${cutTo(value, left)}`;
    const excess = estimateTokens(entry.toString()) - room;
    if (excess <= 0) return { entry, isWhole: false };
    left -= excess;
  }
  return { isWhole: false };
}

/** Whether the title says as much as the key, which is whole where it is shown: it opens the memory. */
const isTold = (title: string, key: string): boolean => {
  const [, ...name] = key.split(".");
  return title !== shared.title && name.length > 0 && title.toLowerCase().startsWith(name.join(".").replaceAll("_", " "));
};

/** JSON values in words: `module: authentication; progress: 70; next_steps: Add tests, Update docs`. */
function sayValue(memory: Memory): string {
  const said = (value: unknown): string =>
    Array.isArray(value)
      ? value.map(said).join(", ")
      : value !== null && typeof value === "object"
        ? Object.entries(value).map(([name, item]) => `${name.replaceAll("_", " ")}: ${said(item)}`).join("; ")
        : String(value);
  return spaced(memory.value === null ? memory.content : said(memory.value)).trim();
}
