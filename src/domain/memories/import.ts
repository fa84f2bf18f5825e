import * as z from "zod";
import type { Context } from "../context.ts";
import { DomainError, invalid } from "../errors.ts";
import { named } from "../frame.ts";
import { sha256Hex } from "../hash.ts";
import { uuidv7 } from "../ids.ts";
import type { MemoryWrite } from "./memory-store.ts";
import { WriteConflict } from "./write-conflict.ts";
import { describeProblems } from "../problems.ts";
import { parseJson } from "../strict-json.ts";
import { requireScope } from "../tenancy/principal.ts";
import { arrival, importedTrust } from "./arrival.ts";
import { commitAll, maxBatchBytes } from "./commit-all.ts";
import { isExpired, sameState, type MemoryState } from "./memory.ts";
import { enriched, givenIn } from "./enriched.ts";
import { importLinks } from "../graph/portable-links.ts";
import { jsonFields, memoryFields } from "./memory-fields.ts";
import { existing, idsInsteadOfTaken, placeTaken } from "./import-places.ts";
import { originalOf, type Screened, screenRecords } from "./import-screening.ts";
import { inOrderOfSuccession, type Arrived, readSuccession } from "./import-succession.ts";
import { portableMemory, toState, type PortableMemory } from "./portable.ts";
import { requireChange, requireEdit } from "./policy.ts";
import { afterStored } from "./quota.ts";
import { isReviewed, propose, requireRoom, type Wanted, withoutReview } from "./review.ts";
import { keyTaken, retryOnConflict } from "./retry-on-conflict.ts";
import { followingVersion, purge } from "./versions.ts";

export interface ImportInput {
  records: PortableMemory[];
  /** What to do with a memory that is here already, by id or by key, and differs. */
  onConflict: "update" | "skip";
  /** Of an import that was interrupted and is done again: which of these memories it wrote, so that it writes and counts none twice. */
  written?: ((ids: readonly string[]) => Promise<ReadonlyMap<string, Written>>) | undefined;
}

/** What an import wrote of a memory before. */
export interface Written {
  /** It made the memory. */
  isNew: boolean;
  /** Nobody has changed it since. */
  isLatest: boolean;
}

export interface ImportOutcome {
  created: number;
  updated: number;
  unchanged: number;
  skipped: number;
  /** Records of which something waits for a review. One of which nothing was done beside that is counted here alone. */
  proposed: number;
  /** Records that the write guard keeps back whole, and those of which it masks secrets. */
  quarantined: number;
  masked: number;
  /** Of the created and updated, those that nobody finds, because their expiry is past. */
  expired: number;
  /** Links that wait, of any record. */
  proposedLinks: number;
  /** In the order of the records. */
  ids: string[];
  /** Those created under another id than the record's, because that is taken; within the team it goes on leading to the memory. */
  renamed: { from: string; to: string }[];
}

/** Of a call that tells how far it is. */
const toldAtOnce = 200;
/** Bytes that a row has beside its record: the names of all columns, and the defaults. */
const rowBytes = 1_500;

/** Takes records in order; a record whose key occurs twice makes two versions. Each chunk is atomic. */
export async function importMemories(ctx: Context, input: ImportInput): Promise<ImportOutcome> {
  requireScope(ctx.principal, "memory:write");
  const outcome = nothingYet();
  const [review, screened] = [await isReviewed(ctx), await screenRecords(ctx, input.records)];
  const { kept } = screened;
  const passed = inOrderOfSuccession(screened.passed, ({ record }) => record);
  const arrived: Arrived = new Map();
  const records = passed.map(({ record }) => record);
  for (const chunk of chunks(records, ctx, review)) {
    for (let rest = chunk; rest.length > 0; ) {
      const part = await importChunk(ctx, rest, { ...input, review, arrived }).catch((error: unknown) => Promise.reject(afterStored(error, outcome.ids.length)));
      for (const count of ["created", "updated", "unchanged", "skipped", "proposed", "expired"] as const) outcome[count] += part[count];
      outcome.ids.push(...part.ids);
      outcome.renamed.push(...part.renamed);
      rest = rest.slice(part.ids.length);
      // The end is told by the answer.
      if (outcome.ids.length < records.length) await ctx.progress?.(outcome.ids.length, records.length);
    }
  }
  outcome.proposedLinks = await importLinks(ctx, records, outcome.ids);
  return { ...outcome, ...(await keepBack(ctx, outcome.ids, passed, kept)) };
}

