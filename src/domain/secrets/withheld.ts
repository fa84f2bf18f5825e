import type { DomainError } from "../errors.ts";
import type { Memory, MemoryState } from "../memories/memory.ts";
import { initialState, sealedFields, type SealedFields } from "../memories/memory-fields.ts";

const shownInstead = "[secret: recall it by its id or its exact key]";
const unopened = "[secret that cannot be opened; recall it by its id to see why]";

const blank = (content: string): SealedFields => ({ ...emptyFields, content });
/** What a memory has of its sealed fields when nothing is said in them. */
const emptyFields = Object.fromEntries(sealedFields.flatMap((field) => (field === "content" ? [] : [[field, initialState[field]]]))) as Omit<SealedFields, "content">;

/** Without what is sealed of it: for whoever did not ask for just this one. */
export const concealed = <T extends MemoryState>(state: T): T & { withheld: "concealed" } => ({ ...state, ...blank(shownInstead), withheld: "concealed" });

export const unreadable = <T extends MemoryState>(state: T, reason: DomainError): T & { withheld: DomainError } => ({ ...state, ...blank(unopened), withheld: reason });

/** Whether it shows what is encrypted at rest. */
export const isOpenSecret = ({ sensitivity, withheld }: Pick<Memory, "sensitivity" | "withheld">): boolean => sensitivity === "secret" && withheld === undefined;

/** The memories, all of them whole. @throws DomainError when one of them could not be opened */
export function legible<T extends Pick<Memory, "withheld">>(memories: T[]): T[] {
  for (const { withheld } of memories) if (withheld !== undefined && withheld !== "concealed") throw withheld;
  return memories;
}
