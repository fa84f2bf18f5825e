import type { TeamEvent } from "./events/team-event.ts";
import type { GraphStore } from "./graph/graph-store.ts";
import type { GuardPolicyStore } from "./guard/guard-policy.ts";
import type { IndexingQueue } from "./indexing/indexing-queue.ts";
import type { Intelligence } from "./intelligence/intelligence.ts";
import type { CallReading } from "./metrics/prevention.ts";
import type { RecentlyRecalled } from "./memories/loop-guard.ts";
import type { ProposalStore } from "./memories/proposal-store.ts";
import type { ReversionStore } from "./memories/reversion-store.ts";
import type { MemoryStore, MemoryWriter } from "./memories/memory-store.ts";
import type { SearchIndex } from "./recall/retrievers/text-retriever.ts";
import type { RecallCache } from "./recall/cache/recall-cache.ts";
import type { Reranker } from "./recall/ranking/rerank.ts";
import type { Semantic } from "./recall/retrievers/vector-retriever.ts";
import type { SessionTrail } from "./sessions/session-trail.ts";
import type { People } from "./tenancy/people.ts";
import type { Principal } from "./tenancy/principal.ts";
import type { WorkflowStore } from "./workflows/workflow-store.ts";

/** Everything a verb may use: who asks, when, with which tool, and the ports. */
export interface Context {
  principal: Principal;
  /** ms since the epoch. */
  now: number;
  requestId: string;
  /** The client's address, as far as the edge knows it. */
  address?: string | undefined;
  /** Name of the client that speaks for the person, such as `claude-code`; kept as authorship. */
  tool: string;
  /** Notes that these memories were read; counted later, not before the answer. */
  noteAccess(ids: string[]): void;
  /** Tells the team's event bus, behind the answer. */
  tell?(events: TeamEvent[]): void;
  /** Told how much of a long call is done, where its client wants to know. */
  progress?: ((done: number, total: number) => Promise<void>) | undefined;
  /** Notes a fault that the answer survives. Never holds memory text. */
  report(event: string, error: unknown): void;
  memories: MemoryStore;
  writer: MemoryWriter;
  proposals: ProposalStore;
  /** What the team does with secrets and instructions in what is written. */
  guard: GuardPolicyStore;
  reversions: ReversionStore;
  index: SearchIndex;
  semantic: Semantic;
  graph: GraphStore;
  /** Understands what is written. Whoever answers a call of a client answers by rules, at once. */
  intelligence: Intelligence;
  /** Wakes the work that follows the team's writes. */
  indexingQueue: IndexingQueue;
  /** What the person did, step by step. */
  workflows: WorkflowStore;
  /** Names of those who wrote what others read. */
  people: People;
  /** Where one is configured. */
  reranker?: Reranker | undefined;
  /** Says how well the words of texts meet those of a question by meaning; asked where the words themselves do not. */
  wordMatcher?: Reranker | undefined;
  /** How much older than the newest match a memory is when its recency counts half, ms; 90 days unless set. */
  recencyHalfLife?: number | undefined;
  /** Whether a long content gets a compressed form where a call does not say, as it does unless the person wants it otherwise. */
  compresses?: boolean;
  /** The cache of the person's session, where there is one. */
  cache?: RecallCache;
  recalled?: RecentlyRecalled;
  /** Of the person's work session, where a client calls that may write. */
  trail?: SessionTrail | undefined;
  /** Where what a call reads is measured. */
  reading?: CallReading;
}
