import type { Memory, Version } from "../domain/memories/memory.ts";
import type { MemoryStore } from "../domain/memories/memory-store.ts";
import { isOpenSecret } from "../domain/secrets/redaction.ts";

/** The store, telling when it opened a secret. */
export function notingSecrets(store: MemoryStore, seen: () => void): MemoryStore {
  const noted = <T extends readonly (Memory | undefined)[]>(memories: T): T => {
    if (memories.some((memory) => memory && isOpenSecret(memory))) seen();
    return memories;
  };
  const notedVersion = <T extends Version>(version: T): T => {
    // Also of a memory that became secret later.
    if (version.state.sensitivity === "secret") seen();
    return version;
  };
  return {
    lookup: async (...args) => {
      const found = await store.lookup(...args);
      noted([found.existing]);
      return found;
    },
    lookupMany: async (...args) => noted(await store.lookupMany(...args)),
    presentIds: (...args) => store.presentIds(...args),
    takenIds: (...args) => store.takenIds(...args),
    get: async (...args) => noted([await store.get(...args)])[0],
    hydrate: (...args) => store.hydrate(...args),
    hydratePublic: async (...args) => noted(await store.hydratePublic(...args)),
    byKey: async (...args) => noted(await store.byKey(...args)),
    byKeyPattern: (...args) => store.byKeyPattern(...args),
    list: async (...args) => {
      const page = await store.list(...args);
      noted(page.items);
      return page;
    },
    history: async (...args) => {
      const chains = await store.history(...args);
      for (const chain of chains.values()) chain.forEach(notedVersion);
      return chains;
    },
    statesAt: async (...args) => {
      const states = await store.statesAt(...args);
      for (const { version } of states) notedVersion(version);
      return states;
    },
    count: (...args) => store.count(...args),
    stats: (...args) => store.stats(...args),
    examine: (...args) => store.examine(...args),
    files: (...args) => store.files(...args),
    aboutFiles: (...args) => store.aboutFiles(...args),
    episodic: (...args) => store.episodic(...args),
    countUnsynced: (...args) => store.countUnsynced(...args),
    countUnembedded: (...args) => store.countUnembedded(...args),
    auditRead: (...args) => store.auditRead(...args),
    recordAccess: (...args) => store.recordAccess(...args),
  };
}

/** Whether a call is about to make something secret; its refusal may repeat what that says. */
export const makesSecret = (args: unknown): boolean => /\\?"sensitivity\\?"\s*:\s*\\?"secret/.test(JSON.stringify(args ?? {}));
