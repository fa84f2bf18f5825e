import * as z from "zod";
import { invalid } from "../errors.ts";
import { projectIdentity } from "../project.ts";
import { derivedFields, memoryTypes, sensitivities, visibilities, type Json } from "./memory-values.ts";

/**
 * Field rules shared by all families (memory-server document, section 14). Messages say what is wrong and
 * what would be right, because a model reads them and repairs its call.
 */
export const limits = {
  content: 10_000,
  key: 255,
  tag: 100,
  tags: 50,
  namespace: 200,
  jsonDepth: 32,
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

/** 10000 as 10,000. `toLocaleString` loads the tables of all languages, which costs the Worker's start-up 15 ms. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");

const bounded = (label: string, max: number, hint = "", given = text) =>
  given.refine((value) => value.length <= max || codePoints(value) <= max, {
    message: `${label} must have at most ${grouped(max)} characters${hint}`,
  });

/** Text that is no memory: a query, a name, a cursor. */
export const phrase = (label: string, max: number) => bounded(label, max);
export const filled = (label: string, max: number) =>
  phrase(label, max).refine((value) => value.trim() !== "", { message: `${label} must not be empty` });

export const content = bounded("content", limits.content, "; split it or store it as several memories").refine((value) => value.trim() !== "", {
  message: "content must contain more than white space",
});

const keyIn = (given: typeof text) =>
  bounded("key", limits.key, "", given)
    .refine((value) => value !== "" && value === value.trim(), { message: "key must not be empty or padded with spaces" })
    // oxlint-disable-next-line no-control-regex -- control characters are what is refused
    .refine((value) => !/[\u0000-\u001f\u007f*]/.test(value), {
      message: "key must not contain control characters or '*' (which is the wildcard of look-ups)",
    });

/** Two that look the same are one: "é" is one character or two, as the keyboard or the file system of the caller has it. */
const composed = text.normalize("NFC");
export const key = keyIn(composed);
/** To the byte, as names of files are. */
export const exactKey = keyIn(text);
/** How a key may stand among those that were stored before keys were composed; the same where that makes no difference. */
export const decomposed = (name: string): string => name.normalize("NFD");

/** A key, or a pattern in which `*` stands for any characters. */
export const keyPattern = bounded("key", limits.key, "", composed).refine((value) => value.trim() !== "", {
  message: "key must not be empty",
});

export const tags = z
  .array(bounded("a tag", limits.tag).refine((tag) => tag.trim() !== "", { message: "a tag must not be empty" }))
  .max(limits.tags, `at most ${limits.tags} tags`)
  .transform((list) => [...new Set(list.map((tag) => tag.trim()))]);

// oxlint-disable-next-line no-control-regex -- control characters are what is refused
const namespacePattern = /^(?:global|user:[^/\s*]+|(?:project|thread|session):[^\s*][^\u0000-\u001f\u007f*]*)$/;

const namespaceForms = "global, project:<name>, session:<project>/<id>, thread:<name> or user:<name>";

export const namespace = bounded("namespace", limits.namespace).regex(namespacePattern, {
  message: `namespace must be ${namespaceForms}, without '*' and control characters`,
});

/** A namespace, or a prefix of namespaces ending in `*` such as `session:shop/*`. */
export const namespaceFilter = filled("namespace", limits.namespace)
  .refine((value) => value.indexOf("*") === -1 || value.indexOf("*") === value.length - 1, {
    message: "a namespace filter may hold one '*', at its end",
  })
  .refine((value) => value.includes("*") || namespacePattern.test(value), {
    message: `a namespace filter must be ${namespaceForms}, or a prefix of these ending in '*' such as project:*`,
  });

/** Becomes a part of a namespace. */
export const namespacePart = (label: string, max: number) =>
  filled(label, max)
    // oxlint-disable-next-line no-control-regex -- control characters are what is refused
    .refine((value) => !/[\u0000-\u001f\u007f*]/.test(value), { message: `${label} must not contain control characters or '*'` })
    .transform((value) => value.trim());

/** A project by any text that names it (`project.ts`), as its identity. */
export const projectGiven = (label: string) => filled(label, 2_000).transform(projectIdentity).pipe(namespacePart(label, 150));
export const project = projectGiven("project");

export const visibility = z.enum(visibilities);
export const memoryType = z.enum(memoryTypes);
export const sensitivity = z.enum(sensitivities);
export const fraction = z.number().min(0).max(1);

export const quarantine = z.strictObject({
  reasons: z.array(bounded("a reason", 60)).max(50),
  visibility,
  sensitivity,
  target: z.uuid().optional(),
  fields: z.array(bounded("a field", 40)).max(50).optional(),
});

/** No words: it is shown beside what is screened. */
const providerName = z.string().regex(/^[\w.:/@-]{1,100}$/, "must be a name such as rules or anthropic:claude-haiku-4-5");

export const enrichmentMark = z.strictObject({
  by: providerName,
  confidence: fraction,
  fields: z.array(z.enum(derivedFields)).max(derivedFields.length),
  base: fraction.optional(),
  tried: providerName.optional(),
});

export const userId = z.string().regex(/^[A-Za-z0-9_]{1,100}$/, "must be 1–100 letters, digits or underscores");
export const runId = z.string().regex(/^[A-Za-z0-9_-]{1,100}$/, "must be 1–100 letters, digits, underscores or hyphens");

const noMemoryRef = { error: "must be a UUID or a positive integer; a key is none" };
/** A UUID, or the number that the team has for it, which models write as text, too. Ids are kept in lower case. */
export const memoryRef = z
  // Of a union with one branch that takes texts, Zod says what that one says.
  .union([z.uuid(noMemoryRef).toLowerCase(), z.number().int().positive(), z.string().regex(/^[1-9]\d{0,14}$/).transform(Number)], noMemoryRef)
  .meta({ listed: { type: "string" } });

/** What ISO 8601 writes with four digits of a year. An offset leads beyond them, and what is written then is read by nobody, this server included. */
const [earliest, latest] = [Date.parse("0000-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];

/** ISO 8601 date or date-time; without an offset it is UTC. Becomes ms since the epoch. */
export const instant = z
  .union([z.iso.datetime({ offset: true, local: true }), z.iso.date()], {
    error: "must be an ISO 8601 date or date-time such as 2026-01-31T12:00:00Z",
  })
  .transform((value) => Date.parse(/^\d{4}-\d\d-\d\dT[\d:.]+$/.test(value) ? `${value}Z` : value))
  .refine((value) => Number.isFinite(value), { message: "is not a date that exists" })
  .transform((value) => Math.min(Math.max(value, earliest), latest));

export const idempotencyKey = filled("idempotency_key", 200);

interface JsonLimits {
  depth: number;
  key: number;
  string: number;
}

/** Stops at the depth it allows: what comes over the wire may be nested further than a stack reaches. */
function jsonProblem(value: unknown, allowed: JsonLimits, depth = 1): string | undefined {
  if (typeof value === "string") {
    if (!value.isWellFormed() || value.includes("\0")) return "holds text that is not valid Unicode";
    return value.length > allowed.string ? `holds a text of more than ${allowed.string} characters` : undefined;
  }
  if (value === null || typeof value !== "object") return undefined;
  if (depth > allowed.depth) return `is nested deeper than ${allowed.depth} levels`;
  for (const [name, item] of Object.entries(value)) {
    if (name.length > allowed.key) return `has a key of more than ${allowed.key} characters`;
    if (!name.isWellFormed() || name.includes("\0")) return "has a key that is not valid Unicode";
    const problem = jsonProblem(item, allowed, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

/** Whatever JSON can say, in at most 32 levels and no more characters than a content. */
export const json = z.custom<Json>((value) => value !== undefined, { error: "must be given" }).superRefine((value, context) => {
  const problem =
    jsonProblem(value, { depth: limits.jsonDepth, key: limits.content, string: limits.content }) ??
    (typeof value !== "string" && JSON.stringify(value).length > limits.content ? `has more than ${limits.content} characters as JSON` : undefined);
  if (problem) context.addIssue({ code: "custom", message: `${problem}; store less, or in several parts` });
});

/** Why free-form metadata is refused: at most 5 levels, keys of 100 and texts of 1,000 characters, none of the reserved keys. */
function metadataProblem(value: Record<string, unknown>): string | undefined {
  const reserved = Object.keys(value).find((name) => reservedMetadata.has(name));
  if (reserved) return `the key ${reserved} is reserved; leave it out, it is set by the server`;
  const problem = jsonProblem(value, { depth: limits.metadataDepth, key: limits.metadataKey, string: limits.metadataString });
  if (problem) return problem;
  return JSON.stringify(value).length > limits.metadataBytes ? `must be smaller than ${limits.metadataBytes} bytes as JSON` : undefined;
}

/** `metadata` of the OmniMemory document: four known entries and the sensitivity are lifted out, the rest is free-form. */
export const metadata = z
  .object({
    tags: tags.optional(),
    importance: fraction.optional(),
    expiry: instant.nullable().optional(),
    scope: visibility.optional(),
    sensitivity: sensitivity.optional(),
  })
  .loose()
  .superRefine((value, context) => {
    const problem = metadataProblem(freeForm(value));
    if (problem) context.addIssue({ code: "custom", message: problem });
  });

/** What is put together from parts of which each fits. @throws VALIDATION_ERROR where the whole does not */
export function requireMetadata(whose: string, together: Record<string, unknown>): void {
  const problem = metadataProblem(together);
  if (problem) throw invalid(`${whose}, kept together, ${problem}. Nothing was written.`, "Give less of it.");
}

/** With what the server adds, where there is room for that. */
export const withRoom = (own: Record<string, Json>, added: Record<string, Json>): Record<string, Json> => (metadataProblem({ ...own, ...added }) ? own : { ...own, ...added });

/** The kind of thing that a memory is, in the caller's own words (memory-server document, section 1): an entry of `metadata`. */
export const categoryEntry = "category";
export const category = filled("category", 200);

/** Entries of `metadata` that are asked for: plain values, which are equal or not. */
export type Entries = Record<string, string | number | boolean | null>;
export const entries = z
  .record(phrase("an entry's name", limits.metadataKey), z.union([phrase("an entry", limits.metadataString), z.number(), z.boolean(), z.null()], { error: "must be a text, a number, a boolean or null" }))
  .refine((value) => Object.keys(value).length <= 20, { message: "at most 20 entries" });

export function freeForm({ tags: _tags, importance: _importance, expiry: _expiry, scope: _scope, sensitivity: _sensitivity, ...custom }: Record<string, unknown>) {
  return custom as Record<string, Json>;
}
