import { parseConfig } from "../../src/config.ts";
import { embeddersOf } from "../../src/platform/ai/embedders.ts";
import { VectorizeBindings } from "../../src/platform/vectorize/bindings.ts";
import { UserSession as ProductUserSession } from "../../src/session/user-session.ts";

// The class below takes the place of the product's.
export * from "../../src/index.ts";
export { default } from "../../src/index.ts";

export const bindings = ["kv", "d1", "vectors"] as const;
export type Binding = (typeof bindings)[number];

/** About what an answer of ten memories takes. */
const keptBytes = 8_000;

/**
 * The product's session object, which asks one binding before each call, named in the address (`?with=kv`): what an answer costs
 * at least that needs the binding, on this machine, with nothing stored behind it.
 */
export class UserSession extends ProductUserSession {
  #kept: Promise<void> | undefined;
  #asked = 0;

  override async fetch(request: Request): Promise<Response> {
    await this.#ask(new URL(request.url).searchParams.get("with") as Binding | null);
    return super.fetch(request);
  }

  async #ask(binding: Binding | null): Promise<void> {
    if (binding === "kv") {
      await (this.#kept ??= this.env.CACHE.put("bench", "x".repeat(keptBytes)));
      await this.env.CACHE.get("bench");
    }
    if (binding === "d1") await this.env.SHARD_0.prepare("SELECT 1").first();
    if (binding === "vectors") await this.#nearest();
  }

  async #nearest(): Promise<void> {
    const embedder = embeddersOf(parseConfig(this.env).embeddings, this.env as unknown as Parameters<typeof embeddersOf>[1]).current;
    const [values] = await embedder.embed([`question ${(this.#asked += 1)}`], "query");
    const index = await VectorizeBindings.of(this.env).withDimensions(embedder.dimensions);
    await index.query(values as Float32Array, { namespace: "bench", topK: 20 });
  }
}
