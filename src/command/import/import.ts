import { createHash } from "node:crypto";
import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import * as z from "zod/mini";
import { type OmniMemory, OmniMemoryError, type Turn } from "../../client/client.ts";
import { rootOf } from "../git.ts";
import { jsonOf } from "../json.ts";
import { projectOf } from "../project.ts";
import { clientFor, CommandFailure, type Named } from "../server.ts";
import { fromJson, fromJsonLines } from "./documents.ts";
import { type Conversation, type Found, found } from "./found.ts";
import { Known } from "./known.ts";
import { cut, markdownNotes, pieces } from "./markdown.ts";

export interface Wanted {
  paths: string[];
  /** Where it goes in place of the project that a file lies in, or of `global`. */
  namespace: string | undefined;
  shared: boolean;
  /** Says what would be imported, and does nothing. */
  dryRun: boolean;
}

interface File {
  path: string;
  /** Below the folder that was named: it says nothing of the machine. */
  name: string;
}

interface Source extends Found, File {
  namespace: string;
}

type Entry = Record<string, unknown> & { content: string };

const largest = 64 * 1024 * 1024;
const mostFiles = 10_000;
/** Of one call: an import checks all of it before it stores any. */
const page = { entries: 200, characters: 500_000 } as const;
/** Of `memory_add`. */
const talk = { messages: 100, characters: 40_000 } as const;
const performed = z.object({ operations_performed: z.number() });
const longestWait = 120;

/**
 * Imports what other tools keep: rule files and notes in Markdown, the knowledge graph of MCP's server "memory", Mem0, exports of Claude and ChatGPT.
 * What is there already in the same place, or was there once, is left out, so that an import can be repeated. Of conversations their facts are kept.
 */
export async function importFiles(wanted: Wanted, named: Named, io: { env: Readonly<Record<string, string | undefined>>; say(line: string): void }): Promise<string[]> {
  const sources: Source[] = [];
  for (const file of wanted.paths.flatMap(filesIn)) sources.push(...(await sourceOf(file, wanted.namespace)));
  if (sources.length === 0) throw new CommandFailure("Nothing was found that could be imported.");
  if (wanted.dryRun) return [...sources.flatMap(preview), "Nothing was imported (--dry-run)."];
  const memory = clientFor(named, io.env, { project: undefined, client: "omnimemory-import", timeoutMs: 120_000 });
  const known = sources.some(({ notes, records }) => notes.length + records.length > 0) ? await Known.of(memory) : new Known();
  const total: Record<string, number> = {};
  for (const source of sources) {
    const whole = entriesOf(source, wanted);
    const fresh = whole.filter((entry) => "id" in entry || known.add(String(entry.namespace), entry.content));
    const counts: Record<string, number> = {};
    count(counts, await stored(memory, fresh, io));
    count(counts, { "there already": whole.length - fresh.length });
    count(counts, await added(memory, source.conversations, wanted, io));
    io.say(`${source.path} (${source.format}): ${listed(counts) || "nothing new"}`);
    count(total, counts);
  }
  return [`Imported: ${listed(total) || "nothing new"}.`, ...(total["kept back"] ? ["The write guard keeps some back for you to look at: the page Quarantine of the server, or omn_memory_health."] : [])];
}

function count(counts: Record<string, number>, more: Record<string, number>): void {
  for (const [name, number] of Object.entries(more)) counts[name] = (counts[name] ?? 0) + number;
}

const listed = (counts: Record<string, number>): string => Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [`${count} ${count === 1 ? name.replace(/^facts/, "fact") : name}`] : [])).join(", ");

