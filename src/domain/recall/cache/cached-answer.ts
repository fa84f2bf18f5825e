import * as z from "zod";
import type { Json, Memory } from "../../memories/memory.ts";
import { memoryFields, type FieldDefinition, type Kind } from "../../memories/memory-fields.ts";
import { derivedFields } from "../../memories/memory-values.ts";
import { receiptSchema } from "../presentation/receipt.ts";
import type { Recalled, RecallOutcome } from "../recall.ts";

/** To be raised when the shape of a kept answer changes: answers kept by the deployment before are then not found. */
export const cachedAnswerShape = 13;

/** An answer as it is kept outside of the object that made it. */
export interface CachedAnswer {
  /** ms since the epoch. */
  until: number;
  /** o200k tokens of its memories, about. */
  tokens: number;
  outcome: RecallOutcome;
}

const texts = z.array(z.string());
const json = z.unknown().transform((value) => value as Json);
const kinds: Record<Kind, z.ZodType> = {
  text: z.string(),
  number: z.number(),
  instant: z.number(),
  texts,
  json,
  object: z.record(z.string(), json),
  trust: z.object({ source: z.string(), quarantined: z.boolean() }),
  citations: z.array(z.strictObject({ path: z.string(), hash: z.string().exactOptional(), commit: z.string().exactOptional(), lines: z.tuple([z.number(), z.number()]).exactOptional() })),
  enrichment: z.object({ by: z.string(), confidence: z.number(), fields: z.array(z.enum(derivedFields)) }),
  // What is kept back is in no answer.
  quarantine: z.never(),
};

const memory = z.strictObject({
  ...Object.fromEntries(
    Object.entries<FieldDefinition>(memoryFields).map(([field, { kind, values, initial }]) => {
      const schema = values ? z.enum(values) : kinds[kind];
      return [field, initial === null ? schema.nullable() : schema];
    }),
  ),
  // A secret is never kept: an answer that holds one is not ours.
  sensitivity: z.literal("normal"),
}) as unknown as z.ZodType<Memory>;

const related = z.strictObject({
  kind: z.enum(["memory", "entity", "relationship"]), id: z.string(), key: z.string().exactOptional(), title: z.string(), why: z.string(), author: z.string().exactOptional(), quarantined: z.boolean().exactOptional(),
});

const outcome: z.ZodType<RecallOutcome> = z.strictObject({
  items: z.array(
    z.strictObject({
      memory, author: z.string().exactOptional(), relevance: z.number().exactOptional(), truncated: z.boolean(), tokensTotal: z.number().exactOptional(), tokensSaved: z.number().exactOptional(), related: z.array(related).exactOptional(),
      here: z.boolean().exactOptional(), laterId: z.string().exactOptional(), numbers: z.record(z.string(), z.number()).exactOptional(),
      // What the client's files say is said beside it.
      cited: z.never().exactOptional(),
    } satisfies Record<keyof Recalled, z.ZodType>),
  ),
  totalFound: z.number(),
  more: texts,
  passages: z.literal(true).exactOptional(),
  compressed: z.literal(true).exactOptional(),
  needed: z.number().exactOptional(),
  degraded: texts,
  uncertain: z.boolean().exactOptional(),
  doubtful: texts.exactOptional(),
  happened: z.object({ from: z.number(), to: z.number() }).exactOptional(),
  lessLikely: z.literal(true).exactOptional(),
  receipt: receiptSchema.exactOptional(),
  baseline: z.number().exactOptional(),
});

const cachedAnswerSchema: z.ZodType<CachedAnswer> = z.object({ until: z.number(), tokens: z.number(), outcome });

/** Parses a cached answer like any other input from outside; undefined when it is not one. */
export function parseCachedAnswer(serialized: string): CachedAnswer | undefined {
  let value: unknown;
  try {
    value = JSON.parse(serialized);
  } catch {
    return undefined;
  }
  return cachedAnswerSchema.safeParse(value).data;
}
