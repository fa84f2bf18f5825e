import { canonical, isInThread, type MemoryState } from "./memory.ts";
import { hash64 } from "./repetition.ts";
import { type StatementForm, statementForm } from "./statement-form.ts";

/** In telling words: fewer are a value such as "in progress", unless they are a sentence, such as "We deploy on Fridays." */
const [shortest, shortestSentence] = [3, 2];
const isStatement = (text: string, { telling }: StatementForm): boolean => telling >= shortest || (telling >= shortestSentence && /[.!?。！？]\s*$/.test(text));

/** Whether both texts state the same thing; neither is a value. Wrongly yes loses a fact, wrongly no costs a line. */
export function saysTheSame(text: string, other: string): boolean {
  const [said, told] = [statementForm(text), statementForm(other)];
  return isStatement(text, said) && said.form === told.form;
}

/** What a state must have to be compared; a stored memory has all of it. */
export type Comparable = Pick<MemoryState, "content" | "value" | "namespace" | "sensitivity" | "quarantine" | "archivedAt" | "trust" | "occurredAt" | "validFrom" | "validTo">;

/**
 * What memories have in common that state the same of the same time, as a hash; undefined for what is compared with nothing: data, secrets,
 * what is in quarantine or archived, values, and messages of a conversation, which repeat themselves for good reason. Two of the same hash are compared by `isSameStatement`.
 */
export function statementKey(state: Comparable): string | undefined {
  if (!isComparable(state)) return undefined;
  const statement = statementForm(state.content);
  return isStatement(state.content, statement) ? hash64(canonical([statement.form, timeOf(state)])) : undefined;
}

export const isSameStatement = (state: Comparable, other: Comparable): boolean =>
  isComparable(state) && isComparable(other) && canonical(timeOf(state)) === canonical(timeOf(other)) && saysTheSame(state.content, other.content);

const isComparable = (state: Comparable): boolean =>
  state.value === null && state.sensitivity === "normal" && state.quarantine === null && !state.trust.quarantined && state.archivedAt === null && !isInThread(state);

const timeOf = ({ occurredAt, validFrom, validTo }: Comparable): (number | null)[] => [occurredAt, validFrom, validTo];
