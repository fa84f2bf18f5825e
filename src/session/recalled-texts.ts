import type { Memory } from "../domain/memories/memory.ts";
import type { RecentlyRecalled } from "../domain/memories/loop-guard.ts";
import { fingerprintOf, mayRepeat } from "../domain/memories/repetition.ts";
import { coalesce } from "./coalesce.ts";

/** How long and how many memories a model still has before it: a context window fills and is compacted within these. */
const maxAgeMs = 2 * 60 * 60 * 1_000;
const maxEntries = 500;
/** Sentences of one memory: content has at most 10,000 characters, and few sentences are shorter than 50. */
const maxSentences = 200;

interface Entry {
  at: number;
  /** To know a text again without looking at it; 0 when it was read from storage. */
  version: number;
  length: number;
  all: string;
  sentences: ReadonlySet<string>;
}

/**
 * Fingerprints of what recall returned to this person, in the order in which it was shown. Texts are looked at and written to
 * the object's storage in batches after the answer; they survive the object.
 */
export class RecalledTexts implements RecentlyRecalled {
  readonly #sql: SqlStorage;
  readonly #transaction: (work: () => void) => void;
  readonly #save = coalesce(() => this.#digest());
  #pending: { at: number; memories: Memory[] }[] = [];
  #entries: Map<string, Entry> | undefined;

  constructor(storage: Pick<DurableObjectStorage, "sql" | "transactionSync">) {
    this.#sql = storage.sql;
    this.#transaction = (work) => storage.transactionSync(work);
    this.#sql.exec(`CREATE TABLE IF NOT EXISTS recalled (
      memory_id TEXT PRIMARY KEY, at INTEGER NOT NULL, all_text TEXT NOT NULL, sentences TEXT NOT NULL) WITHOUT ROWID`);
  }

  note(now: number, memories: Memory[]): void {
    if (memories.length === 0) return;
    this.#pending.push({ at: now, memories });
    this.#save();
  }

  findSourcesOf(now: number, content: string): string[] {
    const entries = this.#digest();
    const said = fingerprintOf(content);
    const found = [...entries].filter(([, entry]) => entry.at > now - maxAgeMs && mayRepeat(said, entry));
    return found.map(([id]) => id).reverse();
  }

  /** Takes in what was noted. Secrets leave no trace, not even a hash that could be guessed. */
  #digest(): Map<string, Entry> {
    const entries = (this.#entries ??= this.#load());
    const changed = new Set<string>();
    for (const { at, memories } of this.#pending) {
      for (const memory of memories) {
        if (memory.sensitivity === "secret") continue;
        const before = entries.get(memory.id);
        const same = before && before.version === memory.version && before.length === memory.content.length;
        entries.delete(memory.id);
        entries.set(memory.id, same ? { ...before, at } : entryOf(at, memory));
        changed.add(memory.id);
      }
    }
    this.#pending = [];
    if (changed.size > 0) this.#write(entries, changed);
    return entries;
  }

  #write(entries: Map<string, Entry>, changed: ReadonlySet<string>): void {
    const oldest = [...entries.keys()].slice(0, Math.max(0, entries.size - maxEntries));
    for (const id of oldest) entries.delete(id);
    const rows = [...changed].flatMap((id) => {
      const entry = entries.get(id);
      return entry ? [[id, entry.at, entry.all, JSON.stringify([...entry.sentences])]] : [];
    });
    this.#transaction(() => {
      if (oldest.length > 0) this.#sql.exec("DELETE FROM recalled WHERE memory_id IN (SELECT value FROM json_each(?))", JSON.stringify(oldest));
      this.#sql.exec(
        `INSERT OR REPLACE INTO recalled (memory_id, at, all_text, sentences)
         SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`,
        JSON.stringify(rows),
      );
    });
  }

  #load(): Map<string, Entry> {
    const rows = this.#sql.exec<{ memory_id: string; at: number; all_text: string; sentences: string }>("SELECT * FROM recalled ORDER BY at").toArray();
    return new Map(rows.map((row) => [row.memory_id,
      { at: row.at, version: 0, length: 0, all: row.all_text, sentences: new Set(JSON.parse(row.sentences) as string[]) }]));
  }
}

function entryOf(at: number, { version, content }: Memory): Entry {
  const { all, sentences } = fingerprintOf(content);
  return { at, version, length: content.length, all, sentences: new Set(sentences.slice(0, maxSentences)) };
}
