import type { GraphStore } from "../domain/graph/graph-store.ts";
import type { SearchIndex } from "../domain/recall/retrievers/text-retriever.ts";
import type { Reranker } from "../domain/recall/ranking/rerank.ts";
import type { AnswerStore } from "../domain/recall/cache/recall-cache.ts";
import { Semantic } from "../domain/recall/retrievers/vector-retriever.ts";
import { rerankerOf, wordMatcherOf } from "../platform/ai/workers-ai-reranker.ts";
import type { AiBinding } from "../platform/ai/workers-ai-embedder.ts";
import { D1GraphStore } from "../platform/d1/graph-store.ts";
import { ServingSpaces } from "../platform/d1/serving-spaces.ts";
import { KvAnswerStore } from "../platform/kv/answer-store.ts";
import { TeamIndexClient } from "../platform/team-index/client.ts";
import { TeamEventBus } from "../platform/team-index/event-bus.ts";
import type { Base } from "./base.ts";
import type { Embedders } from "./indexing.ts";

/** What a search asks. */
export interface Recall {
  index: SearchIndex;
  graph: GraphStore;
  semantic: Semantic;
  reranker: Reranker | undefined;
  wordMatcher: Reranker | undefined;
  answers: AnswerStore;
  events: TeamEventBus;
}

export function recallOf(env: Env, { config, shardOf, vectorIndex, report }: Base, embedders: Embedders): Recall {
  const { AI: ai } = env as unknown as { AI?: AiBinding };
  const serving = new ServingSpaces(shardOf);
  return {
    index: new TeamIndexClient(env.TEAM_INDEX, report),
    graph: new D1GraphStore(shardOf, config.teamQuota),
    semantic: new Semantic({ embedders, index: vectorIndex, servingSpace: (principal, now) => serving.of(principal, now) }),
    reranker: rerankerOf(config, ai),
    wordMatcher: wordMatcherOf(config, ai),
    events: new TeamEventBus(env.TEAM_INDEX, report),
    answers: new KvAnswerStore(env.CACHE, report),
  };
}
