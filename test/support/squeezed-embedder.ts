import type { Embedder, TextKind } from "../../src/domain/embedding/embedder.ts";
import type { Trouble } from "./indexing.ts";

const dimensions = 1_024;

/**
 * A model whose cosines lie between .6 and .9: two texts that name one subject ("subject-7") are at .9, all others at .6. Tells
 * what it was asked, of which kind; questions fail as long as `broken` is set.
 */
export class SqueezedEmbedder implements Embedder {
  readonly space: string;
  readonly dimensions = dimensions;
  readonly maxBatch = 100;
  readonly takesMany = true;
  readonly asked: { kind: TextKind; texts: string[] }[] = [];
  broken: Trouble;

  constructor(space = `test:squeezed:${dimensions}`) {
    this.space = space;
  }

  async embed(texts: string[], kind: TextKind): Promise<Float32Array[]> {
    this.asked.push({ kind, texts });
    if (kind === "query") await this.broken?.();
    return texts.map((text) => mixed([["", 0.6], [/subject-\d+/.exec(text)?.[0] ?? text, 0.3], [`${kind} ${text}`, 0.1]]));
  }

  of(kind: TextKind): string[] {
    return this.asked.flatMap((call) => (call.kind === kind ? call.texts : []));
  }
}

function mixed(parts: [seed: string, share: number][]): Float32Array {
  const sum = new Float32Array(dimensions);
  for (const [seed, share] of parts) for (const [at, value] of direction(seed).entries()) sum[at] = (sum[at] as number) + Math.sqrt(share) * value;
  const length = Math.hypot(...sum);
  return sum.map((value) => value / length);
}

/** Nearly at a right angle to that of any other seed. */
function direction(seed: string): Float32Array {
  let state = 2_166_136_261;
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) as number), 16_777_619);
  return Float32Array.from({ length: dimensions }, () => {
    // xorshift32
    state = state || 1;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state & 0x10_000) === 0 ? dimensions ** -0.5 : -(dimensions ** -0.5);
  });
}