/** Last, since an original names the memory that was made of it; importing the same again does what was left undone. */
async function keepBack(ctx: Context, imported: string[], passed: Screened["passed"], kept: Screened["kept"]): Promise<Pick<ImportOutcome, "ids" | "quarantined" | "masked">> {
  const originals = passed.flatMap(({ original }, i) => (original ? originalOf(original, imported[i] as string) : []));
  const writes = [...kept.flatMap(({ held }) => held.writes), ...originals];
  await commitAll(ctx.writer, ctx.principal, ctx, writes);
  const places = [...passed.map(({ at }, i) => ({ at, id: imported[i] as string })), ...kept.map(({ at, held }) => ({ at, id: held.memory.id }))];
  return { ids: places.sort((a, b) => a.at - b.at).map(({ id }) => id), quarantined: kept.length, masked: passed.filter(({ original }) => original).length };
}

const nothingYet = (): ImportOutcome => ({ created: 0, updated: 0, unchanged: 0, skipped: 0, proposed: 0, quarantined: 0, masked: 0, expired: 0, proposedLinks: 0, ids: [], renamed: [] });

const portableMemories = z.array(portableMemory);

const mostRecords = 100_000;

/** What is known of the data of an export. */
export interface Expected {
  sha256?: string | undefined;
  count?: number | undefined;
}

/** Parses the memories of an export and checks them against the count and hash that came with it. */
export async function parseExport(data: string, expected: Expected): Promise<PortableMemory[]> {
  const records = await recordsOf(data, expected);
  const work = records.filter(isWork);
  if (work.length > 0) {
    throw invalid(
      `${work.length} of the ${records.length} records are no memories but work: sessions, what was said in them, or workflow steps (kind ${[...new Set(work.map(({ kind }) => named(String(kind).slice(0, 20))))].slice(0, 5).join(", ")}).`,
      "Import the whole file over REST with POST /v1/teams/<team>/jobs/import, or give only the lines without a kind. Nothing was imported.",
    );
  }
  return parsedMemories(records);
}

/** Whether it says that it is of this kind: what else it holds is for the schema to tell. */
export const isWork = (record: unknown): record is { kind: unknown } => typeof record === "object" && record !== null && Object.hasOwn(record, "kind") && String((record as { kind: unknown }).kind).startsWith("work_");

/** The records of an export, checked against its count and hash, and not looked into. */
export async function recordsOf(data: string, expected: Expected): Promise<unknown[]> {
  if (expected.sha256 !== undefined && (await sha256Hex(data)) !== expected.sha256.toLowerCase()) {
    throw invalid("The data does not match its sha256: it changed on the way.", "Pass data exactly as the export gave it. Nothing was imported.");
  }
  const records = parseRecords(data);
  // Before each that is wrong has a problem of its own.
  if (records.length > mostRecords) throw invalid(`The data holds ${records.length} records, more than one import takes.`, "Import it in parts. Nothing was imported.");
  if (expected.count !== undefined && records.length !== expected.count) {
    throw invalid(`The data holds ${records.length} records, not ${expected.count}.`, "The data is incomplete; export again. Nothing was imported.");
  }
  return records;
}

export function parsedMemories(records: readonly unknown[]): PortableMemory[] {
  const parsed = portableMemories.safeParse(records);
  if (!parsed.success) throw invalid(`Not every record is one: ${describeProblems(parsed.error, portableMemories, records)}.`, "Repair these records and import again. Nothing was imported.");
  return parsed.data;
}

function parseRecords(data: string): unknown[] {
  try {
    const whole = parseJson(data);
    if (Array.isArray(whole)) return whole;
    const inner = z.object({ memories: z.array(z.unknown()) }).safeParse(whole);
    return inner.success ? inner.data.memories : [whole];
  } catch (error) {
    if (error instanceof DomainError) throw error;
    return data.split("\n").flatMap((line, i) => {
      if (line.trim() === "") return [];
      try {
        return [parseJson(line)];
      } catch (problem) {
        throw problem instanceof DomainError ? problem : invalid(`Line ${i + 1} is not JSON.`, "Give NDJSON (one JSON object a line) or one JSON document. Nothing was imported.");
      }
    });
  }
}

