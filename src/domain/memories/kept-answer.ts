import * as z from "zod";
import type { Json, Memory } from "./memory.ts";
import { memoryTypes, visibilities } from "./memory.ts";
import { receiptSchema } from "../search/receipt.ts";
import type { RecallOutcome } from "./recall.ts";

/** To be raised when the shape of a kept answer changes: answers kept by the deployment before are then not found. */
export const keptShape = 6;

/** An answer as it is kept outside of the object that made it. */
export interface KeptAnswer {
  /** ms since the epoch. */
  until: number;
  /** o200k tokens of its memories, about. */
  tokens: number;
  outcome: RecallOutcome;
}

const text = z.string().nullable();
const number = z.number().nullable();
const texts = z.array(z.string());
const json = z.unknown().transform((value) => value as Json);

const memory: z.ZodType<Memory> = z.strictObject({
  id: z.string(), teamId: z.string(), alias: z.number(), seq: z.number(), version: z.number(),
  createdAt: z.number(), createdBy: z.string(), createdTool: z.string(),
  updatedAt: z.number(), updatedBy: z.string(), updatedTool: z.string(),
  accessCount: z.number(), accessedAt: number,
  key: text, content: z.string(), value: json, summary: text, namespace: z.string(),
  visibility: z.enum(visibilities), ownerId: z.string(), agentId: text, runId: text, type: z.enum(memoryTypes),
  importance: z.number(), confidence: z.number(), tags: texts, keywords: texts, metadata: z.record(z.string(), json), relatedFiles: texts,
  // A secret is never kept: an answer that holds one is not ours.
  sensitivity: z.literal("normal"),
  trust: z.object({ source: z.string(), quarantined: z.boolean() }),
  tier: z.enum(["episodic", "semantic"]), compressed: text, compressionRatio: number,
  occurredAt: number, validFrom: number, validTo: number, expiresAt: number, archivedAt: number, supersededBy: text,
});

const related = z.strictObject({
  kind: z.enum(["memory", "entity", "relationship"]), id: z.string(), key: z.string().exactOptional(), title: z.string(), why: z.string(), quarantined: z.boolean().exactOptional(),
});

const outcome: z.ZodType<RecallOutcome> = z.strictObject({
  items: z.array(
    z.strictObject({
      memory, relevance: z.number().exactOptional(), truncated: z.boolean(), tokensTotal: z.number().exactOptional(), related: z.array(related).exactOptional(),
    }),
  ),
  totalFound: z.number(),
  more: texts,
  needed: z.number().exactOptional(),
  degraded: texts,
  receipt: receiptSchema.exactOptional(),
});

const keptAnswer: z.ZodType<KeptAnswer> = z.object({ until: z.number(), tokens: z.number(), outcome });

/** What comes back from outside is checked like anything else from outside; undefined when it is not what was put there. */
export function parseKept(serialized: string): KeptAnswer | undefined {
  let value: unknown;
  try {
    value = JSON.parse(serialized);
  } catch {
    return undefined;
  }
  return keptAnswer.safeParse(value).data;
}
