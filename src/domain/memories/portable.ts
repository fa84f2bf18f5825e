import * as z from "zod";
import { portableLinks, type PortableLinks } from "../graph/portable-links.ts";
import { defined, type Undefinable } from "../defined.ts";
import * as field from "./fields.ts";
import { canonical, type Memory, type Version } from "./memory.ts";
import { givenFields, givenShape, memoryFields, onWire, portableRecordShape, portableStateShape, recordFieldNames, stateFieldNames, toIso, type GivenState, type MemoryField, type MemoryState } from "./memory-fields.ts";

/**
 * The portable form of a memory: what an export holds and an import takes. A bare `{content, key}` is a valid
 * record; an exported one also carries identity, authorship and history, so that a round trip loses nothing.
 */

const meansExpiry = /^(?:expires(?:_at|_in)?|expiration|ttl(?:_seconds)?)$/;

/** As it is said anew. An import takes such own entries, as `expires_at` of older exports. */
export const givenMetadata = field.metadata
  .refine((value) => !Object.keys(value).some((name) => meansExpiry.test(name)), {
    error: ({ input }) => `${Object.keys(input as object).find((name) => meansExpiry.test(name))} would be an entry of its own, and nothing would expire; say expiry (an ISO date) instead`,
  })
  .optional();

const stateSchema = z.object(givenShape);
export type StateInput = Undefinable<Partial<z.output<typeof stateSchema>>>;

/** Renders wire names into the record's, lifting the known entries out of `metadata`, and `occurred_at` where it is an instant and nothing beside says when. */
export function toState(input: StateInput): GivenState {
  const { occurred_at: when, ...timeless } = input.metadata ?? {};
  const { tags, importance, expiry, scope, sensitivity } = timeless;
  const occurredAt = when !== undefined && input.occurred_at === undefined ? field.instant.safeParse(when).data : undefined;
  const lifted = defined({ tags, importance, expiresAt: expiry, visibility: scope, sensitivity, occurredAt });
  const custom = field.freeForm(occurredAt === undefined ? (input.metadata ?? {}) : timeless);
  // Who names only the lifted entries says nothing about the free-form ones; who gives {} clears them.
  const metadata = input.metadata === undefined || (Object.keys(lifted).length > 0 && Object.keys(custom).length === 0) ? undefined : custom;
  const said = Object.fromEntries(givenFields.map((name) => [name, input[memoryFields[name].name]]));
  return { ...lifted, ...defined({ ...said, metadata }) };
}

/** Versions of one memory; the size of a call is bounded elsewhere. */
const maxHistory = 100_000;

const versionSchema = z.strictObject({
  version: z.number().int().positive(),
  at: field.instant,
  actor_id: field.phrase("actor_id", 100),
  tool: field.phrase("tool", 200),
  action: field.phrase("action", 20),
  state: z.strictObject(portableStateShape),
});

/** One record of an import or export. */
export const portableMemory = z.strictObject({
  ...portableStateShape,
  ...portableRecordShape,
  history: z.array(versionSchema).max(maxHistory).optional(),
  /** An import may trust a text less than where it comes from, and never more. */
  quarantined: z.boolean().optional(),
  links: portableLinks.optional(),
});
export type PortableMemory = z.output<typeof portableMemory>;

/** Those of the fields that an export carries, by their names on the wire. */
const portable = (names: readonly MemoryField[], memory: Partial<Memory>): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [memoryFields[name].name, onWire(name, memory[name])]));

const isPortable = (name: MemoryField): boolean => "given" in memoryFields[name] || "portable" in memoryFields[name];
const portableRecord = recordFieldNames.filter(isPortable);
const portableStateFields = stateFieldNames.filter(isPortable);

/** In the names of the wire. */
export const portableState = (state: MemoryState): Record<string, unknown> => portable(portableStateFields, state);

/** Each field in which two states differ, as it was and as it became. */
export function changesOf(before: MemoryState, after: MemoryState): Record<string, { before: unknown; after: unknown }> {
  const [was, is] = [portableState(before), portableState(after)];
  return Object.fromEntries(Object.keys(is).flatMap((name) => (canonical(was[name]) === canonical(is[name]) ? [] : [[name, { before: was[name], after: is[name] }]])));
}

/** The same beside the content, without what follows of the rest, and without what took a memory's place: who reads the history may not see that one. */
export function changesBeside(before: MemoryState, after: MemoryState): ReturnType<typeof changesOf> {
  const { content: _said, superseded_by: _by, superseded_reason: _why, enrichment: _how, ...changed } = changesOf(before, after);
  return changed;
}

/** The exported form of a memory. `earlier` holds the versions before the present one. */
export function toPortable(memory: Memory, earlier: Version[], links: PortableLinks = []): Record<string, unknown> {
  return {
    ...portable(portableRecord, memory),
    ...portableState(memory),
    ...(links.length === 0 ? {} : { links }),
    ...(memory.trust.quarantined ? { quarantined: true } : {}),
    ...(earlier.length === 0
      ? {}
      : {
          history: earlier.map((version) => ({
            version: version.version,
            at: toIso(version.at),
            actor_id: version.actorId,
            tool: version.tool,
            action: version.action,
            state: portableState(version.state),
          })),
        }),
  };
}
