/**
 * What a document of one of the five vocabularies promises, as plain data: each row is transcribed from the document (or, where that gives no
 * schema, from `docs/decisions/protocol.md`). The runner makes a test of each row.
 */
export type Args = Record<string, unknown>;

/** A call of a tool. In arguments `$name` stands for what an earlier call answered and `as` named. */
export interface Call {
  tool: string;
  args?: Args;
  /** Names for parts of the answer: `{ id: "memory_id" }` makes `$id` known to later calls. */
  as?: Record<string, string>;
}

/** What stands at a path. A path steps by dots; `[key=a]` takes the entry of a list whose `key` is `a`. */
export const kinds = ["uuid", "instant", "text", "number", "integer", "fraction", "boolean", "list", "texts", "object", "null"] as const;
export type Kind = (typeof kinds)[number];

export interface Check {
  /** Asked of this call instead of the one that the row is about. */
  of?: Call;
  path: string;
  is?: unknown;
  isA?: Kind;
  /** Undefined or not there. */
  absent?: true;
}

export type ErrorCode = "VALIDATION_ERROR" | "MEMORY_NOT_FOUND" | "PERMISSION_DENIED" | "CONFLICT";

export interface ParameterContract {
  /** A path in the arguments. */
  name: string;
  required?: true;
  /** What holds where it is left out: of a tool that reads, the same answer; of any, these checks. */
  default?: unknown;
  unsaid?: Check[];
  /** Accepted. */
  example: unknown;
  /** Beside the arguments of the tool's own call. */
  with?: Args;
  /** Leaves these of the tool's own arguments out. */
  without?: string[];
  /** Shows that the example has its effect. */
  shows?: Check[];
  /** Refused with VALIDATION_ERROR, or the code beside it. */
  refused: readonly unknown[];
}

export interface ToolContract {
  tool: string;
  aliases?: string[];
  /** What is stored before. */
  given?: Call[];
  /** Searches wait until all of it has its vectors. */
  indexed?: true;
  /** Arguments that suffice. */
  call: Args;
  parameters: ParameterContract[];
  /** Of an answer to `call`, or to the first of these where its fields need more. */
  output: { call?: Args; fields: Record<string, Kind> };
}

/** What the document says beside its schemas. */
export interface Conduct {
  document: string;
  given?: Call[];
  call: Call;
  shows: Check[];
}

export interface FailureContract {
  code: ErrorCode;
  given?: Call[];
  call: Call;
  /** Called with a key of these scopes. */
  scopes?: ("memory:read" | "memory:write")[];
  /** What `details` name. */
  details?: string[];
}

/** Where the product deliberately answers otherwise than the document says. */
export interface Difference {
  document: string;
  ours: string;
  because: string;
  given?: Call[];
  call: Call;
  refused?: ErrorCode;
  shows?: Check[];
}

export interface FamilyContract {
  /** How a failure reads: as a line of text, or as JSON with these fields beside code, message and details. */
  errorForm: "line" | { json: string[] };
  tools: ToolContract[];
  conduct: Conduct[];
  failures: FailureContract[];
  differences: Difference[];
}

/** Samples that the fields of a memory refuse everywhere (memory-server document, section 14; `fields.ts`). */
export const refusedAs = {
  text: ["", 5, null, {}],
  content: ["", "   ", "x".repeat(10_001), 5, null, "a\0b"],
  key: ["", " padded", "star*", "k".repeat(256), 5],
  keyPattern: ["", "k".repeat(256), 5],
  tags: [["t".repeat(101)], [""], "billing", Array.from({ length: 51 }, (_, i) => `t${i}`)],
  fraction: [-0.1, 1.1, "high", null],
  ten: [0, 11, 2.5, "high"],
  boolean: ["yes", 1, null],
  instant: ["tomorrow", "2026-02-30", 5],
  expiry: ["tomorrow", "2001-01-01", 5],
  visibility: ["everyone", "", 5],
  namespace: ["shop", "project:", "project:a*", 5],
  ref: ["no-id", -1, 1.5, true],
  count: [0, -1, 1.5, "ten"],
  object: ["text", 5, []],
  id: ["with space", "", "x".repeat(101), 5],
  version: [0, 1.5, "one"],
} as const;

export const later = "2099-01-01T00:00:00.000Z";
