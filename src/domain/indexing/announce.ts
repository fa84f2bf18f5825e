import type { MemoryStore } from "../ports.ts";
import type { TeamHome } from "../search/vector-index.ts";

/** Tells, soon and without anybody waiting for it, that memories of a team changed. A lost announcement is made good by the sweep. */
export interface Announcer {
  announce(home: TeamHome): void;
}

/** The store, announcing the team after each write that was committed. */
export function announcedWrites(store: MemoryStore, announcer: Announcer): MemoryStore {
  const announced = async <T>({ teamId, organizationId, shard }: TeamHome, write: Promise<T>): Promise<T> => {
    const done = await write;
    announcer.announce({ teamId, organizationId, shard });
    return done;
  };
  return {
    lookup: (...args) => store.lookup(...args),
    lookupMany: (...args) => store.lookupMany(...args),
    presentIds: (...args) => store.presentIds(...args),
    takenIds: (...args) => store.takenIds(...args),
    get: (...args) => store.get(...args),
    hydrate: (...args) => store.hydrate(...args),
    hydratePublic: (...args) => store.hydratePublic(...args),
    byKey: (...args) => store.byKey(...args),
    byKeyPattern: (...args) => store.byKeyPattern(...args),
    list: (...args) => store.list(...args),
    history: (...args) => store.history(...args),
    statesAt: (...args) => store.statesAt(...args),
    settle: (...args) => store.settle(...args),
    stats: (...args) => store.stats(...args),
    note: (...args) => store.note(...args),
    recordAccess: (...args) => store.recordAccess(...args),
    commit: (principal, ...rest) => announced(principal, store.commit(principal, ...rest)),
    erase: (principal, ...rest) => announced(principal, store.erase(principal, ...rest)),
  };
}
