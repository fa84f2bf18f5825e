import { z } from "zod";
import { memoryTypes, visibilities, type Json } from "./memory.ts";

/**
 * Field rules shared by all families (memory-server document, section 14). Messages say what is wrong and
 * what would be right, because a model reads them and repairs its call.
 */
const limits = {
  content: 10_000,
  key: 255,
  tag: 100,
  tags: 50,
  namespace: 200,
  metadataDepth: 5,
  metadataKey: 100,
  metadataString: 1_000,
  metadataBytes: 32_768,
} as const;

const reservedMetadata = new Set(["user_id", "agent_id", "run_id", "created_at", "updated_at", "memory_type"]);

/** Text must survive UTF-8: a lone surrogate does not, and NUL ends strings in SQLite's own functions. */
const text = z.string().refine((value) => value.isWellFormed() && !value.includes("\0"), {
  message: "must be valid Unicode text without NUL or lone surrogates",
});

const codePoints = (value: string): number => {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
};

const bounded = (label: string, max: number) =>
  text.refine((value) => value.length <= max || codePoints(value) <= max, {
    message: `${label} must have at most ${max.toLocaleString("en")} characters; split it or store it as several memories`,
  });

export const content = bounded("content", limits.content).refine((value) => value.trim() !== "", {
  message: "content must contain more than white space",
});

export const key = bounded("key", limits.key)
  .refine((value) => value !== "" && value === value.trim(), { message: "key must not be empty or padded with spaces" })
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  .refine((value) => !/[\u0000-\u001f\u007f*]/.test(value), {
    message: "key must not contain control characters or '*' (which is the wildcard of look-ups)",
  });

/** A key, or a pattern in which `*` stands for any characters. */
export const keyPattern = bounded("key", limits.key).refine((value) => value.trim() !== "", {
  message: "key must not be empty",
});

export const tags = z
  .array(bounded("a tag", limits.tag).refine((tag) => tag.trim() !== "", { message: "a tag must not be empty" }))
  .max(limits.tags, `at most ${limits.tags} tags`)
  .transform((list) => [...new Set(list.map((tag) => tag.trim()))]);

const namespacePattern = /^(?:global|user:[^/\s]+|project:\S.*|thread:\S.*|session:[^\n]+)$/;

export const namespace = bounded("namespace", limits.namespace).regex(namespacePattern, {
  message: "namespace must be global, project:<name>, session:<project>/<id>, thread:<name> or user:<name>",
});

/** A namespace, or a prefix of namespaces ending in `*` such as `session:shop/*`. */
export const namespaceFilter = bounded("namespace", limits.namespace).refine(
  (value) => value.indexOf("*") === -1 || value.indexOf("*") === value.length - 1,
  { message: "a namespace filter may hold one '*', at its end" },
);

export const visibility = z.enum(visibilities);
export const memoryType = z.enum(memoryTypes);
export const fraction = z.number().min(0).max(1);

export const userId = z.string().regex(/^[A-Za-z0-9_]{1,100}$/, "must be 1–100 letters, digits or underscores");
export const runId = z.string().regex(/^[A-Za-z0-9_-]{1,100}$/, "must be 1–100 letters, digits, underscores or hyphens");

/** A UUID in standard form, or the integer alias. */
export const memoryRef = z.union([z.uuid(), z.number().int().positive()]).meta({ listed: { type: "string" } });

/** ISO 8601 date or date-time; without an offset it is UTC. Becomes ms since the epoch. */
export const instant = z
  .union([z.iso.datetime({ offset: true, local: true }), z.iso.date()], {
    error: "must be an ISO 8601 date or date-time such as 2026-01-31T12:00:00Z",
  })
  .transform((value) => Date.parse(/^\d{4}-\d\d-\d\dT[\d:.]+$/.test(value) ? `${value}Z` : value))
  .refine((value) => Number.isFinite(value), { message: "is not a date that exists" });

export const idempotencyKey = bounded("idempotency_key", 200).refine((value) => value.trim() !== "", {
  message: "idempotency_key must not be empty",
});

export const json: z.ZodType<Json> = z.json() as z.ZodType<Json>;

function metadataProblem(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") {
    if (!value.isWellFormed() || value.includes("\0")) return "holds text that is not valid Unicode";
    return value.length > limits.metadataString ? `holds a text of more than ${limits.metadataString} characters` : undefined;
  }
  if (value === null || typeof value !== "object") return undefined;
  if (depth > limits.metadataDepth) return `is nested deeper than ${limits.metadataDepth} levels`;
  for (const [name, item] of Object.entries(value)) {
    if (name.length > limits.metadataKey) return `has a key of more than ${limits.metadataKey} characters`;
    if (!name.isWellFormed() || name.includes("\0")) return "has a key that is not valid Unicode";
    const problem = metadataProblem(item, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

/** Free-form metadata: at most 5 levels, keys of 100 and texts of 1,000 characters, none of the reserved keys. */
export const metadata = z.record(z.string(), json).superRefine((value, context) => {
  const reserved = Object.keys(value).find((name) => reservedMetadata.has(name));
  if (reserved) {
    context.addIssue({ code: "custom", message: `the key ${reserved} is reserved; leave it out, it is set by the server` });
  }
  const problem = metadataProblem(value, 1);
  if (problem) context.addIssue({ code: "custom", message: `metadata ${problem}` });
  if (JSON.stringify(value).length > limits.metadataBytes) {
    context.addIssue({ code: "custom", message: `metadata must be smaller than ${limits.metadataBytes} bytes as JSON` });
  }
});
