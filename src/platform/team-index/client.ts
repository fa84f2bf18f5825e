import type { TeamEvent } from "../../domain/events/team-event.ts";
import { fromShortJson } from "../../domain/memories/memory-fields.ts";
import type { Memory } from "../../domain/memories/memory.ts";
import type { MemoryName, PublicPlace, RecallFound } from "../../domain/memories/memory-store.ts";
import type { VisibilityChange, IndexState } from "../../domain/recall/cache/index-state.ts";
import type { IndexStats, LikenessAnswer, LikenessQuery, MemoryPlace, PastLookUp, SearchAnswer, SearchIndex } from "../../domain/recall/retrievers/text-retriever.ts";
import { candidateLimit, findsPublic, type RetrievalRequest } from "../../domain/recall/retrieve.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { withTimeout } from "../../domain/timeout.ts";
import { answerMs, withRetries } from "./attempts.ts";
import { decodeAlike, decodeFound, type OwnFound } from "./recall.ts";
import type { TeamShard } from "./source.ts";
import type { TeamIndex } from "./team-index.ts";

type Report = (event: string, error: unknown) => void;

/** In this time the query itself can be answered: waiting longer would cost more than a kept answer saves. */
const stateMs = 200;
/** The object's own deadlines for its legs are shorter. */
const recallMs = 10_000;
const refOf = (principal: Principal): TeamShard => ({ teamId: principal.teamId, shard: principal.shard });

const total = (weights: number[]): number => weights.reduce((sum, weight) => sum + weight, 0);

/** The port over the index objects: the team's own, and its organization's for what is public. */
export class TeamIndexClient implements SearchIndex {
  readonly #namespace: DurableObjectNamespace<TeamIndex>;
  readonly #report: Report;
  /** Teams of which this isolate knows that others of their organization have something public. */
  readonly #others = new Set<string>();

  constructor(namespace: DurableObjectNamespace<TeamIndex>, report: Report) {
    this.#namespace = namespace;
    this.#report = report;
  }

  #team(principal: Principal) {
    return this.#namespace.getByName(`team:${principal.teamId}`);
  }

  #organization(principal: Principal) {
    return this.#namespace.getByName(`org:${principal.organizationId}`);
  }

  async recall(principal: Principal, now: number, request: RetrievalRequest): Promise<RecallFound | undefined> {
    const team = this.#reached("index.recall", recallMs, this.#team(principal).recall(principal, now, request));
    const publicly = (): Promise<PublicFound | undefined> =>
      this.#reached("index.recall.organization", answerMs, this.#organization(principal).recallPublic(principal, now, request));
    const wanted = findsPublic(request);
    // Side by side where there was something public before.
    const early = wanted && this.#others.has(principal.teamId) ? publicly() : undefined;
    const encoded = await team;
    if (encoded === undefined) return undefined;
    const found = decodeFound(encoded);
    if (!wanted || !found.others) return { ...found, withoutOthers: false };
    this.#others.add(principal.teamId);
    const others = await (early ?? publicly());
    if (!others) return { ...found, generation: undefined, withoutOthers: true };
    return { ...found, answer: withPublic(found, others, request), generation: both(found.generation, others.generation), withoutOthers: false };
  }

  async recallOwn(principal: Principal, now: number, request: RetrievalRequest): Promise<OwnFound | undefined> {
    const encoded = await this.#reached("index.recall", answerMs, this.#team(principal).recall(principal, now, request));
    return encoded === undefined ? undefined : decodeFound(encoded);
  }

  async alike(principal: Principal, now: number, asked: LikenessQuery, { key, namespace }: MemoryPlace): Promise<LikenessAnswer | undefined> {
    const encoded = await this.#reached("index.alike", answerMs, this.#team(principal).alike(principal, now, asked, { key, namespace } as MemoryPlace));
    return encoded === undefined ? undefined : decodeAlike(encoded);
  }

  async find(principal: Principal, now: number, name: MemoryName): Promise<Memory[] | undefined> {
    const found = await this.#reached("index.find", answerMs, this.#team(principal).find(principal, now, name));
    return found === undefined ? undefined : (JSON.parse(found) as Memory[]).map(fromShortJson);
  }

  async accessed(principal: Principal, now: number, ids: string[]): Promise<void> {
    await this.#reached("index.accessed", answerMs, this.#team(principal).accessed(principal, now, ids));
  }

  async lookUpAt(principal: Principal, at: number, query: PastLookUp): Promise<string[]> {
    const viewer = { userId: principal.userId, teamId: principal.teamId };
    return withTimeout(answerMs, this.#team(principal).lookUpAt(refOf(principal), { viewer, at, key: undefined, ...query }));
  }

  async publicByKey(principal: Principal, now: number, key: string): Promise<PublicPlace[]> {
    return withTimeout(answerMs, this.#organization(principal).publicPlaces(principal.teamId, now, { key }));
  }

  async publicById(principal: Principal, now: number, id: string): Promise<PublicPlace[]> {
    return withTimeout(answerMs, this.#organization(principal).publicPlaces(principal.teamId, now, { id }));
  }

  async stats(principal: Principal): Promise<IndexStats> {
    return withTimeout(answerMs, this.#team(principal).stats(refOf(principal)));
  }

  changed(principal: Principal, changes: readonly VisibilityChange[], events: readonly TeamEvent[]): Promise<void> {
    return withRetries(answerMs, () => this.#team(principal).putGraph(refOf(principal), { seq: 0, contributions: [], changes }, [...events])).catch((error: unknown) =>
      this.#report("index.changed", error));
  }

  async state(principal: Principal, { others }: { others: boolean } = { others: true }): Promise<IndexState | undefined> {
    const team = await this.#reached("index.state", stateMs, this.#team(principal).state(principal));
    if (!team) return undefined;
    if (!team.others || !others) return { generation: team.generation, copyKey: team.copyKey };
    const organization = await this.#reached("index.state.organization", stateMs, this.#organization(principal).state(principal));
    return organization && { generation: both(team.generation, organization.generation), copyKey: `${team.copyKey}-${organization.copyKey}` };
  }

  /** Undefined, and a line in the log, when it is late or fails. */
  async #reached<T>(event: string, deadline: number, asked: Promise<T>): Promise<T | undefined> {
    try {
      return await withTimeout(deadline, asked);
    } catch (error) {
      this.#report(event, error);
      return undefined;
    }
  }
}

type PublicFound = Awaited<ReturnType<TeamIndex["recallPublic"]>>;

const both = (team: string, organization: string): string => `${team}-${organization}`;

/** Each index scores by the rarity of words in what it holds; the others' scores are put in terms of the team's own. */
function withPublic({ answer: own }: OwnFound, others: PublicFound, { limit }: RetrievalRequest): SearchAnswer {
  const scale = total(own.weights) / total(others.weights) || 1;
  const foreign = others.hits.map(({ id, teamId, shard, score, ownTerms, contextTerms }) => ({ id, score: score * scale, ownTerms, contextTerms, place: { id, teamId, shard } }));
  return { ...own, hits: [...own.hits, ...foreign].sort((a, b) => b.score - a.score).slice(0, candidateLimit(limit)) };
}
