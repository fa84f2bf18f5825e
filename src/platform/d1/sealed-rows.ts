import { DomainError } from "../../domain/errors.ts";
import { sealedFields, type SealedFields } from "../../domain/memories/memory-fields.ts";
import { visibilityKeyOf, type Memory, type MemoryState, newState, type Version, type Redaction } from "../../domain/memories/memory.ts";
import type { SealedName, SecretBox } from "../../domain/secrets/secret-box.ts";
import { redacted, unreadable } from "../../domain/secrets/redaction.ts";
import type { proposals } from "./review-schema.ts";
import type { memories, versions } from "./shard-schema.ts";

/** A memory as it is stored: what is sealed of it are envelopes where `dataKey` says so. */
export type StoredMemory = Omit<typeof memories.$inferSelect, "visibilityKey">;
export type StoredVersion = Omit<typeof versions.$inferSelect, "requestId" | "prevVersion">;
/** The fields of a proposal that describe the state it proposes. */
export type StoredState = Pick<typeof proposals.$inferSelect, "teamId" | "id" | "memoryId" | "version" | "proposed" | "dataKey">;

const sealedPart = (state: SealedFields): SealedFields => Object.fromEntries(sealedFields.map((field) => [field, state[field]])) as unknown as SealedFields;

/** The memory as it can be shown without a key. */
export const toMemory = ({ dataKey, visibilityKey: _visibilityKey, ...memory }: StoredMemory & { visibilityKey?: string }): Memory =>
  dataKey === null && memory.sensitivity !== "secret" ? (memory as Memory) : redacted(memory as Memory);

/** The same of a version. */
export const toVersion = ({ version, at, actorId, tool, action, state, dataKey }: StoredVersion): Version => {
  // A state from before a field was added lacks it.
  const known = newState(state as unknown as MemoryState);
  if (dataKey === null) return { version, at, actorId, tool, action, state: known };
  const { redaction, ...shown } = redacted(known);
  return { version, at, actorId, tool, action, state: shown, redaction };
};

/** Whether a version is sealed: as long as its memory is secret, and for good if it was secret itself. */
export const isSealed = (memory: Pick<MemoryState, "sensitivity">, state: Pick<MemoryState, "sensitivity">): boolean =>
  memory.sensitivity === "secret" || state.sensitivity === "secret";

/** The memory, unless what is sealed of it is not here. */
export function requireWhole(memory: Memory): Memory {
  const { redaction } = memory;
  if (redaction === "redacted") throw new Error("A memory is written without what is sealed of it");
  if (redaction) throw redaction;
  return memory;
}

/** Seals and opens what a shard stores. */
export class SealedRows {
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  /** The row of a memory. @throws DomainError when it is secret and there is no key; when it lacks what is sealed of it */
  async rowOf(memory: Memory): Promise<Record<string, unknown>> {
    const { redaction: _, ...whole } = requireWhole(memory);
    const row: Record<string, unknown> = { ...whole, visibilityKey: visibilityKeyOf(memory.visibility, memory.ownerId), dataKey: null };
    if (memory.sensitivity !== "secret") return row;
    const { dataKey, envelopes } = await this.#box.seal({ teamId: memory.teamId, memoryId: memory.id, version: memory.version }, sealedPart(memory));
    return { ...row, ...envelopes, dataKey };
  }

  /** State and key of a version of `memory`, as they are to be stored. */
  async versionOf(memory: Pick<Memory, "id" | "teamId" | "sensitivity">, { version, state }: Pick<Version, "version" | "state">): Promise<{ state: Record<string, unknown>; dataKey: number | null }> {
    return this.#stateOf({ teamId: memory.teamId, memoryId: memory.id, version }, state, isSealed(memory, state));
  }

  /** The same of the state that a proposal gives to `memory`. @throws DomainError as `rowOf` */
  async proposedOf(memory: Memory, proposal: string, state: MemoryState): Promise<{ state: Record<string, unknown>; dataKey: number | null }> {
    const { teamId, id, version } = requireWhole(memory);
    return this.#stateOf({ teamId, memoryId: id, version, proposal }, state, isSealed(memory, state));
  }

