import * as z from "zod";
import { json } from "../../../domain/frame.ts";
import { warmVectors } from "../../../domain/indexing/warm.ts";
import * as field from "../../../domain/memories/fields.ts";
import { additive, defineTool } from "../../define-tool.ts";
import { aliasOf } from "./item.ts";

/** Kompanion document, `warm_cache`. */
export const warmCache = defineTool({
  name: "warm_cache",
  aliases: [aliasOf("warm_cache")],
  title: "Warm the cache",
  description: "Have the vectors of recent memories made now. Answers how many wait for theirs.",
  scope: "memory:write",
  annotations: additive,
  input: z.strictObject({ since: field.instant.optional().describe("ISO date") }),
  output: z.looseObject({ queued: z.number() }),
  async handler(ctx, { since = 0 }) {
    const answer = await warmVectors(ctx, { since });
    return { structured: { ...answer }, text: json(answer) };
  },
});
