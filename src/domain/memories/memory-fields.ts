import * as z from "zod";
import * as rule from "./fields.ts";
import { citations } from "./citations.ts";
import { type Citation, type DerivedField, type EnrichmentMark, memoryTypes, type Quarantine, sensitivities, tiers, visibilities, type Json } from "./memory-values.ts";

/**
 * The one table of a memory's fields. The types of memories, the portable form, the input schemas of tools, the sealed fields,
 * the texts of the index, the wire answers, the filters and their SQL follow from it. To add a field: a line here (a second one
 * in `memoryFilters` to filter by it), its column in `shard-schema.ts`, and `npm run migrations`.
 */

interface Kinds {
  text: string;
  number: number;
  /** ms since the epoch; ISO 8601 on the wire. */
  instant: number;
  texts: string[];
  json: Json;
  object: Record<string, Json>;
  trust: { source: string; quarantined: boolean };
  quarantine: Quarantine;
  citations: Citation[];
  enrichment: EnrichmentMark;
}
export type Kind = keyof Kinds;

export interface FieldDefinition {
  /** Outside of the code: the column in D1 and, for a field that crosses the wire, the property there. */
  name: string;
  kind: Kind;
  /** All values that a text may have. */
  values?: readonly string[];
  /** The value where nothing is said; without one the field is always given. `null` says that the field may be empty. */
  initial?: unknown;
  /** What tools and imports accept for it; without a rule the server sets it. */
  given?: z.ZodType;
  /** `omn_store_memory` and `omn_update_memory` take it under its name, beside the fields that they name themselves. */
  offered?: true;
  /** What an import accepts for a field that only exports and imports carry. */
  portable?: z.ZodType;
  /** A store under an existing key keeps it when the call does not mention it. */
  inherited?: true;
  /**
   * Encrypted at rest in a secret memory, and in no index, log or copy. Secrets stored before a field became sealed have no
   * envelope for it and are refused as damaged: such a release must reseal them first.
   */
  sealed?: true;
  /** Came after secrets were stored: a sealed memory that has no envelope for it, and its initial value, has none of it. */
  sealedLater?: true;
  /** The text of the index that holds its words: what a memory says, what it is called, who wrote it when. Labels are embedded too. */
  indexed?: "content" | "label" | "moment";
  /** Answers of recall show it, unless it has its initial value. */
  shown?: "unless initial";
}

/** What a memory has beside its versions: identity, authorship and use. */
export const recordFields = {
  id: { name: "id", kind: "text", portable: z.uuid().toLowerCase() }, // Ids are kept in lower case, in which they sort.
  teamId: { name: "team_id", kind: "text" },
  /** Integer name within the team, given at creation. */
  alias: { name: "alias", kind: "number" },
  /** Team-wide sequence number of the last change. */
  seq: { name: "seq", kind: "number" },
  /** 1 at creation, +1 with every change; the optimistic lock. */
  version: { name: "version", kind: "number", portable: z.number().int().positive() },
  createdAt: { name: "created_at", kind: "instant", portable: rule.instant },
  createdBy: { name: "created_by", kind: "text", portable: rule.phrase("created_by", 100) },
  createdTool: { name: "created_tool", kind: "text", portable: rule.phrase("created_tool", 200) },
  updatedAt: { name: "updated_at", kind: "instant", portable: rule.instant },
  updatedBy: { name: "updated_by", kind: "text", portable: rule.phrase("updated_by", 100) },
  updatedTool: { name: "updated_tool", kind: "text", portable: rule.phrase("updated_tool", 200) },
  accessCount: { name: "access_count", kind: "number" },
  accessedAt: { name: "accessed_at", kind: "instant", initial: null },
} as const satisfies Record<string, FieldDefinition>;

