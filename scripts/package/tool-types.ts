import * as z from "zod";
import { catalogue } from "../../src/tools/catalogue.ts";
import { withText } from "../input-schema.ts";

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema | Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
}

/** The declaration of `Tools`, written from the schemas that the server itself checks with. */
export function toolTypes(): string {
  const tools = catalogue.map(({ name, title, input, output }) => {
    const [given, answered] = [z.toJSONSchema(input, { io: "input", unrepresentable: "any", override: withText }), z.toJSONSchema(output, { io: "output", unrepresentable: "any" })];
    return `  /** ${title}. */\n  ${JSON.stringify(name)}: { input: ${typeOf(given as Schema)}; output: ${typeOf(answered as Schema)} };`;
  });
  return `/** Arguments and answers of each tool by its name. */\nexport interface Tools {\n${tools.join("\n")}\n}\n`;
}

function typeOf(schema: Schema): string {
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeOf))].join(" | ");
  if (Array.isArray(schema.type)) return [...new Set(schema.type.map((type) => typeOf({ ...schema, type })))].join(" | ");
  switch (schema.type) {
    case "string": return "string";
    case "number":
    case "integer": return "number";
    case "boolean": return "boolean";
    case "null": return "null";
    case "array": return `(${Array.isArray(schema.items) || !schema.items ? "unknown" : typeOf(schema.items)})[]`;
    case "object": return objectOf(schema);
    default: return "unknown";
  }
}

function objectOf({ properties = {}, required = [], additionalProperties = true }: Schema): string {
  const fields = Object.entries(properties).map(([name, schema]) => `${JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema)}`);
  const known = `{ ${fields.join("; ")} }`;
  if (additionalProperties === false) return known;
  const others = `Record<string, ${typeof additionalProperties === "object" && fields.length === 0 ? typeOf(additionalProperties) : "unknown"}>`;
  return fields.length === 0 ? others : `${known} & ${others}`;
}
