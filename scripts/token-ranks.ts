/** `node scripts/token-ranks.ts` writes src/domain/text/token-ranks.ts anew from the vocabulary that gpt-tokenizer (MIT) ships. */
import { writeFileSync } from "node:fs";
import ranks from "gpt-tokenizer/bpeRanks/o200k_base";
import { inRankOrder, packTokens } from "../src/domain/text/packed-tokens.ts";

/** More makes the estimate tighter and the Worker larger: 12,000 are 27 KB compressed and 25–33% above on the English notes of eight teams, 16,000 34 KB and 21–27%. */
const kept = 12_000;

/** Text takes 5 KB less than bytes, compressed; a part of a character has only its bytes. Those from 0x80 on are written in Braille, which no token that is kept has. */
function written(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? text : bytes.toString("latin1").replaceAll(/[\u0080-\u00ff]/g, (byte) => String.fromCharCode(byte.charCodeAt(0) + 0x2800));
}

const packed = packTokens(ranks.slice(256, kept).map((token) => written(typeof token === "string" ? Buffer.from(token, "utf8") : Buffer.from(token))));
/** Escapes cost as much again, so only what an editor does not show and what would end the template is written as one. */
const lines = packed.replaceAll(/[`$\u007f-\u009f\u00ad\u200b-\u200f\u2028\u2029\ufeff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

writeFileSync(
  new URL("../src/domain/text/token-ranks.ts", import.meta.url),
  `import { verbatim } from "../verbatim.ts";

/**
 * Written by scripts/token-ranks.ts: the most frequent tokens of OpenAI's o200k_base (tiktoken, MIT) after the 256 single bytes,
 * as \`unpackTokens\` reads them: ${inRankOrder.toLocaleString("en")} in the order of their rank, the others sorted. What is no whole text is its bytes, those from
 * 0x80 on in Braille (U+2800 and the byte).
 */
export const packedTokens = verbatim\`${lines}\`;
`,
);