/** What one version of a memory says. Importance and confidence are 0–1. */
export const stateFields = {
  key: { name: "key", kind: "text", initial: null, given: rule.key, indexed: "label" },
  content: { name: "content", kind: "text", given: rule.content, sealed: true, indexed: "content" },
  value: { name: "value", kind: "json", initial: null, given: rule.json, sealed: true, shown: "unless initial" },
  summary: { name: "summary", kind: "text", initial: null, given: rule.content, inherited: true, sealed: true, indexed: "label", shown: "unless initial" },
  namespace: { name: "namespace", kind: "text", initial: "global", given: rule.namespace, shown: "unless initial" },
  visibility: { name: "visibility", kind: "text", values: visibilities, initial: "private", given: rule.visibility },
  ownerId: { name: "owner_id", kind: "text" },
  agentId: { name: "agent_id", kind: "text", initial: null, given: rule.userId, inherited: true, indexed: "moment" },
  runId: { name: "run_id", kind: "text", initial: null, given: rule.runId, inherited: true },
  type: { name: "type", kind: "text", values: memoryTypes, initial: "standard", given: rule.memoryType, inherited: true, shown: "unless initial" },
  importance: { name: "importance", kind: "number", initial: 0.5, given: rule.fraction, inherited: true },
  confidence: { name: "confidence", kind: "number", initial: 1, given: rule.fraction, inherited: true },
  tags: { name: "tags", kind: "texts", initial: [], given: rule.tags, inherited: true, indexed: "label" },
  keywords: { name: "keywords", kind: "texts", initial: [], given: rule.tags, inherited: true, sealed: true, indexed: "label" },
  metadata: { name: "metadata", kind: "object", initial: {}, given: rule.metadata, inherited: true, sealed: true },
  relatedFiles: { name: "related_files", kind: "texts", initial: [], given: z.array(rule.exactKey).max(100), inherited: true, sealed: true },
  citations: { name: "citations", kind: "citations", initial: [], given: citations, inherited: true, sealed: true, sealedLater: true },
  sensitivity: { name: "sensitivity", kind: "text", values: sensitivities, initial: "normal", given: rule.sensitivity, inherited: true },
  trust: { name: "trust", kind: "trust", initial: { source: "user", quarantined: false } },
  tier: { name: "tier", kind: "text", values: tiers, initial: "episodic", given: z.enum(tiers), inherited: true },
  /** Made of the content where that is long (`compressed-form.ts`). */
  compressed: { name: "compressed", kind: "text", initial: null, sealed: true },
  compressionRatio: { name: "compression_ratio", kind: "number", initial: null },
  occurredAt: { name: "occurred_at", kind: "instant", initial: null, given: rule.instant, indexed: "moment", shown: "unless initial" },
  /** What it says is true from then on, and until just before then; an empty end is open. */
  validFrom: { name: "valid_from", kind: "instant", initial: null, given: rule.instant, offered: true, shown: "unless initial" },
  validTo: { name: "valid_to", kind: "instant", initial: null, given: rule.instant, offered: true, shown: "unless initial" },
  expiresAt: { name: "expires_at", kind: "instant", initial: null, given: rule.instant },
  archivedAt: { name: "archived_at", kind: "instant", initial: null, portable: rule.instant, shown: "unless initial" },
  /** Set while some of what it says beside its content is derived from that (`enriched.ts`). */
  enrichment: { name: "enrichment", kind: "enrichment", initial: null, portable: rule.enrichmentMark },
  /** Id of the memory that took its place, and why it did; who cannot see that one sees this one as if it had no successor. */
  supersededBy: { name: "superseded_by", kind: "text", initial: null, portable: z.uuid().toLowerCase(), shown: "unless initial" },
  supersededReason: { name: "superseded_reason", kind: "text", initial: null, portable: rule.phrase("superseded_reason", 500) },
  /** Set while the write guard keeps it back: archived, private and sealed, so that nothing finds it. */
  quarantine: { name: "quarantine", kind: "quarantine", initial: null, portable: rule.quarantine, shown: "unless initial" },
} as const satisfies Record<string, FieldDefinition>;

export const memoryFields = { ...recordFields, ...stateFields };