/** What an export of this product says, it says whole: it has ids. Of what others say a text that is too long for one memory becomes several. */
const entriesOf = ({ name, namespace, notes, records }: Source, { shared }: Wanted): Entry[] =>
  [...notes.flatMap(({ content, tags, ...note }) => pieces(sound(content)).map((piece): Entry => ({ ...note, content: piece, ...(tags ? { tags: labels(tags) } : {}) }))), ...records].map((entry) =>
    "id" in entry ? entry : { namespace, metadata: { imported_from: name.slice(-500) }, ...(shared ? { visibility: "shared" } : {}), ...entry },
  );

/** As the server takes a text: halves of characters and NUL are none. */
const sound = (text: string): string => text.toWellFormed().replaceAll("\0", "");
const labels = (tags: string[]): string[] => [...new Set(tags.map((tag) => sound(tag).trim().slice(0, 100)).filter((tag) => tag !== ""))].slice(0, 50);

const isNotes = (path: string): boolean => [".md", ".mdc", ".markdown"].includes(extname(path).toLowerCase()) || /^\.(?:cursor|windsurf|cline)rules$/.test(basename(path));
const isRules = (path: string): boolean => /^(?:(?:claude|agents|gemini|memory|copilot-instructions)\.md|\..*rules|.*\.(?:mdc|instructions\.md))$/i.test(basename(path));
const isKept = (path: string): boolean => isNotes(path) || /^(?:memory\.jsonl?|memories\.json|conversations\.json)$/.test(basename(path));

/** What tools keep of a project in hidden folders; the rest there is no memory. */
const hidden: ReadonlyMap<string, readonly string[]> = new Map([[".claude", ["CLAUDE.md", "rules"]], [".cursor", ["rules"]], [".github", ["copilot-instructions.md", "instructions"]], [".windsurf", ["rules"]]]);

/** A file that is named is read, whatever it is called; of a folder those that can be told by their names. In it no link is followed, so that a folder says nothing of another. */
function filesIn(path: string): File[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new CommandFailure(`${path} does not exist.`);
  if (!stat.isDirectory()) return [{ path, name: basename(path) }];
  const files: File[] = [];
  const walk = (folder: string, isMeant: (entry: Dirent) => boolean): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).filter(isMeant).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inside = join(folder, entry.name);
      const rules = hidden.get(entry.name);
      if (entry.isDirectory()) walk(inside, rules ? ({ name }) => rules.includes(name) : isOpen);
      else if (entry.isFile() && isKept(inside)) files.push({ path: inside, name: relative(path, inside) });
      if (files.length > mostFiles) throw new CommandFailure(`${path} holds more than ${mostFiles} files: name folders in it one after the other.`);
    }
  };
  walk(path, isOpen);
  return files;
}

const isOpen = (entry: Dirent): boolean => entry.isFile() || (entry.name !== "node_modules" && (!entry.name.startsWith(".") || hidden.has(entry.name)));

async function sourceOf({ path, name }: File, namespace: string | undefined): Promise<Source[]> {
  if (statSync(path).size > largest) throw new CommandFailure(`${path} is larger than 64 MiB.`);
  const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  const read = isNotes(path) ? undefined : documentIn(path, text);
  const inside = read ?? found("Markdown", { notes: markdownNotes(text, isRules(path)) });
  return inside.notes.length + inside.conversations.length + inside.records.length === 0 ? [] : [{ ...inside, path, name, namespace: namespace ?? (read ? "global" : await placeOf(path)) }];
}

/** What a JSON file says; undefined of text, which is read as Markdown. */
function documentIn(path: string, text: string): Found | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const document = jsonOf(text);
  const lines = document === undefined ? text.split("\n").filter((line) => line.trim() !== "").map(jsonOf) : [document];
  const read = lines.includes(undefined) ? undefined : ((document === undefined ? undefined : fromJson(document)) ?? fromJsonLines(lines));
  if (!read && ([".json", ".jsonl", ".ndjson"].includes(extname(path)) || document !== undefined)) {
    throw new CommandFailure(`${path} is in no format that is known: a knowledge graph (memory.jsonl), Mem0, an export of Claude or ChatGPT, or [{"content": …}].`);
  }
  return read;
}

