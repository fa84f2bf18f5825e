import type { TextIndex } from "../text-index/text-index.ts";
import type { VectorCopy } from "./vectors/vector-copy.ts";

/** Erased words leave the text index when its segments are rewritten; this is how long that may wait, ms. */
const purgeDelay = 30_000;
/** Merging waits until a burst of writes is over, ms. */
const mergeDelay = 1_000;

interface UpkeepOptions {
  storage: DurableObjectStorage;
  text: TextIndex;
  vectors: VectorCopy;
  atomically(work: () => void): void;
}

/** Work of the object behind its answers, by one alarm: merging segments, and rewriting what holds erased words or vectors. */
export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #sql: SqlStorage;

  constructor(options: UpkeepOptions) {
    this.#options = options;
    this.#sql = options.storage.sql;
  }

  /** Whether a predecessor of the object left something to do. */
  isDue(): boolean {
    return this.#sql.exec("SELECT 1 FROM meta WHERE name = 'purge'").toArray().length > 0 || this.#options.text.isBehind();
  }

  /** The alarm comes when the first that asked for it wants it. */
  async schedule(delay = purgeDelay): Promise<void> {
    const { storage } = this.#options;
    const at = Date.now() + delay;
    const planned = await storage.getAlarm();
    if (planned === null || planned > at) await storage.setAlarm(at);
  }

  /** Words of what was erased leave the text later. */
  async afterChange({ erased }: { erased: boolean }): Promise<void> {
    if (this.#options.text.mergeDue) await this.schedule(mergeDelay);
    if (!erased) return;
    this.#notePurge();
    await this.schedule();
  }

  async run(): Promise<void> {
    const { text, vectors, atomically } = this.#options;
    const purge = this.#sql.exec("DELETE FROM meta WHERE name = 'purge' RETURNING name").toArray().length > 0;
    try {
      await text.maintain({ purge, alive: (slots) => this.#alive(slots) });
      vectors.maintain(atomically, { purge });
    } catch (error) {
      // The alarm is tried again, and must know what for.
      if (purge) this.#notePurge();
      throw error;
    }
  }

  #alive(slots: number[]): Set<number> {
    const rows = this.#sql.exec<{ slot: number }>("SELECT slot FROM docs WHERE slot IN (SELECT value FROM json_each(?))", JSON.stringify(slots));
    return new Set(rows.toArray().map(({ slot }) => slot));
  }

  #notePurge(): void {
    this.#sql.exec("INSERT OR REPLACE INTO meta (name, value) VALUES ('purge', 'due')");
  }
}
