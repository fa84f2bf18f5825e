import { limits, type Metadata, refuse } from "./vectorize-limits.ts";

type Scalar = string | number | boolean;

export type IndexedType = "string" | "number" | "boolean";

const comparisons: Record<string, (order: number) => boolean> = {
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
};

/** The fields that have an index, as the index keeps them: of strings the first bytes only, other types not at all. */
export function indexedPart(metadata: Metadata | undefined, indexes: ReadonlyMap<string, IndexedType>): Record<string, Scalar> {
  const indexed: Record<string, Scalar> = {};
  for (const [name, type] of [...indexes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const value = metadata?.[name];
    if (typeof value === type) indexed[name] = typeof value === "string" ? truncated(value) : (value as Scalar);
  }
  return indexed;
}

/** A test of what the indexes hold of a vector. A vector that has nothing there never passes. */
export function compileFilter(filter: VectorizeVectorMetadataFilter, indexes: ReadonlyMap<string, IndexedType>): (indexed: Record<string, Scalar>) => boolean {
  const tests = Object.entries(filter).map(([name, wanted]) => {
    refuse(!indexes.has(name), `filter: there is no metadata index on "${name}"`);
    const conditions: [string, unknown][] = typeof wanted === "object" && wanted !== null ? Object.entries(wanted) : [["$eq", wanted]];
    const compiled = conditions.map(([operator, operand]) => condition(name, operator, operand));
    return (indexed: Record<string, Scalar>): boolean => {
      const value = indexed[name];
      return value !== undefined && compiled.every((holds) => holds(value));
    };
  });
  return (indexed) => tests.every((holds) => holds(indexed));
}

function condition(name: string, operator: string, operand: unknown): (value: Scalar) => boolean {
  if (operator === "$in" || operator === "$nin") {
    refuse(!Array.isArray(operand), `filter: ${operator} on "${name}" takes a list`);
    const list = new Set((operand as unknown[]).map((item) => scalar(name, item)));
    return (value) => list.has(value) === (operator === "$in");
  }
  const wanted = scalar(name, operand);
  if (operator === "$eq" || operator === "$ne") return (value) => (value === wanted) === (operator === "$eq");
  const compare = comparisons[operator];
  refuse(compare === undefined, `filter: unknown operator ${operator} on "${name}"`);
  return (value) => typeof value === typeof wanted && (compare as (order: number) => boolean)(value < wanted ? -1 : Number(value > wanted));
}

function scalar(name: string, value: unknown): Scalar {
  refuse(!["string", "number", "boolean"].includes(typeof value), `filter: "${name}" is compared with something that is no text, number or boolean`);
  return typeof value === "string" ? truncated(value) : (value as Scalar);
}

/** On a character border, as the index does. */
function truncated(text: string): string {
  const buffer = new Uint8Array(limits.indexedBytes);
  const { read } = new TextEncoder().encodeInto(text, buffer);
  return text.slice(0, read);
}
