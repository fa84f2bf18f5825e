type Schema = Record<string, unknown>;

/**
 * Keys that cost tokens on every connection and seldom change how a model writes a call. The server checks all of them
 * anyway and says what would be right.
 */
const dropped = new Set([
  "$schema", "$defs", "pattern", "additionalProperties", "propertyNames", "id",
  "minLength", "maxLength", "minItems", "maxItems", "minimum", "exclusiveMinimum", "maximum",
]);

/**
 * JSON Schema for a tool list: what a model needs to write a call, and no more. A schema with the meta entry `listed`
 * appears as that instead (what is recursive must, for model APIs refuse `$ref`); with `listed: null` the property is accepted but not shown.
 */
export function compactSchema(schema: unknown): Schema {
  return compact(schema) as Schema;
}

function compact(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(compact);
  if (node === null || typeof node !== "object") return node;
  const { listed, ...rest } = node as Schema;
  if (listed !== undefined) return listed;
  const out: Schema = {};
  for (const [key, value] of Object.entries(rest)) {
    if (key === "properties") {
      const properties = Object.entries(value as Schema)
        .filter(([, property]) => (property as Schema)["listed"] !== null)
        .map(([name, property]) => [name, compact(property)]);
      if (properties.length > 0) out[key] = Object.fromEntries(properties);
      continue;
    }
    if (dropped.has(key)) continue;
    out[key] = compact(value);
  }
  return collapse(out);
}

/** An instant is a union of date and date-time; to a model it is one string. */
function collapse(schema: Schema): Schema {
  const options = schema["anyOf"];
  if (!Array.isArray(options)) return schema;
  const distinct = [...new Set(options.map((option: Schema) => JSON.stringify(option["type"] === "string" && "format" in option ? { type: "string" } : option)))].map(
    (text) => JSON.parse(text) as Schema,
  );
  const simple = distinct.every((option) => Object.keys(option).length === 1 && "type" in option);
  const { anyOf: _anyOf, ...rest } = schema;
  if (distinct.length === 1) return { ...rest, ...distinct[0] };
  return simple ? { ...rest, type: distinct.map((option) => option["type"]) } : { ...rest, anyOf: distinct };
}
