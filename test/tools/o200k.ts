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
