import type { DomainError } from "../errors.ts";
import type { Memory, MemoryState } from "../memories/memory.ts";
import { initialState, sealedFields, type SealedFields } from "../memories/memory-fields.ts";

const placeholder = "[secret: recall it by its id or its exact key]";
const unreadablePlaceholder = "[secret that cannot be opened; recall it by its id to see why]";

const blank = (content: string): SealedFields => ({ ...emptyFields, content });
/** What a memory has of its sealed fields when nothing is said in them. */
const emptyFields = Object.fromEntries(sealedFields.flatMap((field) => (field === "content" ? [] : [[field, initialState[field]]]))) as Omit<SealedFields, "content">;

/** Without what is sealed of it: for whoever did not ask for just this one. */
export const redacted = <T extends MemoryState>(state: T): T & { redaction: "redacted" } => ({ ...state, ...blank(placeholder), redaction: "redacted" });

/** What may be shown of a memory that was found by other means than its id or exact key. */
export const asFound = (memory: Memory): Memory => (memory.sensitivity === "secret" ? redacted(memory) : memory);

export const unreadable = <T extends MemoryState>(state: T, reason: DomainError): T & { redaction: DomainError } => ({ ...state, ...blank(unreadablePlaceholder), redaction: reason });

/** Whether it shows what is encrypted at rest. */
export const isOpenSecret = ({ sensitivity, redaction }: Pick<Memory, "sensitivity" | "redaction">): boolean => sensitivity === "secret" && redaction === undefined;

/** The memories, all of them whole. @throws DomainError when one of them could not be opened */
export function assertReadable<T extends Pick<Memory, "redaction">>(memories: T[]): T[] {
  for (const { redaction } of memories) if (redaction !== undefined && redaction !== "redacted") throw redaction;
  return memories;
}
