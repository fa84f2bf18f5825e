import fc from "fast-check";
import { isPlain, screen } from "../../../src/domain/guard/screen.ts";
import type { Citation } from "../../../src/domain/memories/memory-values.ts";
import type { Json, MemoryState } from "../../../src/domain/memories/memory.ts";
import { type FieldDefinition, givenFields, type GivenField, type GivenState, type Kind, memoryFields } from "../../../src/domain/memories/memory-fields.ts";
import { now } from "../../support/team.ts";

/** States that the field rules allow, with the characters that break things: quotes, line ends, marks, emoji, right-to-left. */
const character = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.constantFrom('"', "'", "\\", "\n", "\r\n", "\t", "\u2028", "\ufeff", "\u0001", "\u007f", "%", "$.", "🧠", "é", "e\u0301", "שלום", "漢字", "</memory>") },
);
/** Never what the write guard keeps back, as it does three invisible marks in a row. */
const text = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: character, minLength: 1, maxLength }).filter((value) => value.trim() !== "" && !value.includes("\0") && value.isWellFormed() && isPlain(value));

const label = text(20).map((value) => value.trim());
const key = fc
  .array(text(8), { minLength: 1, maxLength: 4 })
  // oxlint-disable-next-line no-control-regex -- control characters are what a key may not hold
  .map((parts) => parts.join(".").replaceAll(/[\u0000-\u001f\u007f*]/g, "_").trim())
  .filter((value) => value !== "" && isPlain(value));

/** Names of properties, those that every JavaScript object has among them; the edge refuses the one that is no name. */
const name = (maxLength: number) =>
  fc
    .oneof({ weight: 9, arbitrary: text(maxLength) }, { weight: 1, arbitrary: fc.constantFrom("constructor", "toString", "valueOf") })
    .filter((value) => value !== "__proto__");

const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value));
export const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false),
    fc.integer(),
    number,
    text(12),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name(6), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const lifted = new Set(["tags", "importance", "expiry", "scope", "user_id", "agent_id", "run_id", "created_at", "updated_at", "memory_type"]);
const metadata = fc
  .dictionary(name(10), fc.oneof(fc.integer(), number, text(12), fc.boolean(), fc.constant(null), fc.array(text(5), { maxLength: 2 })), { maxKeys: 4, noNullPrototype: true })
  .map((value) => Object.fromEntries(Object.entries(value).filter(([name]) => !lifted.has(name))));

const instant = fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2200, 0, 1) });
const fraction = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => (Object.is(value, -0) ? 0 : value));
const nullable = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });
const word = fc.stringMatching(/^[A-Za-z0-9_]{1,12}$/);
const labels = fc.uniqueArray(label, { maxLength: 4 });

/** What a field may hold by its kind alone; a field whose rule asks for more is named below. */
const kinds: Record<Kind, fc.Arbitrary<unknown>> = {
  text: word, number: fraction, instant, texts: labels, json, object: metadata, trust: fc.constant({ source: "user", quarantined: false }), quarantine: fc.constant(null), citations: fc.constant([]), enrichment: fc.constant(null),
};

/** As the rule leaves them. */
export const citation: fc.Arbitrary<Citation> = fc.record(
  {
    path: fc.array(fc.constantFrom("src", "größe", "a b.ts", "漢字.md", "..rc", "<memory>"), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/")),
    hash: fc.stringMatching(/^[0-9a-f]{8,64}$/),
    commit: fc.stringMatching(/^[0-9a-f]{7,40}$/),
    lines: fc.tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 500, max: 900 })),
  },
  { requiredKeys: ["path"], noNullPrototype: true },
);

const special: { [K in GivenField]?: fc.Arbitrary<MemoryState[K]> } = {
  content: text(200),
  summary: nullable(text(40)),
  namespace: fc.constantFrom("global", "project:größe", "session:shop/7 a", "thread:t"),
  citations: fc.array(citation, { maxLength: 3 }),
  relatedFiles: fc.array(key, { maxLength: 3 }),
  expiresAt: nullable(fc.integer({ min: now + 30 * 86_400_000, max: Date.UTC(2200, 0, 1) })),
};

const valueOf = (field: GivenField): fc.Arbitrary<unknown> => {
  const { kind, values, initial }: FieldDefinition = memoryFields[field];
  const value = values ? fc.constantFrom(...values) : kinds[kind];
  return special[field] ?? (initial === null ? nullable(value) : value);
};

type Said = Omit<GivenState, "key"> & { content: string };

/**
 * Everything that a person may say of a memory but its key. Texts that the write guard lets pass one by one may be an order
 * together: the name `call` beside a value with `</memory>` in it looks like a made-up turn, 4 times in 100,000 states.
 */
export const said = (
  fc.record(
    Object.fromEntries(givenFields.filter((field) => field !== "key").map((field) => [field, valueOf(field)])),
    { requiredKeys: ["content"] },
  ) as fc.Arbitrary<Said>
).filter((state) => screen({ namespace: "", tags: [], ...state } as MemoryState) === undefined).map((state): Said => {
  const { validFrom, validTo } = state;
  return typeof validFrom === "number" && typeof validTo === "number" && validFrom >= validTo ? { ...state, validFrom: validTo, validTo: validFrom + 1 } : state;
});

/** As the edge hands it on: composed, and whole again after that. */
export const anyKey = key.map((value) => value.normalize("NFC").trim()).filter((value) => value !== "" && isPlain(value));
export const anyText = text(200);
