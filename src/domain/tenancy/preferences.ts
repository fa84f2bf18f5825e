import * as z from "zod";
import type { MemberRef } from "./member-ref.ts";
import type { Person } from "./sign-in-store.ts";

/** How a person wants the product to be where a call does not say, in every client and team (OmniMemory document, user preferences). */
export interface Preferences {
  theme: "light" | "dark" | "system";
  /** Long contents are stored with a compressed form. */
  default_compression: boolean;
  search_defaults: {
    /** Null: what is likely. */
    min_relevance: number | null;
    max_results: number;
  };
  auto_features: {
    /** Steps of work are recorded, and patterns learned of them. */
    workflow_learning: boolean;
    /** Of long memories recall shows what they say of the question, and their compressed forms where the whole does not fit. */
    context_compression: boolean;
  };
}

export const usualPreferences: Preferences = {
  theme: "system",
  default_compression: true,
  search_defaults: { min_relevance: null, max_results: 10 },
  auto_features: { workflow_learning: true, context_compression: true },
};

const themes = ["light", "dark", "system"] as const;

/** What is to be different; null makes it as usual again (RFC 7396). */
export const preferencesPatch = z.strictObject({
  theme: z.enum(themes).nullable().optional(),
  default_compression: z.boolean().nullable().optional(),
  search_defaults: z
    .strictObject({ min_relevance: z.number().min(0).max(1).nullable().optional(), max_results: z.number().int().min(1).max(100).nullable().optional() })
    .nullable()
    .optional(),
  auto_features: z
    .strictObject({ workflow_learning: z.boolean().nullable().optional(), context_compression: z.boolean().nullable().optional() })
    .nullable()
    .optional(),
});
export type PreferencesPatch = z.output<typeof preferencesPatch>;

const { theme, default_compression, search_defaults, auto_features } = usualPreferences;
/** What the directory keeps: what the person said, as JSON. What they did not say, or this version does not know, is as usual. */
const stored = z.object({
  theme: z.enum(themes).catch(theme),
  default_compression: z.boolean().catch(default_compression),
  search_defaults: z
    .object({ min_relevance: z.number().min(0).max(1).nullable().catch(search_defaults.min_relevance), max_results: z.number().int().min(1).max(100).catch(search_defaults.max_results) })
    .catch(search_defaults),
  auto_features: z
    .object({ workflow_learning: z.boolean().catch(auto_features.workflow_learning), context_compression: z.boolean().catch(auto_features.context_compression) })
    .catch(auto_features),
});

export const preferencesFrom = (json: string | null | undefined): Preferences => (json == null ? usualPreferences : stored.catch(usualPreferences).parse(JSON.parse(json)));

export interface PreferenceStore {
  preferences(person: Pick<Person, "userId">): Promise<Preferences>;
  /** Atomic; answers what holds now, and where the person is a member: their sessions there know of it before it is acknowledged. */
  changePreferences(person: Pick<Person, "userId">, patch: PreferencesPatch): Promise<{ preferences: Preferences; members: MemberRef[] }>;
}
