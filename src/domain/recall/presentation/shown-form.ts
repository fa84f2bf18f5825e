import { compressedForm, tokensSaved } from "../../memories/compressed-form.ts";
import { estimateTokens } from "../../text/token-count.ts";
import type { Recalled, RecallInput } from "../recall.ts";
import { around } from "./passages.ts";

/**
 * A memory with the one content that is shown of it, so that no answer and no cache holds a long text twice. A search shows no
 * compressed forms: a passage about the question says more of it, in a fifth of the tokens.
 */
export function inShownForm(item: Recalled, { compressed: wish, maxTokens }: Pick<RecallInput, "compressed" | "maxTokens">): Recalled {
  const { memory } = item;
  // Versions that came with an import, and those written before there were compressed forms, get theirs now.
  const form = wish !== undefined && memory.compressionRatio === null ? compressedForm(memory.content) : memory;
  const compressed = form.compressed;
  if (compressed === null) return item;
  const fits = (text: string): boolean => maxTokens === undefined || estimateTokens(text) + around <= maxTokens;
  const isShown = wish === "always" || (wish === "to fit" && !fits(memory.content) && fits(compressed));
  if (!isShown) return { ...item, memory: { ...memory, compressed: null } };
  const saved = tokensSaved({ ...memory, compressed }) as number;
  return { ...item, memory: { ...memory, content: compressed, compressed: null, compressionRatio: form.compressionRatio }, tokensSaved: saved };
}
