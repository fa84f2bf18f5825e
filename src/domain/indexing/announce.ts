import type { MemoryWriter } from "../ports.ts";
import type { TeamHome } from "../search/vector-index.ts";

/** Tells, soon and without anybody waiting for it, that memories of a team changed. A lost announcement is made good by the sweep. */
export interface Announcer {
  announce(home: TeamHome): void;
}

/** The writer, announcing the team after each write that was committed. */
export function announcedWrites(writer: MemoryWriter, announcer: Announcer): MemoryWriter {
  const announced = async <T>({ teamId, organizationId, shard }: TeamHome, write: Promise<T>): Promise<T> => {
    const done = await write;
    announcer.announce({ teamId, organizationId, shard });
    return done;
  };
  return {
    saveIdempotency: (...args) => writer.saveIdempotency(...args),
    commit: (principal, ...rest) => announced(principal, writer.commit(principal, ...rest)),
    erase: (principal, ...rest) => announced(principal, writer.erase(principal, ...rest)),
  };
}
