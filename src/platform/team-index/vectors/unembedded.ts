import { embeddingText, isEmbeddable } from "../../../domain/indexing/embedding-text.ts";
import { fromShortJson } from "../../../domain/memories/memory-fields.ts";
import type { Memory } from "../../../domain/memories/memory.ts";
import { parseVectorId } from "../../vectorize/vector-ids.ts";
import type { Passage } from "../../../domain/recall/retrievers/vector-retriever.ts";

/** A question embeds so much along with itself: characters of so many memories, the newest first. */
const mostMemories = 32;
const mostCharacters = 16_000;
/** What has no vector by then, ms, has come to grief in the pipeline, or the pipeline has. */
const mostMs = 120_000;

/** The memories that were written a moment ago and that the pipeline has not embedded yet. In memory: an object that starts anew finds them by meaning when it has. */
export class Unembedded {
  /** By id, the newest last. */
  readonly #written = new Map<string, { version: number; at: number }>();

  written(memories: readonly { memoryId: string; version: number }[], at: number): void {
    for (const { memoryId, version } of memories) {
      this.#written.delete(memoryId);
      this.#written.set(memoryId, { version, at });
    }
    for (const oldest of [...this.#written.keys()].slice(0, -mostMemories)) this.#written.delete(oldest);
  }

  embedded(vectors: readonly { id: string; version: number }[]): void {
    for (const { id, version } of vectors) {
      const { id: memoryId } = parseVectorId(id);
      if (version >= (this.#written.get(memoryId)?.version ?? Infinity)) this.#written.delete(memoryId);
    }
  }

  /** `rows`: those of the ids that the reader may see, as the object holds them. */
  passages(now: number, rows: (ids: string[]) => Map<string, string>): Passage[] {
    const ids = [...this.#written].flatMap(([id, { at }]) => (Date.now() - at < mostMs ? id : [])).reverse();
    let left = mostCharacters;
    return ids.length === 0 ? [] : [...rows(ids).values()].flatMap((body) => {
      const memory = fromShortJson(JSON.parse(body) as Memory);
      const text = isEmbeddable(memory, now) ? embeddingText(memory) : "";
      left -= text.length;
      return text === "" || left < 0 ? [] : { id: memory.id, text };
    });
  }
}