/** What lies in a git repository is about its project. */
async function placeOf(path: string): Promise<string> {
  const folder = dirname(resolve(path));
  return (await rootOf(folder)) === undefined ? "global" : `project:${await projectOf(folder)}`;
}

const counted = (count: number, one: string, several: string): string => (count === 0 ? "" : `${count} ${count === 1 ? one : several}`);

const preview = ({ path, format, namespace, notes, records, conversations }: Source): string[] => [
  `${path} (${format}), for ${namespace}: ${[counted(notes.length + records.length, "memory", "memories"), counted(conversations.length, "conversation", "conversations")].filter(Boolean).join(", ")}`,
  ...notes.map(({ content }) => `  - ${content.replaceAll(/\s+/g, " ").slice(0, 120)}`),
];

/** The names that an answer has for what became of its entries, as a person reads them. */
const outcomes = { created: "new", updated: "updated", unchanged: "there already", skipped: "there already", quarantined: "kept back", masked: "with secrets masked", expired: "expired", proposed: "waiting for a review" } as const;

async function stored(memory: OmniMemory, entries: Record<string, unknown>[], io: { say(line: string): void }): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const memories of pages(entries, page.entries, page.characters, (entry) => JSON.stringify(entry).length)) {
    const answer = await patiently(io, () => memory.call("omn_import_memories", { memories, on_conflict: "skip" }));
    for (const [name, shown] of Object.entries(outcomes)) count(counts, { [shown]: Number(answer[name] ?? 0) });
  }
  return counts;
}

async function added(memory: OmniMemory, conversations: Conversation[], { shared }: Wanted, io: { say(line: string): void }): Promise<Record<string, number>> {
  let facts = 0;
  const saidAt = ({ turns: [first] }: Conversation): string => first?.timestamp ?? "";
  // What was said later takes the place of what was said before.
  for (const [at, { id, turns }] of conversations.toSorted((a, b) => (saidAt(a) < saidAt(b) ? -1 : 1)).entries()) {
    if (at > 0 && at % 50 === 0) io.say(`${at} of ${conversations.length} conversations`);
    for (const part of pages(turns.flatMap(inParts), talk.messages, talk.characters, ({ content }) => content.length)) {
      const call = { messages: part, run_id: id.replaceAll(/[^\w-]/g, "-").slice(0, 100), ...(shared ? { metadata: { scope: "shared" } } : {}) };
      const key = createHash("sha256").update(JSON.stringify(call)).digest("hex");
      const answer = await patiently(io, () => memory.call("memory_add", { ...call, idempotency_key: key }));
      facts += performed.safeParse(answer["metadata"]).data?.operations_performed ?? 0;
    }
  }
  return { "facts of conversations": facts };
}

const inParts = (turn: Turn): Turn[] => cut(sound(turn.content)).filter((content) => content.trim() !== "").map((content) => ({ ...turn, content }));

function pages<One>(all: readonly One[], most: number, mostTogether: number, size: (one: One) => number): One[][] {
  const made: One[][] = [];
  let together = 0;
  for (const one of all) {
    const last = made.at(-1);
    together += size(one);
    if (last && last.length < most && together <= mostTogether) last.push(one);
    else {
      made.push([one]);
      together = size(one);
    }
  }
  return made;
}

/** Waits where the server asks for it. What was imported stays: the same command goes on from there. */
async function patiently<Answer>({ say }: { say(line: string): void }, call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof OmniMemoryError)) throw error;
      const { retryAfterSeconds: seconds } = error;
      if (error.status !== 429 || seconds === undefined || seconds > longestWait) {
        throw new CommandFailure(`The server refused it: ${error.message}${error.hint === undefined ? "" : ` ${error.hint}`}\nWhat was imported before stays; the same command leaves it out.`);
      }
      say(`The server asks to wait ${seconds} s.`);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    }
  }
}
