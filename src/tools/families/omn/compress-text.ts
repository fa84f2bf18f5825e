import * as z from "zod";
import { attribute, block, joined, say } from "../../../domain/frame.ts";
import { compress } from "../../../domain/compression/compress.ts";
import { factKinds } from "../../../domain/compression/facts.ts";
import * as field from "../../../domain/memories/fields.ts";
import { rounded } from "../../../domain/rounded.ts";
import { defineTool, readOnly } from "../../define-tool.ts";

/** In characters, about four times a memory's: beyond, a call would take the server longer than a search does. */
const longestText = 40_000;

/** OmniMemory document 5.1; features A row 7. Of memories it reads nothing. */
export const compressText = defineTool({
  name: "omn_compress_text",
  title: "Compress a text",
  description: "Shorten a text to the sentences that hold its numbers, names, identifiers, negations and decisions. Nothing is reworded.",
  scope: null,
  annotations: readOnly,
  cost: 2,
  input: z.strictObject({
    text: field.filled("text", longestText),
    target_tokens: z.number().int().min(1).max(100_000).optional().meta({ listed: { type: "integer", description: "at most" } }),
    quality_threshold: field.fraction.optional().meta({ listed: { type: "number", description: "least share of facts kept, .95" } }),
  }),
  output: z.looseObject({
    compressed_text: z.string(),
    original_tokens: z.number().meta({ listed: null }),
    compressed_tokens: z.number().meta({ listed: null }),
    compression_ratio: z.number().meta({ listed: null }),
    tokens_saved: z.number(),
    /** Share of the facts that are kept. */
    retained: z.number().meta({ listed: null }),
    facts: z.looseObject({}).meta({ listed: null }),
  }),
  async handler(_ctx, { text, target_tokens, quality_threshold }) {
    const result = compress(text, { targetTokens: target_tokens, qualityThreshold: quality_threshold });
    const [ratio, retained] = [rounded(result.ratio, 2), rounded(result.retained, 3)];
    const kept = factKinds.flatMap((kind) => {
      const { found, kept: held } = result.facts[kind];
      return found === 0 ? [] : [`${kind} ${held}/${found}`];
    });
    const attributes = [attribute("tokens", result.tokens), attribute("original_tokens", result.originalTokens), attribute("ratio", ratio), attribute("retained", retained)];
    return {
      structured: {
        compressed_text: result.text,
        original_tokens: result.originalTokens,
        compressed_tokens: result.tokens,
        compression_ratio: ratio,
        tokens_saved: result.originalTokens - result.tokens,
        retained,
        facts: result.facts,
      },
      text: joined([say`<compressed${joined(attributes, "")}>\n${block(result.text)}\n</compressed>`, ...(kept.length > 0 ? [say`(kept: ${kept.join(", ")})`] : [])]),
    };
  },
});
