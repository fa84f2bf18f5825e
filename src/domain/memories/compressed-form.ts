import { compress, usualQuality } from "../compression/compress.ts";
import { estimateTokens } from "../text/token-count.ts";
import type { MemoryState } from "./memory-fields.ts";

/**
 * The compressed form of a long content, made when the content is written. It is derived from the content, which stays as it is:
 * exports leave it out, and a change of it alone is asked for by `compress`. A ratio of 1 says that the content stays whole, by
 * wish or because nothing can be left out; none, that it is short or was written before there were such forms.
 */
export type CompressedForm = Pick<MemoryState, "compressed" | "compressionRatio">;

/** In tokens: a longer content has a compressed form (OmniMemory document, `omn_store_memory`). */
export const longestPlain = 1_000;

const none: CompressedForm = { compressed: null, compressionRatio: null };
const keptWhole: CompressedForm = { compressed: null, compressionRatio: 1 };

/** No character takes more tokens than bytes, and no UTF-16 unit more than three of these. */
const isLong = (content: string): boolean => 3 * content.length > longestPlain && estimateTokens(content) > longestPlain;

export function compressedForm(content: string, isWanted = true): CompressedForm {
  if (!isLong(content)) return none;
  if (!isWanted) return keptWhole;
  const { text, ratio } = compress(content, { qualityThreshold: usualQuality });
  return ratio === 1 ? keptWhole : { compressed: text, compressionRatio: Math.round(ratio * 100) / 100 };
}

/** The form of a state that is written first: the one it brings, or its content's. */
export const formOf = (state: MemoryState): CompressedForm => (state.compressionRatio === null ? compressedForm(state.content) : formIn(state));

const formIn = ({ compressed, compressionRatio }: CompressedForm): CompressedForm => ({ compressed, compressionRatio });

/** The form after a change. The same content keeps its form unless the change brings another one. */
export function formAfter(before: MemoryState, { content, compressed = null, compressionRatio = null }: Partial<MemoryState>): CompressedForm {
  if (content === undefined) return formIn(before);
  if (compressionRatio !== null) return { compressed, compressionRatio };
  return content === before.content ? formIn(before) : compressedForm(content);
}

/** How many tokens the form spares whoever reads it instead of the content; undefined where there is none. */
export const tokensSaved = ({ content, compressed }: MemoryState): number | undefined =>
  compressed === null ? undefined : estimateTokens(content) - estimateTokens(compressed);
