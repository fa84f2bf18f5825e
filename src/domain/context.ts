import type { GraphStore } from "./graph/ports.ts";
import type { RecentlyRecalled } from "./memories/recently-recalled.ts";
import type { ProposalStore } from "./memories/review-ports.ts";
import type { MemoryStore, MemoryWriter, SearchIndex } from "./ports.ts";
import type { RecallCache } from "./search/recall-cache.ts";
import type { Reranker } from "./search/rerank.ts";
import type { Semantic } from "./search/semantic.ts";
import type { People } from "./tenancy/people.ts";
import type { Principal } from "./tenancy/principal.ts";

/** What a verb may know of the world: who asks, when, with which tool, and the ports it may use. */
export interface Context {
  principal: Principal;
  /** ms since the epoch. */
  now: number;
  requestId: string;
  /** Of the client, as far as the edge knew. */
  address?: string | undefined;
  /** Name of the client that speaks for the person, such as `claude-code`; kept as authorship. */
  tool: string;
  /** Notes that these memories were read; counted later, not before the answer. */
  noteAccess(ids: string[]): void;
  /** Notes a fault that the answer survives. Never holds memory text. */
  report(event: string, error: unknown): void;
  memories: MemoryStore;
  writer: MemoryWriter;
  proposals: ProposalStore;
  index: SearchIndex;
  semantic: Semantic;
  graph: GraphStore;
  /** Names of those who wrote what others read. */
  people: People;
  /** Where one is configured. */
  reranker?: Reranker | undefined;
  /** How much older than the newest match a memory is when its recency counts half, ms; 90 days unless set. */
  recencyHalfLife?: number | undefined;
  /** Of the person's session, where there is one. */
  cache?: RecallCache;
  recalled?: RecentlyRecalled;
}