type Filled<F extends FieldDefinition> = F extends { values: readonly (infer V)[] } ? V : Kinds[F["kind"]];
type Value<F extends FieldDefinition> = F extends { initial: null } ? Filled<F> | null : Filled<F>;

export type MemoryRecord = { -readonly [K in keyof typeof recordFields]: Value<(typeof recordFields)[K]> };
export type MemoryState = { -readonly [K in keyof typeof stateFields]: Value<(typeof stateFields)[K]> };
export type MemoryField = keyof typeof memoryFields;
type Fields = typeof memoryFields;
/** The fields whose definition has this entry. */
type FieldsWith<Entry> = { [K in MemoryField]: Fields[K] extends Entry ? K : never }[MemoryField];

export interface FilterDefinition {
  field: MemoryField;
  /** Counts where the field is empty. */
  otherwise?: MemoryField;
  /** With the field the bounds of an interval, this one outside of it. */
  until?: MemoryField;
  /** How the memory's value is compared with the one asked for. An empty field equals nothing and is neither before nor after anything; an empty bound is open, and `equals or none` lets it through. */
  test: "equals" | "equals or none" | "at least" | "before" | "within" | "matches one" | "holds all" | "holds none" | "holds entries";
  /** On the wire. */
  name: string;
  given: z.ZodType;
  /** Tools that know it take it beside their filters. */
  apart?: true;
  /** From what was given to the value asked for, where these differ; undefined when it asks for nothing. */
  from?(given: never, now: number): unknown;
}

const day = 86_400_000;

/** What memories can be filtered by, in the order in which tools list it. All that is asked for holds together. */
export const memoryFilters = {
  tags: { field: "tags", test: "holds all", name: "tags", given: rule.tags, from: (tags: string[]) => (tags.length > 0 ? tags : undefined) },
  withoutTags: { field: "tags", test: "holds none", name: "without_tags", given: rule.tags.meta({ listed: null }), from: (tags: string[]) => (tags.length > 0 ? tags : undefined) },
  visibility: { field: "visibility", test: "equals", name: "scope", given: rule.visibility },
  /** Exact namespaces, or prefixes ending in `*`. */
  namespaces: { field: "namespace", test: "matches one", name: "namespace", given: rule.namespaceFilter, from: (namespace: string) => [namespace] },
  minImportance: { field: "importance", test: "at least", name: "min_importance", given: rule.fraction.meta({ listed: { type: "number" } }) },
  /** ms since the epoch. */
  changedSince: {
    field: "updatedAt", test: "at least", name: "max_age_days",
    given: z.number().positive().max(36_500).meta({ listed: { type: "number" } }),
    from: (days: number, now: number) => now - days * day,
  },
  /** ms since the epoch, as are the next two. */
  occurredAfter: { field: "occurredAt", otherwise: "createdAt", test: "at least", name: "occurred_after", given: rule.instant },
  occurredBefore: { field: "occurredAt", otherwise: "createdAt", test: "before", name: "occurred_before", given: rule.instant },
  validAt: { field: "validFrom", until: "validTo", test: "within", name: "valid_at", given: rule.instant, apart: true },
  /** User id of the person who wrote the present version. */
  author: { field: "updatedBy", test: "equals", name: "author", given: rule.filled("author", 100) },
  type: { field: "type", test: "equals", name: "type", given: rule.memoryType.meta({ listed: { type: "string" } }) },
  types: { field: "type", test: "matches one", name: "types", given: z.array(rule.memoryType), apart: true },
  agentId: { field: "agentId", test: "equals", name: "agent_id", given: rule.userId.meta({ listed: null }) },
  /** What agents of a role see: what that role stored, and what none did. */
  agentView: { field: "agentId", test: "equals or none", name: "agent_role", given: rule.userId, apart: true },
  runId: { field: "runId", test: "equals", name: "run_id", given: rule.runId.meta({ listed: null }) },
  /** An entry of `metadata` that the memory-server document names. */
  category: { field: "metadata", test: "holds entries", name: "category", given: rule.category.meta({ listed: null }), from: (category: string) => ({ [rule.categoryEntry]: category }) },
  entries: { field: "metadata", test: "holds entries", name: "metadata", given: rule.entries.meta({ listed: null }), from: (entries: object) => (Object.keys(entries).length > 0 ? entries : undefined) },
} as const satisfies Record<string, FilterDefinition>;

