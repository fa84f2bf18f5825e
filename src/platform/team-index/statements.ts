import type { MemoryWrite } from "../../domain/memories/memory-store.ts";
import { statementKey } from "../../domain/memories/same-statement.ts";

/** What a new memory states, of what, and to whom. */
export interface Statement {
  /** As `statementKey` says it. */
  key: string;
  memoryId: string;
  teamId: string;
  namespace: string;
  visibility: string;
  ownerId: string;
}

/** The statement that a change makes only if nobody has made it before. */
export function newStatement(writes: readonly MemoryWrite[]): Statement | undefined {
  const memory = writes.find(({ unlessSaid }) => unlessSaid)?.memory;
  const key = memory && statementKey(memory);
  if (!memory || key === undefined) return undefined;
  const { id, teamId, namespace, visibility, ownerId } = memory;
  return { key, memoryId: id, teamId, namespace, visibility, ownerId };
}

/** Lets those who state the same at the same time write one after another, so that the second finds what the first has written. */
export class StatementTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>({ key, teamId }: Statement, work: () => Promise<T>): Promise<T> {
    const name = `${teamId}/${key}`;
    const before = this.#last.get(name);
    const turn = (before ?? Promise.resolve()).then(work, work);
    this.#last.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(name) === turn) this.#last.delete(name);
    }
  }
}
