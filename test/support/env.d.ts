import type { D1Migration } from "@cloudflare/vitest-plugin";
import type { AiBinding } from "../../src/platform/ai/workers-ai-embedder.ts";

declare global {
  namespace Cloudflare {
    interface Env {
      SHARD_1: D1Database;
      /** 8 dimensions: shown at once, after half a second, not while the tests run. */
      VECTORIZE_SMALL: Vectorize;
      VECTORIZE_SLOW: Vectorize;
      VECTORIZE_HELD: Vectorize;
      /** Answers as Workers AI does for a reranking model. */
      RERANKER: AiBinding;
      DIRECTORY_MIGRATIONS: D1Migration[];
      SHARD_MIGRATIONS: D1Migration[];
    }
  }
}