/** Cuts before a record that would overflow the parameter or that repeats an id or key of its chunk. */
function* chunks(records: PortableMemory[], ctx: Context, review: boolean): Generator<PortableMemory[]> {
  let chunk: PortableMemory[] = [];
  let bytes = 0;
  const maxChunk = ctx.progress ? toldAtOnce : Number.POSITIVE_INFINITY;
  let seen = new Set<string>();
  for (const record of records) {
    const state = toState(record);
    // A record that a review holds back is stored as private.
    const names = [record.id, placeTaken(ctx, record, state), ...(review ? [placeTaken(ctx, record, state, "private")] : [])].filter((name) => name !== undefined);
    const size = bytesOf(record);
    if (chunk.length > 0 && (bytes + size > maxBatchBytes || chunk.length >= maxChunk || names.some((name) => seen.has(name)))) {
      yield chunk;
      chunk = [];
      bytes = 0;
      seen = new Set();
    }
    chunk.push(record);
    bytes += size;
    for (const name of names) seen.add(name);
  }
  if (chunk.length > 0) yield chunk;
}

/** At most what the record's row takes in the parameter, where JSON columns are quoted a second time and a compressed form is no longer than its content. */
function bytesOf({ history: _history, ...record }: PortableMemory): number {
  const bytes = (part: unknown): number => new TextEncoder().encode(JSON.stringify(part)).byteLength;
  const entries = Object.entries(record);
  const plain = entries.filter(([name]) => !jsonColumns.has(name));
  const quoted = entries.filter(([name]) => jsonColumns.has(name));
  return bytes(plain) + bytes(record.content) + 2 * bytes(quoted) + rowBytes;
}

const jsonColumns: ReadonlySet<string> = new Set(jsonFields.map((field) => memoryFields[field].name));

interface ChunkRules extends Pick<ImportInput, "onConflict" | "written"> {
  review: boolean;
  /** What the call imported before. */
  arrived: Arrived;
}

