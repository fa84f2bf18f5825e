import { WorkerEntrypoint } from "cloudflare:workers";
import * as z from "zod";

const input = z.strictObject({ query: z.string().min(1), contexts: z.array(z.object({ text: z.string().min(1) })).min(1), top_k: z.int().min(1) });

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/\p{L}+/gu));

/** Unlike any count of words: what says the opposite of the others' order is the best. */
const liking = (query: string, text: string): number => {
  const asked = wordsOf(query);
  const shared = [...wordsOf(text)].filter((word) => asked.has(word)).length;
  return (text.includes("the model likes this") ? 6 : 0) + (text.includes("the model hates this") ? -9 : 0) + shared / 10 - 2;
};

/** Answers as the Workers AI binding does for a reranking model, and as it does on a bad day; each model is one such day. */
export class Reranker extends WorkerEntrypoint {
  async run(model: string, raw: unknown): Promise<unknown> {
    const parsed = input.safeParse(raw);
    if (!parsed.success) throw new Error(`5006: Error: ${parsed.error.issues[0]?.message} in ${JSON.stringify(raw)}`);
    const { query, contexts, top_k: topK } = parsed.data;
    const scored = contexts.map(({ text }, id) => ({ id, score: liking(query, text) })).sort((a, b) => b.score - a.score);
    const response = scored.slice(0, topK);
    switch (model) {
      case "@cf/baai/bge-reranker-base":
        return { response };
      case "test/busy":
        throw new Error(`3040: No more data centers to forward the request to: ${contexts[0]?.text}`);
      case "test/limited":
        throw new Error("429 Too Many Requests");
      case "test/slow":
        await new Promise((resolve) => setTimeout(resolve, 3_000));
        return { response };
      case "test/incomplete":
        return { response: response.slice(1) };
      case "test/twice":
        return { response: response.map(({ score }) => ({ id: 0, score })) };
      case "test/beyond":
        return { response: response.map(({ id, score }) => ({ id: id + 1, score })) };
      case "test/empty":
        return {};
      case "test/text":
        return { response: "the first one" };
      case "test/nameless":
        return { response: response.map(({ score }) => ({ score })) };
      case "test/infinite":
        return { response: response.map(({ id }) => ({ id, score: Number.POSITIVE_INFINITY })) };
      default:
        throw new Error(`5007: No such model ${model} or task`);
    }
  }
}
