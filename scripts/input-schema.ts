import * as z from "zod";

type Override = NonNullable<z.core.ToJSONSchemaParams["override"]>;

/** A message, the one part of a message and the address of its picture. */
const sampleText = "https://example.com/harbour.png";

/** Adds to the JSON Schema of an input that a text stands for a list or an object, where the server takes one: zod shows only what the text becomes. */
export const withText: Override = ({ zodSchema, jsonSchema }) => {
  if (!(zodSchema instanceof z.ZodPreprocess) || !zodSchema.safeParse(sampleText).success) return;
  // What a schema with a description of its own inherits is said already.
  if (jsonSchema.anyOf) return;
  const { listed: _, ...form } = jsonSchema;
  for (const keyword of Object.keys(form)) delete jsonSchema[keyword];
  jsonSchema.anyOf = [{ type: "string" }, form];
};
