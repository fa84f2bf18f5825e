import type { MemoryWriter } from "../memories/memory-store.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";

/** Tells, soon and without anybody waiting for it, that memories of a team changed. A lost announcement is made good by the sweep. */
export interface IndexingQueue {
  enqueue(team: TeamRef): void;
}

/** The writer, announcing the team after each write that was committed. */
export function writesWithIndexing(writer: MemoryWriter, queue: IndexingQueue): MemoryWriter {
  const enqueued = async <T>({ teamId, organizationId, shard }: TeamRef, write: Promise<T>): Promise<T> => {
    const done = await write;
    queue.enqueue({ teamId, organizationId, shard });
    return done;
  };
  return {
    saveIdempotency: (...args) => writer.saveIdempotency(...args),
    commit: (principal, ...rest) => enqueued(principal, writer.commit(principal, ...rest)),
    erase: (principal, ...rest) => enqueued(principal, writer.erase(principal, ...rest)),
  };
}
