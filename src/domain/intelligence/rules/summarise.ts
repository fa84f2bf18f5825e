import { compress } from "../../compression/compress.ts";
import { cutTo, estimateTokens } from "../../text/token-count.ts";
import type { Summary } from "../answers.ts";

/** In characters: what is longer is summarised from its beginning, so that the work stays bounded. */
const head = 20_000;

/** The sentences that hold most of what a text states, as they stand; the beginning of the first one where not even that fits. */
export function summariseByRules(text: string, { maxTokens }: { maxTokens: number }): Summary {
  const { text: shown } = compress(text.slice(0, head), { targetTokens: maxTokens });
  return { text: estimateTokens(shown) <= maxTokens ? shown : cutTo(shown, maxTokens) };
}
