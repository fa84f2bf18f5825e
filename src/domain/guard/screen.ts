import { sealedFields } from "../memories/memory-fields.ts";
import type { Json, MemoryState } from "../memories/memory.ts";
import { findInstructions } from "./find-instructions.ts";
import { findSecrets } from "./find-secrets.ts";
import type { Finding } from "./finding.ts";
import { isMasked, maskMark, masks } from "./mask.ts";

/** The words of a mask are no cue for what stands beside it: a text that was masked once says no more secrets than before. */
const secretsIn = (text: string): Finding[] => findSecrets(isMasked(text) ? text.replaceAll(masks, (mark) => "x".repeat(mark.length)) : text);

/** Whether the guard finds nothing in a text that stands beside a memory, and so cannot be quarantined with it. */
export const isPlain = (text: string): boolean => text === "" || (secretsIn(text).length === 0 && findInstructions(text).length === 0);

/** What the guard finds in a state of a memory. */
export interface Screening {
  /** Kinds, each once. */
  secrets: string[];
  instructions: string[];
  /** The state without its secrets; undefined where a name or label holds one, which nothing else could stand for. */
  masked: MemoryState | undefined;
}

type Texts = Partial<Pick<MemoryState, "key" | "namespace" | "tags" | (typeof sealedFields)[number]>>;
/** In characters: shorter ones may be a part of another word. */
const shortest = 6;
/** What names a memory is never sealed and never masked. */
const names = ["key", "namespace", "tags"] as const;

/**
 * Looks at all that a state says in words. What `before` said already is no news: it was let in, or released. Secrets belong
 * in the sealed fields of a secret memory.
 */
export function screen(state: MemoryState, before?: Texts): Screening | undefined {
  const known = before ? textsIn([...names, ...sealedFields].map((field) => before[field] as Json)).join("\n") : "";
  const isNew = (text: string) => ({ start, end }: Finding): boolean => known === "" || !known.includes(text.slice(start, end));
  const found = (find: (text: string) => Finding[], texts: string[]): string[] => texts.flatMap((text) => find(text).filter(isNew(text)).map(({ kind }) => kind));
  const named = textsIn(names.map((field) => state[field]));
  const said = textsIn(sealedFields.map((field) => state[field] as Json));
  const inNames = found(secretsIn, named);
  const inFields = state.sensitivity === "secret" ? [] : found(secretsIn, said);
  const secrets = unique([...inNames, ...inFields]);
  const instructions = unique(found(findInstructions, [...named, ...said]));
  if (secrets.length === 0 && instructions.length === 0) return undefined;
  const spelt = new Map(said.flatMap((text) => secretsIn(text).filter(isNew(text)).map(({ kind, start, end }) => [text.slice(start, end), kind] as const)));
  const mask = (text: string): string => withoutSpelt(masked(text, secretsIn(text).filter(isNew(text))), spelt);
  const open = Object.fromEntries(sealedFields.map((field) => [field, mapTexts(state[field] as Json, mask)]));
  return { secrets, instructions, masked: inNames.length > 0 ? undefined : { ...state, ...open } };
}

/** The text with a note in the place of each finding. */
function masked(text: string, findings: readonly Finding[]): string {
  let [masked, at] = ["", 0];
  for (const { kind, start, end } of findings) {
    masked += `${text.slice(at, start)}${maskMark} ${kind}]`;
    at = end;
  }
  return masked + text.slice(at);
}

/** What is called a secret in one place is one in others, where nothing calls it so. */
function withoutSpelt(text: string, secrets: ReadonlyMap<string, string>): string {
  let left = text;
  for (const [secret, kind] of secrets) if (secret.length >= shortest) left = left.replaceAll(secret, () => `${maskMark} ${kind}]`);
  return left;
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (value !== null && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([name, item]) => [change(name), typeof item === "string" ? entry(name, item, change) : mapTexts(item, change)]));
  return value;
}

/** A name such as `password` says what its value is. */
function entry(name: string, item: string, change: (text: string) => string): string {
  const said = `${name}: `;
  const changed = change(said + item);
  return changed.startsWith(said) ? changed.slice(said.length) : change(item);
}

function textsIn(value: Json | undefined): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (value !== null && typeof value === "object") return Object.entries(value).flatMap(([name, item]) => [name, ...textsIn(item), ...(typeof item === "string" ? [`${name}: ${item}`] : [])]);
  return [];
}

const unique = (kinds: string[]): string[] => [...new Set(kinds)];
