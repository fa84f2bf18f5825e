import { GptEncoding } from "gpt-tokenizer/GptEncoding";
import vocabulary from "gpt-tokenizer/data/o200k_base.tiktoken?raw";

/** The real tokenizer. Its own module of ranks does not survive Vite's transform, so they are read from its data file. */
const encoding = GptEncoding.getEncodingApi("o200k_base", () => vocabulary.trimEnd().split("\n").map((line) => tokenOf(line.slice(0, line.indexOf(" ")))));

function tokenOf(base64: string): string | number[] {
  const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
  try {
    return new TextDecoder("utf8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return [...bytes];
  }
}

/** Text such as `<|endoftext|>` is text here. */
export const countTokens = (text: string): number => encoding.countTokens(text, { disallowedSpecial: new Set() });

/** An id is random: of ten answers of twenty ids each the shortest and the longest are 30 tokens apart. Where a bound is about the form, each id counts as this one, of 22 tokens as most are. */
const usualId = "019ab25a-cbcb-7cff-9e38-dcaefcde9ca9";
const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
export const countTokensOfForm = (text: string): number => countTokens(text.replaceAll(uuid, usualId));
