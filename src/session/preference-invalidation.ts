import type { PreferenceStore } from "../domain/tenancy/preferences.ts";
import { sessionName } from "./session-call.ts";

/** The store of preferences, telling the person's session objects before a change is acknowledged: it holds from the next call on. */
export function preferencesWithInvalidation(store: PreferenceStore, changed: (session: string) => Promise<void>): PreferenceStore {
  return {
    preferences: (person) => store.preferences(person),
    async changePreferences(person, patch) {
      const done = await store.changePreferences(person, patch);
      await Promise.all(done.members.map(({ teamId, userId }) => changed(sessionName(teamId, userId))));
      return done;
    },
  };
}
