import type { Context } from "../context.ts";
import { type Framed, label, named, say } from "../frame.ts";
import { curatorActor } from "../tenancy/principal.ts";
import { type Memory, trustOf } from "./memory.ts";

/** Who wrote the present version of a memory, in words for the reader; undefined when that was the reader. */
export type AuthorOf = (memory: Pick<Memory, "updatedBy">) => string | undefined;

const formerMember = "former member";
/** The directory did not answer; whose text it is stays open, and the text is shown all the same. */
const notKnown = "unknown";
/** In characters: people choose their names. */
const longestName = 60;

/** Costs nothing where all is the reader's own, otherwise at most one round trip for the names that are not known yet. */
export async function authorsOf(ctx: Pick<Context, "principal" | "now" | "people" | "report">, memories: readonly Pick<Memory, "updatedBy">[]): Promise<AuthorOf> {
  const { principal } = ctx;
  const others = [...new Set(memories.map(({ updatedBy }) => updatedBy))].filter((id) => id !== principal.userId);
  const names =
    others.length === 0 ? undefined : await ctx.people.namesOf(principal, ctx.now, others).catch((error: unknown) => void ctx.report("authors", error));
  return ({ updatedBy }) => {
    if (updatedBy === principal.userId) return undefined;
    if (updatedBy === curatorActor) return curatorActor;
    if (!names) return notKnown;
    const name = names.get(updatedBy);
    return name === undefined ? formerMember : label(name, longestName) || notKnown;
  };
}

/** The memory with its author, where there is one to name. */
export function attributed(memory: Memory, authorOf: AuthorOf): { memory: Memory; author?: string } {
  const author = authorOf(memory);
  return author === undefined ? { memory } : { memory, author };
}

/** Who wrote it, and on whose word, for the brackets of a line. */
export const originOf = (memory: Memory, author: string | undefined): (Framed | string | undefined)[] => [author === undefined ? undefined : say`by ${named(author)}`, trustOf(memory)];
