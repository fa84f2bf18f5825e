import * as z from "zod";
import { portableLinks, type PortableLinks } from "../graph/portable-links.ts";
import * as field from "./fields.ts";
import type { Json, Memory, MemoryState, Version } from "./memory.ts";

/**
 * The portable form of a memory: what an export holds and an import takes. A bare `{content, key}` is a valid
 * record; an exported one also carries identity, authorship and history, so that a round trip loses nothing.
 */

const nullable = <T extends z.ZodType>(schema: T) => schema.nullable().optional();

const sensitivity = z.enum(["normal", "secret"]);

/** `metadata` of the OmniMemory document: four known entries and the sensitivity are lifted out, the rest is free-form. */
const documentMetadata = z
  .object({
    tags: field.tags.optional(),
    importance: field.fraction.optional(),
    expiry: field.instant.nullable().optional(),
    scope: field.visibility.optional(),
    sensitivity: sensitivity.optional(),
  })
  .loose()
  .superRefine((value, context) => {
    const problem = field.metadataProblem(freeForm(value));
    if (problem) context.addIssue({ code: "custom", message: problem });
  });

function freeForm({ tags: _tags, importance: _importance, expiry: _expiry, scope: _scope, sensitivity: _sensitivity, ...custom }: Record<string, unknown>) {
  return custom as Record<string, Json>;
}

/** As it is said anew. An import takes the own entry `expires_at` that older exports may hold. */
export const givenMetadata = documentMetadata
  .refine((value) => !Object.hasOwn(value, "expires_at"), { message: "expires_at would be an entry of its own, and nothing would expire; say expiry instead" })
  .optional();

/** The fields that say what a memory is, in the names of the wire. Shared by store, update and import. */
export const stateInput = {
  key: nullable(field.key),
  content: field.content,
  value: field.json.optional(),
  summary: nullable(field.content),
  namespace: field.namespace.optional(),
  visibility: field.visibility.optional(),
  agent_id: nullable(field.userId),
  run_id: nullable(field.runId),
  type: field.memoryType.optional(),
  importance: field.fraction.optional(),
  confidence: field.fraction.optional(),
  tags: field.tags.optional(),
  keywords: field.tags.optional(),
  metadata: documentMetadata.optional(),
  related_files: z.array(field.key).max(100).optional(),
  sensitivity: sensitivity.optional(),
  tier: z.enum(["episodic", "semantic"]).optional(),
  occurred_at: nullable(field.instant),
  valid_from: nullable(field.instant),
  valid_to: nullable(field.instant),
  expires_at: nullable(field.instant),
};

const stateSchema = z.object(stateInput);
type StateFields = z.output<typeof stateSchema>;
export type StateInput = { [K in keyof StateFields]?: StateFields[K] | undefined };
/** What a caller may say of a memory; the rest is the server's to set. */
export type GivenState = Partial<Omit<MemoryState, "ownerId" | "archivedAt" | "supersededBy">>;

/** Renders wire names into the record's, lifting the known entries out of `metadata`. */
export function toState(input: StateInput): GivenState {
  const { tags, importance, expiry, scope, sensitivity } = input.metadata ?? {};
  const custom = freeForm(input.metadata ?? {});
  // Who names only the lifted entries says nothing about the free-form ones; who gives {} clears them.
  const lifted = [tags, importance, expiry, scope, sensitivity].some((entry) => entry !== undefined);
  const metadata = input.metadata === undefined || (lifted && Object.keys(custom).length === 0) ? undefined : custom;
  const state: { [K in keyof GivenState]?: GivenState[K] | undefined } = {
    key: input.key,
    content: input.content,
    value: input.value,
    summary: input.summary,
    namespace: input.namespace,
    visibility: input.visibility ?? scope,
    agentId: input.agent_id,
    runId: input.run_id,
    type: input.type,
    importance: input.importance ?? importance,
    confidence: input.confidence,
    tags: input.tags ?? tags,
    keywords: input.keywords,
    metadata,
    relatedFiles: input.related_files,
    sensitivity: input.sensitivity ?? sensitivity,
    tier: input.tier,
    occurredAt: input.occurred_at,
    validFrom: input.valid_from,
    validTo: input.valid_to,
    expiresAt: input.expires_at === undefined ? expiry : input.expires_at,
  };
  return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined)) as GivenState;
}

/** Of one memory; the size of a call is bounded elsewhere. */
const maxHistory = 100_000;

const versionSchema = z.strictObject({
  version: z.number().int().positive(),
  at: field.instant,
  actor_id: field.phrase("actor_id", 100),
  tool: field.phrase("tool", 200),
  action: field.phrase("action", 20),
  state: z.strictObject({ ...stateInput, archived_at: nullable(field.instant) }),
});

/** One record of an import or export. */
export const portableMemory = z.strictObject({
  ...stateInput,
  archived_at: nullable(field.instant),
  // Ids are kept in lower case, in which they sort.
  id: z.uuid().toLowerCase().optional(),
  version: z.number().int().positive().optional(),
  created_at: field.instant.optional(),
  created_by: field.phrase("created_by", 100).optional(),
  created_tool: field.phrase("created_tool", 200).optional(),
  updated_at: field.instant.optional(),
  updated_by: field.phrase("updated_by", 100).optional(),
  updated_tool: field.phrase("updated_tool", 200).optional(),
  history: z.array(versionSchema).max(maxHistory).optional(),
  /** An import may trust a text less than where it comes from, and never more. */
  quarantined: z.boolean().optional(),
  links: portableLinks.optional(),
});
export type PortableMemory = z.output<typeof portableMemory>;

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** In the names of the wire. */
export function portableState(state: MemoryState): Record<string, unknown> {
  return {
    key: state.key,
    content: state.content,
    value: state.value,
    summary: state.summary,
    namespace: state.namespace,
    visibility: state.visibility,
    agent_id: state.agentId,
    run_id: state.runId,
    type: state.type,
    importance: state.importance,
    confidence: state.confidence,
    tags: state.tags,
    keywords: state.keywords,
    metadata: state.metadata,
    related_files: state.relatedFiles,
    sensitivity: state.sensitivity,
    tier: state.tier,
    occurred_at: iso(state.occurredAt),
    valid_from: iso(state.validFrom),
    valid_to: iso(state.validTo),
    expires_at: iso(state.expiresAt),
    archived_at: iso(state.archivedAt),
  };
}

/** What an export writes for a memory. `earlier` holds the versions before the present one. */
export function toPortable(memory: Memory, earlier: Version[], links: PortableLinks = []): Record<string, unknown> {
  return {
    id: memory.id,
    version: memory.version,
    created_at: iso(memory.createdAt),
    created_by: memory.createdBy,
    created_tool: memory.createdTool,
    updated_at: iso(memory.updatedAt),
    updated_by: memory.updatedBy,
    updated_tool: memory.updatedTool,
    ...portableState(memory),
    ...(links.length === 0 ? {} : { links }),
    ...(memory.trust.quarantined ? { quarantined: true } : {}),
    ...(earlier.length === 0
      ? {}
      : {
          history: earlier.map((version) => ({
            version: version.version,
            at: iso(version.at),
            actor_id: version.actorId,
            tool: version.tool,
            action: version.action,
            state: portableState(version.state),
          })),
        }),
  };
}
