import { expect } from "vitest";

/** A memory as an export shows it. */
export interface Exported {
  id: string;
  key: string;
  version: number;
  content: string;
  archived_at: string | null;
  updated_at: string;
  history?: { version: number; at: string; action: string; state: { content: string } }[];
}

type State = "live" | "archived" | "erased";

interface Shape {
  state: State;
  /** Contents of versions 1 … n. */
  versions: string[];
}

/** One memory that was acknowledged. A change that was sent and never answered happened whole, or not at all. */
export interface Entry extends Shape {
  id: string;
  key: string;
  unanswered?: Shape;
  /** To archive or erase it was sent, never answered and not done: it stays hidden as long as D1 could still do it. */
  mayBeHidden?: boolean;
  /** The round that last touched it. */
  round: number;
}

export interface StoreCall extends Record<string, unknown> {
  key: string;
  content: string;
  idempotency_key: string;
}

/** A word, and the memory that it finds. */
export interface Probe {
  word: string;
  id: string | undefined;
  /** Whose word it is, for the message. */
  of: string;
  /** The word's memory, if nobody may find it any more. */
  gone: string | undefined;
  mayBeHidden: boolean;
}

/** A key that everybody writes: which content became which version, as far as anybody was told. */
interface Board {
  answered: Map<number, string>;
  unanswered: Set<string>;
}

/** What was promised to the writers. */
export class Ledger {
  readonly entries = new Map<string, Entry>();
  readonly boards = new Map<string, Board>();
  /** Calls that were sent and never answered. */
  stores: StoreCall[] = [];
  imports: { key: string; content: string }[][] = [];
  /** Of the calls that were never answered: how many had been carried out all the same. */
  readonly unanswered = { done: 0, undone: 0 };

  created(id: string, key: string, content: string, round: number): void {
    expect(this.entries.has(id), `${key} was created twice`).toBe(false);
    this.entries.set(id, { id, key, state: "live", versions: [content], round });
  }

  posted(key: string, version: number, content: string): void {
    const board = this.board(key);
    const known = board.answered.get(version);
    expect(known ?? content, `version ${version} of ${key} was promised to two writers`).toBe(content);
    board.answered.set(version, content);
    board.unanswered.delete(content);
  }

  board(key: string): Board {
    const board = this.boards.get(key) ?? { answered: new Map(), unanswered: new Set() };
    this.boards.set(key, board);
    return board;
  }

  /** Compares with everything the product has, and settles what was unanswered by what is there. */
  check(exported: Exported[]): void {
    const byId = new Map(exported.map((memory) => [memory.id, memory]));
    expect(byId.size, "an id occurs twice").toBe(exported.length);
    const keys = exported.filter((memory) => memory.archived_at === null).map((memory) => memory.key);
    expect(new Set(keys).size, "a key occurs twice").toBe(keys.length);
    for (const memory of exported) expect(versionsOf(memory).map(([version]) => version), `${memory.key}: the chain of versions`).toEqual(range(memory.version));

    for (const entry of this.entries.values()) this.#settle(entry, byId.get(entry.id));
    const byKey = new Map(exported.map((memory) => [memory.key, memory]));
    for (const [key, board] of this.boards) checkBoard(key, board, byKey.get(key));
    this.#checkImports(byKey);
    this.#checkStrangers(exported);
  }

  #settle(entry: Entry, memory: Exported | undefined): void {
    const actual = shapeOf(memory);
    const { unanswered } = entry;
    delete entry.unanswered;
    const done = unanswered !== undefined && same(actual, unanswered);
    if (done) Object.assign(entry, unanswered);
    else if (unanswered && unanswered.state !== "live") entry.mayBeHidden = true;
    if (unanswered) this.unanswered[done ? "done" : "undone"] += 1;
    // What is erased has no versions any more.
    const promised: Shape = entry.state === "erased" ? { state: "erased", versions: [] } : { state: entry.state, versions: entry.versions };
    expect(actual, `${entry.key}${unanswered ? ", one change unanswered" : ""}`).toEqual(promised);
  }

  /** An import of a few memories is one transaction. */
  #checkImports(byKey: Map<string, Exported>): void {
    for (const records of this.imports) {
      const there = records.filter(({ key }) => byKey.has(key));
      expect([0, records.length], `an import that was never answered arrived in part: ${there.map(({ key }) => key).join(", ")}`).toContain(there.length);
      for (const { key, content } of there) expect(byKey.get(key)).toMatchObject({ version: 1, content });
    }
  }

  /** Nothing is there that nobody sent. */
  #checkStrangers(exported: Exported[]): void {
    const sent = new Map([...this.stores, ...this.imports.flat()].map(({ key, content }) => [key, content]));
    for (const memory of exported) {
      if (this.entries.has(memory.id) || this.boards.has(memory.key)) continue;
      expect({ content: memory.content, version: memory.version }, `${memory.key} was never acknowledged`).toEqual({ content: sent.get(memory.key), version: 1 });
    }
  }

  /** Words that must find a memory, and words that must find nothing: of this round, and a few of all others. */
  probes(round: number | undefined, pick: <T>(from: T[], count: number) => T[], others: number): Probe[] {
    const all = [...this.entries.values()];
    const chosen = round === undefined ? all : [...all.filter((entry) => entry.round === round), ...pick(all.filter((entry) => entry.round !== round), others)];
    return chosen.flatMap(({ id, key, state, versions, mayBeHidden = false }) => {
      const words = [...new Set(versions.map(wordOf))];
      const present = state === "live" ? wordOf(versions.at(-1) ?? "") : undefined;
      return words.map((word, i) => ({
        word, id: word === present ? id : undefined, of: `text ${i + 1} of ${words.length} of ${key} (${id}, ${state})`, gone: state === "live" ? undefined : id, mayBeHidden,
      }));
    });
  }
}

/** Every content begins with a word that no other has. */
const wordOf = (content: string): string => content.split(" ")[0] ?? "";

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

const versionsOf = (memory: Exported): [number, string][] => [
  ...(memory.history ?? []).map(({ version, state }): [number, string] => [version, state.content]),
  [memory.version, memory.content],
];

const shapeOf = (memory: Exported | undefined): Shape =>
  memory ? { state: memory.archived_at === null ? "live" : "archived", versions: writtenOf(memory) } : { state: "erased", versions: [] };

/** What writers said, in order. The curator adds versions that say the same, of another importance, and a memory keeps the time of its last writer. */
function writtenOf({ history = [], content, updated_at }: Exported): string[] {
  const written = history.filter(({ action }) => action !== "evolve");
  const said = written.map(({ state }) => state.content);
  return written.at(-1)?.at === updated_at ? said : [...said, content];
}

const same = (actual: Shape, other: Shape): boolean =>
  actual.state === other.state && (actual.state === "erased" || actual.versions.join("\n") === other.versions.join("\n"));

function checkBoard(key: string, board: Board, memory: Exported | undefined): void {
  const versions = new Map(memory ? versionsOf(memory) : []);
  for (const [version, content] of board.answered) expect(versions.get(version), `version ${version} of ${key} was acknowledged`).toBe(content);
  const contents = [...versions.values()];
  expect(new Set(contents).size, `a write to ${key} was made twice`).toBe(contents.length);
  const promised = new Set(board.answered.values());
  for (const content of contents) {
    expect(promised.has(content) || board.unanswered.has(content), `${key} holds what nobody wrote: ${content}`).toBe(true);
  }
}
