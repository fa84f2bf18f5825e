import type { Context } from "../context.ts";
import { uuidv7 } from "../ids.ts";
import { screen } from "../guard/screen.ts";
import { arrival } from "./arrival.ts";
import { existing } from "./import-places.ts";
import { memoryFields, sealedFields } from "./memory-fields.ts";
import type { MemoryWrite } from "./memory-store.ts";
import { type Memory, newState, type MemoryState } from "./memory.ts";
import { toState, type PortableMemory } from "./portable.ts";
import { type Held, type KeptBack, keptBack, maskedFields, verdictOn } from "./quarantine.ts";

/** The records of an import after the write guard has looked at them. */
export interface Screened {
  /** What is imported, with its place among the records given. */
  passed: { record: PortableMemory; at: number; /** Its secrets are masked. */ original?: Held }[];
  /** What is kept back instead. */
  kept: { at: number; held: Held }[];
}

const stateOf = (record: Pick<PortableMemory, "content"> & PortableMemory, ownerId: string): MemoryState => newState({ ...toState(record), content: record.content, ownerId });

/** In characters: some 50 ms of the guard. */
const lookedAtOnce = 40_000;

/** @throws QUOTA_EXCEEDED before anything is stored */
export async function screenRecords(ctx: Context, records: readonly PortableMemory[]): Promise<Screened> {
  const judged: Judged[] = [];
  for (let last = 0; last < records.length; ) {
    const first = last;
    // Others have their turn.
    if (first > 0) await new Promise((resolve) => setTimeout(resolve, 0));
    for (let characters = 0; last < records.length && characters < lookedAtOnce; last += 1) characters += JSON.stringify(records[last]).length;
    const part = await Promise.all(records.slice(first, last).map((record, i) => judge(ctx, record, first + i)));
    judged.push(...(await withoutKnown(ctx, records, part)));
  }
  const originals = await keptBack(ctx, judged.flatMap(({ kept }) => kept ?? []));
  const screened: Screened = { passed: [], kept: [] };
  for (const { record, at, kept } of judged) {
    const held = kept && (originals.shift() as Held);
    if (record) screened.passed.push({ record, at, ...(held ? { original: held } : {}) });
    else if (held) screened.kept.push({ at, held });
  }
  return screened;
}

interface Judged {
  at: number;
  /** What is to be imported of it. */
  record?: PortableMemory;
  kept?: KeptBack;
}

/** A record whose history holds something is looked at by what it says now and said then; of one that is here already, `before`, no history is taken. */
async function judge(ctx: Context, record: PortableMemory, at: number, before?: Memory): Promise<Judged> {
  if (record.quarantine) return { at, record };
  const owner = ctx.principal.userId;
  const state = stateOf(record, owner);
  const past = (before ? [] : (record.history ?? [])).map((version) => newState({ ...toState(version.state), content: version.state.content, ownerId: owner }));
  if (!screen(state) && !past.some((earlier) => screen(earlier))) return { at, record };
  const verdicts = await Promise.all([state, ...past].map((one) => verdictOn(ctx, one, before)));
  const reasons = [...new Set(verdicts.flatMap((verdict) => verdict?.reasons ?? []))];
  if (reasons.length === 0) return { at, record };
  if (verdicts.some((verdict) => verdict && !verdict.masked)) return { at, kept: { state, reasons, arrived: arrived(ctx, record) } };
  const [present, ...earlier] = verdicts;
  const history = record.history?.map((version, i) => ({ ...version, state: { ...version.state, ...onWireOf(earlier[i]?.masked) } }));
  return {
    at,
    record: { ...record, ...onWireOf(present?.masked), ...(history ? { history } : {}) },
    kept: { state, reasons, fields: present?.masked ? maskedFields(state, present.masked) : [] },
  };
}

/** What the team's own memory says already was let in, or released: its export changes nothing. */
async function withoutKnown(ctx: Context, records: readonly PortableMemory[], judged: Judged[]): Promise<Judged[]> {
  const named = judged.flatMap(({ at, kept }) => (kept && records[at]?.id !== undefined ? (records[at] as PortableMemory) : []));
  if (named.length === 0) return judged;
  const { byId } = await existing(ctx, named, []);
  return Promise.all(
    judged.map((one) => {
      const record = records[one.at] as PortableMemory;
      const present = one.kept && byId.get(record.id ?? "");
      return present && !present.quarantine ? judge(ctx, record, one.at, present) : one;
    }),
  );
}

/** Under a new id: the one that it had leads to it within the team. */
function arrived(ctx: Context, record: PortableMemory): KeptBack["arrived"] {
  const { memory, history } = arrival(ctx, record, toState(record), { id: uuidv7(ctx.now), review: false });
  return { memory, ...(history ? { history } : {}), ...(record.id === undefined ? {} : { formerId: record.id }) };
}

/** The sealed fields in the names of a record; where nothing was masked they stay as they were said. */
const onWireOf = (masked: MemoryState | undefined): Partial<PortableMemory> =>
  masked ? (Object.fromEntries(sealedFields.filter((field) => "given" in memoryFields[field]).map((field) => [memoryFields[field].name, masked[field]])) as Partial<PortableMemory>) : {};

/** The write of an original, once it is known what it belongs to. */
export const originalOf = ({ writes }: Held, target: string): MemoryWrite[] =>
  writes.map((write) => ({ ...write, memory: { ...write.memory, quarantine: write.memory.quarantine && { ...write.memory.quarantine, target } } }));
