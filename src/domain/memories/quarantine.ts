import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { isPlain, screen } from "../guard/screen.ts";
import type { MemoryWrite } from "./memory-store.ts";
import { canonical, type Memory, type MemoryState, stateOf } from "./memory.ts";
import { sealedFields } from "./memory-fields.ts";
import { compressedForm } from "./compressed-form.ts";
import { firstVersion } from "./versions.ts";

/**
 * The write guard keeps back what holds a secret or reads like instructions for a model (users U8). What it keeps back is a
 * memory of its own, archived, private and sealed: no search, list, briefing, resource or index has it until its owner releases it.
 */
export interface Verdict {
  /** Kinds of what was found. */
  reasons: string[];
  /** What is stored all the same, without its secrets; undefined when nothing is. */
  masked: MemoryState | undefined;
}

/** Most that is kept back of one person at once. */
export const mostQuarantined = 200;

/** What the team's policy says of a state that is about to be stored over `before`; undefined when nothing speaks against it. What a secret memory says is news where it is said openly. */
export async function verdictOn(ctx: Context, state: MemoryState, before?: Memory): Promise<Verdict | undefined> {
  const found = screen(state, before?.sensitivity === state.sensitivity ? before : undefined);
  if (!found) return undefined;
  const policy = await ctx.guard.policy(ctx.principal);
  const secrets = policy.secrets === "store" ? [] : found.secrets;
  const instructions = policy.instructions === "store" ? [] : found.instructions;
  const reasons = [...secrets, ...instructions];
  if (reasons.length === 0) return undefined;
  return { reasons, masked: instructions.length === 0 && policy.secrets === "mask" ? found.masked && compressedAnew(found.masked) : undefined };
}

/** Those of the texts that the team's policy does not let be stored as they are, such as reasons of links, which cannot be quarantined with a memory. */
export async function refusedTexts(ctx: Context, texts: readonly string[]): Promise<string[]> {
  const suspect = texts.filter((text) => !isPlain(text));
  if (suspect.length === 0) return [];
  const { secrets, instructions } = await ctx.guard.policy(ctx.principal);
  return secrets === "store" && instructions === "store" ? [] : suspect;
}

/** What is called a secret in the whole text may not be in the short one. */
const compressedAnew = (masked: MemoryState): MemoryState => (masked.compressed === null ? masked : { ...masked, ...compressedForm(masked.content) });

/** The fields that masking changed. */
export const maskedFields = (said: MemoryState, masked: MemoryState): string[] => sealedFields.filter((field) => canonical(said[field]) !== canonical(masked[field]));

export interface KeptBack {
  state: MemoryState;
  reasons: string[];
  /** The memory that it would change, and the fields that were said. */
  target?: string | undefined;
  fields?: string[] | undefined;
  /** A record of an import, with its dates and history, and the id that it had. */
  arrived?: Pick<MemoryWrite, "memory" | "history" | "formerId"> | undefined;
}

/** What is kept back, and the write that does it; none where the same is kept back already. */
export interface Held {
  memory: Memory;
  writes: MemoryWrite[];
}

/** In the order of `kept`. Nothing is written here. @throws QUOTA_EXCEEDED */
export async function keptBack(ctx: Context, kept: readonly KeptBack[]): Promise<Held[]> {
  if (kept.length === 0) return [];
  const there = await waiting(ctx);
  const before = new Map(there.map((memory) => [nameOf(memory), memory]));
  const held = kept.map((one): Held => {
    const memory = quarantined(ctx, one);
    const same = before.get(nameOf(memory));
    return same ? { memory: same, writes: [] } : { memory, writes: [{ ...one.arrived, memory, action: "quarantine" }] };
  });
  if (there.length + held.flatMap(({ writes }) => writes).length > mostQuarantined) throw new QuarantineFull();
  return held;
}

function quarantined(ctx: Context, { state, reasons, target, fields, arrived }: KeptBack): Memory {
  const quarantine = { reasons, visibility: state.visibility, sensitivity: state.sensitivity, ...(target === undefined ? {} : { target }), ...(fields ? { fields } : {}) };
  const kept: MemoryState = {
    ...stateOf(state), ownerId: ctx.principal.userId, quarantine,
    visibility: "private", sensitivity: "secret", archivedAt: ctx.now, trust: { ...state.trust, quarantined: true },
  };
  return arrived ? { ...arrived.memory, ...kept } : firstVersion(ctx, kept);
}

/** Two of the same name say the same, for the same purpose. */
const nameOf = ({ key, namespace, content, value, quarantine }: Memory): string => canonical([key, namespace, content, value, quarantine?.visibility]);

/** What is kept back of the caller, newest first. */
export const waiting = async (ctx: Context): Promise<Memory[]> =>
  (await ctx.memories.list(ctx.principal, ctx.now, {}, { below: undefined, limit: mostQuarantined, archived: "quarantined", secrets: "open" })).items;

/** Concerns what would be kept back alone: of the team's storage nothing is said. */
export class QuarantineFull extends DomainError {
  constructor() {
    super("QUOTA_EXCEEDED", `No more than ${mostQuarantined} memories of one person are in quarantine at once. Nothing was written.`, { hint: "Release or discard what waits there, then do the same again." });
  }
}
