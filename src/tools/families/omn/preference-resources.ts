import { json } from "../../../domain/frame.ts";
import { defineResource } from "../../define-resource.ts";

/** OmniMemory document, resource 1: the person's preferences in all their clients and teams. REST changes them (`/v1/account/preferences`). */
const ownUri = "omnimemory://user/preferences";
const uriOf = (userId: string): string => `omnimemory://user/${userId}/preferences`;

/** Those that change with a person's preferences. */
export const preferenceUris = (userId: string): string[] => [ownUri, uriOf(userId)];

export const ownPreferences = defineResource({
  uri: ownUri,
  name: "preferences",
  description: "Your defaults for search, compression and features",
  scope: "memory:read",
  read: (ctx) => Promise.resolve(json(ctx.preferences)),
  changedWith: () => [],
});

/** Nobody else's: another id is one that is not there. */
export const preferencesOf = defineResource({
  uri: uriOf("{user_id}"),
  variables: { user_id: "[\\w-]{1,64}" },
  name: "preferences-of",
  title: "Preferences of a person",
  description: "Your preferences by your user id",
  scope: "memory:read",
  read: (ctx, [userId]) => Promise.resolve(userId === ctx.principal.userId ? json(ctx.preferences) : undefined),
  changedWith: () => [],
});