type Filters = typeof memoryFilters;
export type FilterName = keyof Filters;
type Asked<F extends FilterDefinition> = F["test"] extends "holds entries"
  ? rule.Entries
  : F["test"] extends "equals" | "equals or none" | "at least" | "before" | "within"
    ? NonNullable<Value<Fields[F["field"]]>>
    : string[];

/** Which memories are meant. */
export type MemoryFilter = { -readonly [K in FilterName]?: Asked<Filters[K]> };
/** The same as it is said on the wire. */
export type FilterShape = { [K in FilterName as Filters[K] extends { apart: true } ? never : Filters[K]["name"]]: z.ZodOptional<Filters[K]["given"]> };

const namesOf = <T extends object>(table: T): (keyof T)[] => Object.keys(table) as (keyof T)[];
const definition = (field: MemoryField): FieldDefinition => memoryFields[field];

export const recordFieldNames = namesOf(recordFields);
export const stateFieldNames = namesOf(stateFields);

/** The encrypted fields of a secret memory. Names by which it is found and managed stay plain: key, tags, namespace, dates. */
export const sealedFields = stateFieldNames.filter((field): field is SealedField => definition(field).sealed === true);
export const isSealedLater = (field: SealedField): boolean => definition(field).sealedLater === true;
export type SealedField = FieldsWith<{ sealed: true }> & keyof MemoryState;
export type SealedFields = Pick<MemoryState, SealedField>;

/** The fields of a memory that a caller may set; the server sets the rest. */
export const givenFields = stateFieldNames.filter((field): field is GivenField => definition(field).given !== undefined);
export type GivenField = FieldsWith<{ given: z.ZodType }> & keyof MemoryState;
export type GivenState = Partial<Pick<MemoryState, GivenField>>;

export const inheritedFields = stateFieldNames.filter((field): field is FieldsWith<{ inherited: true }> & keyof MemoryState => definition(field).inherited === true);
const shownFields = stateFieldNames.filter((field) => definition(field).shown !== undefined);
export const jsonFields = stateFieldNames.filter((field) => ["texts", "json", "object", "trust", "quarantine", "citations", "enrichment"].includes(definition(field).kind));

type IndexText = NonNullable<FieldDefinition["indexed"]>;
/** Fields whose words stand in a text of the index. Of a secret those only that are not sealed. */
export const indexedFields = (text: IndexText): (keyof MemoryState)[] => stateFieldNames.filter((field) => definition(field).indexed === text);

/** The words that somebody said in one of these fields; what is derived from the content adds nothing to its words. */
export function wordsOf(memory: Partial<MemoryState>, fields: (keyof MemoryState)[], spoken: (instant: number) => string = String): string[] {
  const derived: readonly string[] = memory.enrichment?.fields ?? [];
  return fields.flatMap((field) => {
    if (derived.includes(field)) return [];
    const value = memory[field] as string | string[] | number | null | undefined;
    return typeof value === "number" ? spoken(value) : (value ?? []);
  }).filter(Boolean);
}

type Optional<F, G extends z.ZodType> = F extends { initial: null } ? z.ZodOptional<z.ZodNullable<G>> : z.ZodOptional<G>;
type Given<F> = F extends { given: infer G extends z.ZodType } ? (F extends { initial: unknown } ? Optional<F, G> : G) : never;
type Portable<F> = F extends { portable: infer G extends z.ZodType } ? Optional<F, G> : never;
type GivenShape = { [K in GivenField as Fields[K]["name"]]: Given<Fields[K]> };
type PortableShape<Names extends MemoryField> = { [K in Names & FieldsWith<{ portable: z.ZodType }> as Fields[K]["name"]]: Portable<Fields[K]> };

