import * as z from "zod";
import { say } from "../../../domain/frame.ts";
import { embedForCaller } from "../../../domain/embedding/embed-for-caller.ts";
import * as field from "../../../domain/memories/fields.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { aliasOf } from "./item.ts";

/** Texts of one call, and their characters: what a slow local model embeds in seconds. */
const mostTexts = 32;
const longestText = 8_000;
const mostCharacters = 64_000;

/** As many digits as a 32-bit float has. */
const digits = 7;

/** Kompanion document, `embed_text`. The vectors are in the structured answer alone: as text they would cost a conversation thousands of tokens. */
export const embedText = defineTool({
  name: "embed_text",
  aliases: [aliasOf("embed_text")],
  title: "Embed texts",
  description: "Vectors of up to 32 texts, in the model that this team's memories are searched with. Unit length.",
  scope: "memory:read",
  annotations: readOnly,
  cost: 4,
  input: z.strictObject({
    model: field.filled("model", 200).optional(),
    texts: z
      .array(field.filled("a text of texts", longestText))
      .min(1, "texts must hold at least one text")
      .max(mostTexts, `at most ${mostTexts} texts`)
      .refine((texts) => texts.reduce((sum, { length }) => sum + length, 0) <= mostCharacters, { message: `texts must have at most ${field.grouped(mostCharacters)} characters together` }),
    kind: z.enum(["passage", "query"]).default("passage").meta({ listed: { type: "string", default: "passage", description: "or query" } }),
  }),
  output: z.looseObject({ model: z.string(), vectors: z.array(z.array(z.number())) }),
  async handler(ctx, input) {
    const { model, vectors } = await embedForCaller(ctx, input);
    return {
      structured: { model, vectors: vectors.map((vector) => Array.from(vector, (value) => Number(value.toPrecision(digits)))) },
      text: say`${vectors.length} vectors of ${vectors[0]?.length ?? 0} dimensions, model ${model}; they are in the structured answer.`,
    };
  },
});