/** Imports the records, or as many of the first ones as name each memory only once. */
function importChunk(ctx: Context, records: PortableMemory[], { onConflict, written, review, arrived }: ChunkRules): Promise<ImportOutcome> {
  return retryOnConflict("these memories", async () => {
    const states = review ? await placedWithoutReview(ctx, records) : records.map(toState);
    const held: Held[] = [];
    const { byId, byPlace } = await existing(ctx, records, states);
    const expired = [...byId.values()].filter((memory) => isExpired(memory, ctx.now));
    if (expired.length > 0) {
      await purge(ctx, expired);
      throw new WriteConflict();
    }
    const newcomers = records.flatMap((record, i) => (record.id === undefined || byId.has(record.id) || byPlace.has(placeTaken(ctx, record, states[i] as Partial<MemoryState>) ?? "") ? [] : { id: record.id, visibility: states[i]?.visibility ?? "private" }));
    const taken = await idsInsteadOfTaken(ctx, newcomers, records);
    const before = await written?.([...byId.values(), ...byPlace.values()].map(({ id }) => id));
    const succession = await readSuccession(ctx, records, [...byId.values(), ...byPlace.values()], arrived);
    const outcome = nothingYet();
    const writes: MemoryWrite[] = [];
    const named = new Set<string>();
    for (const [i, record] of records.entries()) {
      const state = states[i] as Partial<MemoryState>;
      const place = placeTaken(ctx, record, state);
      const holder = place === undefined ? undefined : byPlace.get(place);
      const present = (record.id && byId.get(record.id)) ?? holder;
      // Records before it that touch this memory must be written first.
      if ((present && named.has(present.id)) || (holder && named.has(holder.id))) break;
      if (!present) {
        const instead = taken.get(record.id ?? "");
        const id = instead ?? record.id ?? uuidv7(ctx.now);
        const write = arrival(ctx, record, state, { id, review, successionOf: succession.of(id) });
        succession.take(record, write.memory);
        writes.push(instead === undefined ? write : { ...write, formerId: record.id as string });
        const visibility = toState(record).visibility ?? "private";
        if (visibility !== write.memory.visibility) held.push({ memory: write.memory, state: { ...write.memory, visibility }, isDone: true });
        outcome.created += 1;
        outcome.ids.push(id);
        if (instead !== undefined) outcome.renamed.push({ from: record.id as string, to: id });
        continue;
      }
      named.add(present.id);
      outcome.ids.push(present.id);
      succession.take(record, present);
      // What calls itself kept back was not looked at: it comes as that, and changes nothing that is there.
      if (present.quarantine || record.quarantine) {
        outcome[present.quarantine && record.quarantine ? "unchanged" : "skipped"] += 1;
        continue;
      }
      const mine = before?.get(present.id);
      // What somebody made of it since stays.
      if (mine && !mine.isLatest) {
        outcome[mine.isNew ? "created" : "updated"] += 1;
        continue;
      }
      const quarantined = present.trust.quarantined || record.quarantined === true;
      const given = toState(record);
      const following = followingVersion(ctx, present, { ...given, ...succession.after(present, record), archivedAt: record.archived_at ?? null, trust: { ...present.trust, quarantined } });
      const said = record.enrichment === undefined ? enriched(following, { before: present, given: givenIn(given) }) : { ...following, enrichment: record.enrichment };
      if (sameState(present, said)) {
        outcome[mine ? (mine.isNew ? "created" : "updated") : "unchanged"] += 1;
        continue;
      }
      // Who sees it is no word of the file.
      const isOnlyShown = sameState({ ...present, visibility: said.visibility }, said);
      const wanted = isOnlyShown ? said : { ...said, trust: importedTrust(quarantined) };
      if (onConflict === "skip") {
        outcome.skipped += 1;
        continue;
      }
      requireEdit(ctx.principal, present);
      requireChange(ctx.principal, present, wanted);
      const next = review ? { ...wanted, ...withoutReview(ctx.principal, present, wanted) } : wanted;
      const isDone = !sameState(present, next);
      if (review && !sameState(next, wanted)) held.push({ memory: isDone ? next : present, state: wanted, isDone });
      if (isDone) {
        if (holder && holder.id !== present.id && next.archivedAt === null) throw keyTaken(next, holder);
        writes.push({ memory: next, action: "update", before: present });
        outcome.updated += 1;
      }
    }
    if (held.length > 0) await requireRoom(ctx, held.map(({ memory }) => memory.id));
    if (writes.length > 0) await ctx.writer.commit(ctx.principal, ctx, writes);
    for (const [from, to] of succession.taken) arrived.set(from, to);
    await proposeHeld(ctx, held, outcome);
    outcome.expired = writes.filter(({ memory }) => isExpired(memory, ctx.now)).length;
    return outcome;
  });
}

/** The part of a record that waits for a review; `isDone` when another part was written at once. */
interface Held extends Wanted {
  isDone: boolean;
}

async function proposeHeld(ctx: Context, held: Held[], outcome: ImportOutcome): Promise<void> {
  const states = new Map((await propose(ctx, held)).map(({ memoryId, state }) => [memoryId, state]));
  for (const { memory, isDone } of held) {
    const state = states.get(memory.id);
    if (state === "pending") outcome.proposed += 1;
    // Refused before, or changed meanwhile.
    else if (!isDone) outcome[state ? "unchanged" : "skipped"] += 1;
  }
}

/** Where the records go without a review: what the team holds already under the same id or key stays there, the rest is private. */
async function placedWithoutReview(ctx: Context, records: PortableMemory[]): Promise<Partial<MemoryState>[]> {
  const wanted = records.map(toState);
  const { byId, byPlace } = await existing(ctx, records, wanted);
  return wanted.map((state, i) => {
    const record = records[i] as PortableMemory;
    const present = byId.get(record.id ?? "") ?? byPlace.get(placeTaken(ctx, record, state) ?? "");
    const isShared = present && !isExpired(present, ctx.now) && present.visibility !== "private";
    return isShared || state.visibility === undefined ? state : { ...state, visibility: "private" };
  });
}
