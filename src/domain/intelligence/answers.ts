import * as z from "zod";
import { linkTypes } from "../graph/graph.ts";
import { fraction } from "../memories/fields.ts";
import { memoryTypes } from "../memories/memory-values.ts";

/** What a provider may answer: the shape that a model is asked for, and by which its answer is parsed. */

const sentence = (most: number) => z.string().trim().min(1).max(most);
const word = z.string().trim().min(1).max(60);
/** A place in the list that was given. */
const place = z.number().int().nonnegative();
const reason = z.string().trim().max(500);

export const enrichment = z.strictObject({
  /** One or two sentences. */
  summary: sentence(500),
  keywords: z.array(word).max(5),
  tags: z.array(word).max(3),
  type: z.enum(memoryTypes),
  /** 0–1. */
  importance: fraction,
  confidence: fraction,
});
export type Enrichment = z.output<typeof enrichment>;

export const extraction = z.strictObject({
  /** `message`: the place of the message that states it. */
  facts: z.array(z.strictObject({ text: sentence(1_000), confidence: fraction, message: place.optional() })).max(100),
  /** ISO 639-1 code of the language that was spoken, where it is known. */
  language: z.string().regex(/^[a-z]{2}$/).optional(),
});
export type Extraction = z.output<typeof extraction>;

/** Section 5 of the memory-server document. */
export const decisions = z.strictObject({
  memory: z
    .array(
      z.strictObject({
        event: z.enum(["ADD", "UPDATE", "DELETE", "NONE"]),
        /** The memory that UPDATE, DELETE and NONE are about. */
        target: place.optional(),
        /** What is to be stored, or is said already. */
        text: sentence(1_000),
        confidence: fraction,
        reasoning: reason,
      }),
    )
    .max(100),
});
export type Decisions = z.output<typeof decisions>;

export const noteLinks = z.strictObject({
  links: z.array(z.strictObject({ target: place, type: z.enum(linkTypes), strength: fraction, reason })).max(50),
});
export type NoteLinks = z.output<typeof noteLinks>;

export const consolidation = z.discriminatedUnion("decision", [
  /** `content`: one text with all that both say. */
  z.strictObject({ decision: z.literal("merge"), into: z.enum(["first", "second"]), content: sentence(10_000), confidence: fraction, reason }),
  z.strictObject({ decision: z.literal("supersede"), kept: z.enum(["first", "second"]), confidence: fraction, reason }),
  z.strictObject({ decision: z.literal("keep_both"), confidence: fraction, reason }),
]);
export type Consolidation = z.output<typeof consolidation>;

export const summary = z.strictObject({ text: sentence(10_000) });
export type Summary = z.output<typeof summary>;