  async #stateOf(name: SealedName, state: MemoryState, sealed: boolean): Promise<{ state: Record<string, unknown>; dataKey: number | null }> {
    if (!sealed) return { state: { ...state }, dataKey: null };
    const { dataKey, envelopes } = await this.#box.seal(name, sealedPart(state));
    return { state: { ...state, ...envelopes }, dataKey };
  }

  async proposed({ teamId, id, memoryId, version, proposed, dataKey }: StoredState): Promise<{ proposed: MemoryState | null; redaction?: Redaction }> {
    const state = proposed && newState(proposed as unknown as MemoryState);
    if (!state || dataKey === null) return { proposed: state };
    const opened = await this.#open({ teamId, memoryId, version, proposal: id }, state);
    if (!(opened instanceof DomainError)) return { proposed: { ...state, ...opened } };
    const { redaction, ...shown } = unreadable(state, opened);
    return { proposed: shown, redaction };
  }

  /** With the current key, what is sealed already. @throws DomainError when it cannot be opened */
  async resealed(row: StoredState): Promise<{ state: Record<string, unknown>; dataKey: number | null }> {
    const { proposed, redaction } = await this.proposed(row);
    if (redaction instanceof DomainError) throw redaction;
    const { teamId, id, memoryId, version } = row;
    return this.#stateOf({ teamId, memoryId, version, proposal: id }, proposed as MemoryState, true);
  }

  /** Whole; what cannot be opened is answered without what is sealed of it, and says why. */
  async memories(rows: StoredMemory[]): Promise<Memory[]> {
    const first = rows.find(({ sensitivity, dataKey }) => dataKey !== null || sensitivity === "secret");
    if (!first) return rows.map(toMemory);
    // Brings the key: asked for by all at once it would be looked up for each.
    await this.#memory(first);
    return Promise.all(rows.map((row) => this.#memory(row)));
  }

  async #memory(row: StoredMemory): Promise<Memory> {
    const { redaction: _, ...memory } = toMemory(row);
    const { teamId, id, version, dataKey } = row;
    // From before secrets were sealed; the cron seals them.
    if (dataKey === null) return { ...memory, ...sealedPart(row as unknown as SealedFields) };
    const opened = await this.#open({ teamId, memoryId: id, version }, row);
    return opened instanceof DomainError ? unreadable(memory, opened) : { ...memory, ...opened };
  }

  async version(row: StoredVersion): Promise<Version> {
    const { redaction: _, ...version } = toVersion(row);
    if (row.dataKey === null) return version;
    const opened = await this.#open({ teamId: row.teamId, memoryId: row.memoryId, version: row.version }, row.state as unknown as SealedFields);
    if (!(opened instanceof DomainError)) return { ...version, state: { ...version.state, ...opened } };
    const { redaction, ...state } = unreadable(version.state, opened);
    return { ...version, state, redaction };
  }

  /**
   * Versions whose memory became secret, or is none any more, as `[{memoryId, version, was, dataKey, state}]`, those only
   * that change by it. What cannot be opened stays as it is.
   */
  async sensitivityChanged(rows: StoredVersion[], byId: ReadonlyMap<string, Memory>): Promise<Record<string, unknown>[]> {
    const changed = rows.map(async (row) => {
      const memory = byId.get(row.memoryId);
      if (!memory || isSealed(memory, row.state as unknown as MemoryState) === (row.dataKey !== null)) return [];
      const version = await this.version(row);
      if (version.redaction) return [];
      const { state, dataKey } = await this.versionOf(memory, version);
      return [{ memoryId: row.memoryId, version: row.version, was: row.dataKey, dataKey, state: JSON.stringify(state) }];
    });
    return (await Promise.all(changed)).flat();
  }

  async #open(name: SealedName, row: Record<keyof SealedFields, unknown>): Promise<SealedFields | DomainError> {
    try {
      return await this.#box.open(name, row);
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
  }
}