/** Input schemas of the fields that callers say, by their names on the wire; one without an initial value is required. */
export const givenShape = shapeOf("given", stateFieldNames) as GivenShape;
/** Of the fields that the tools which store and update offer without naming them. */
export const offeredShape = shapeOf("given", stateFieldNames.filter((field) => definition(field).offered)) as { [K in OfferedField as Fields[K]["name"]]: Given<Fields[K]> };
type OfferedField = FieldsWith<{ offered: true; given: z.ZodType }> & GivenField;
/** Of all that an export says of a state, and of what it says beside it. */
export const portableStateShape = { ...givenShape, ...(shapeOf("portable", stateFieldNames) as PortableShape<keyof MemoryState>) };
export const portableRecordShape = shapeOf("portable", recordFieldNames) as PortableShape<keyof MemoryRecord>;

function shapeOf(entry: "given" | "portable", fields: MemoryField[]): Record<string, z.ZodType> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const { name, initial, [entry]: schema } = definition(field);
      if (!schema) return [];
      return [[name, initial === null ? schema.nullable().optional() : initial === undefined && entry === "given" ? schema : schema.optional()]];
    }),
  );
}

export const filterShape = Object.fromEntries(
  Object.values<FilterDefinition>(memoryFilters).flatMap(({ name, given, apart }) => (apart ? [] : [[name, given.optional()]])),
) as unknown as FilterShape;

/** The fields that a new memory has without anything being said. */
export const initialState = Object.fromEntries(
  stateFieldNames.flatMap((field) => ("initial" in stateFields[field] ? [[field, definition(field).initial]] : [])),
) as Omit<MemoryState, "content" | "ownerId">;

/** What somebody said in a field; what is derived there counts as not said, so that what rules think of a memory moves it in no order. */
export const saidIn = <F extends DerivedField>(state: Pick<MemoryState, F | "enrichment">, field: F): MemoryState[F] =>
  state.enrichment?.fields.includes(field) ? (initialState[field] as MemoryState[F]) : state[field];

/** As it is without what is derived: what was said, and nothing else. Answers show it. */
export const asSaid = <T extends Pick<MemoryState, "enrichment">>(state: T): T =>
  state.enrichment ? { ...state, ...Object.fromEntries(state.enrichment.fields.map((field) => [field, initialState[field]])), enrichment: null } : state;

/** Of all fields that have one. */
export const initialFields: Record<string, unknown> = Object.fromEntries(
  Object.entries<FieldDefinition>(memoryFields).flatMap(([field, { initial }]) => (initial === undefined ? [] : [[field, initial]])),
);

/** JSON of a memory, or of what extends one, without the fields that have their initial value. */
export function toShortJson(memory: object): string {
  const said: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(memory)) if (!(field in initialFields) || !isSame(value, initialFields[field])) said[field] = value;
  return JSON.stringify(said);
}

/** What the JSON leaves out put back; of the JSON of a whole memory nothing changes. */
export const fromShortJson = <T extends object>(said: T): T => ({ ...initialFields, ...said });

export const toIso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** A field's value as it crosses the wire. */
export const onWire = (field: MemoryField, value: unknown): unknown => (definition(field).kind === "instant" ? toIso(value as number | null) : value);

const isSame = (value: unknown, initial: unknown): boolean => value === initial || (initial !== null && JSON.stringify(value) === JSON.stringify(initial));

/** What answers of recall show of a state beside its key and content, by the names of the wire. */
export const shownState = (state: MemoryState): Record<string, unknown> =>
  Object.fromEntries(
    shownFields.flatMap((field) => {
      const { name, initial } = definition(field);
      return isSame(state[field], initial) ? [] : [[name, onWire(field, state[field])]];
    }),
  );
