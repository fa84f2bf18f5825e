import type { Memory, Version } from "../../domain/memories/memory.ts";
import type { HomeChange, IndexState, IndexStats, MemoryName, PastLookUp, PublicPlace, RecallFound, SearchAnswer, SearchIndex } from "../../domain/ports.ts";
import { candidateLimit, findsPublic, type RetrievalRequest } from "../../domain/search/retrieve.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { inTime, Late } from "../../domain/within.ts";
import { toDocument, toPastDocument } from "./document.ts";
import { decodeFound, type OwnFound } from "./recall.ts";
import type { TeamRef } from "./source.ts";
import type { TeamIndex } from "./team-index.ts";

type Report = (event: string, error: unknown) => void;

/** Pauses before the second and third attempt: an object that was reset by a deployment is back within milliseconds. */
const retryMs = [20, 100];
/** Later attempts to make kept answers unreachable, when the object was out of reach for longer. */
const bumpAgainMs = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000];
/** In this time the query itself can be answered: waiting longer would cost more than a kept answer saves. */
const stateMs = 200;
/** The object's own deadlines for its legs are shorter. */
const recallMs = 10_000;
/** An object that hangs must not make a write hang that is committed already, nor a question that others can answer. */
const hintMs = 500;
const answerMs = 2_000;
/** Of an import each document takes its time. */
const documentMs = 10;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const refOf = (principal: Principal): TeamRef => ({ teamId: principal.teamId, shard: principal.shard });

const total = (weights: number[]): number => weights.reduce((sum, weight) => sum + weight, 0);

/** The port over the index objects: the team's own, and its organization's for what is public. */
export class TeamIndexClient implements SearchIndex {
  readonly #namespace: DurableObjectNamespace<TeamIndex>;
  readonly #report: Report;
  /** Writes of this isolate of which an index could not be told at all yet: no answer can be known to hold. */
  readonly #unheard = new Set<Promise<void>>();
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

  async apply(principal: Principal, memories: Memory[], history?: ReadonlyMap<string, Version[]>): Promise<void> {
    const documents = memories.flatMap((memory) => [
      ...(history?.get(memory.id) ?? []).map((version) => toPastDocument(memory, version)),
      toDocument(memory),
    ]);
    const first = memories[0]?.seq ?? 0;
    const last = memories.at(-1)?.seq ?? 0;
    const deadline = answerMs + documents.length * documentMs;
    // A later version may have ceased to be public: the organization's index must hear of it all the same.
    const forOrganization = documents.filter((document) => document.visibility === "public" || document.version > 1);
    await Promise.all([
      this.#surely("index.apply", deadline, () => this.#team(principal), (index) => index.apply(refOf(principal), documents, first, last)),
      forOrganization.length > 0
        ? this.#surely("index.apply.organization", deadline, () => this.#organization(principal), (index) => index.apply(refOf(principal), forOrganization, first, last))
        : undefined,
    ]);
  }

  async remove(principal: Principal, removed: { memories: Memory[]; lastSeq: number }): Promise<void> {
    const ids = removed.memories.map(({ id }) => id);
    const first = removed.lastSeq - ids.length + 1;
    const deadline = answerMs + ids.length * documentMs;
    const wasPublic = removed.memories.filter(({ visibility }) => visibility === "public").map(({ id }) => id);
    await Promise.all([
      this.#surely("index.remove", deadline, () => this.#team(principal), (index) => index.remove(refOf(principal), ids, first, removed.lastSeq)),
      wasPublic.length > 0
        ? this.#surely("index.remove.organization", deadline, () => this.#organization(principal), (index) => index.remove(refOf(principal), wasPublic, first, removed.lastSeq))
        : undefined,
    ]);
  }

  async mayHoldKey(principal: Principal, key: string): Promise<boolean> {
    try {
      return await inTime(hintMs, this.#team(principal).holdsKey(key));
    } catch (error) {
      this.#report("index.holdsKey", error);
      return true;
    }
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

  async find(principal: Principal, now: number, name: MemoryName): Promise<Memory[] | undefined> {
    const found = await this.#reached("index.find", answerMs, this.#team(principal).find(principal, now, name));
    return found === undefined ? undefined : (JSON.parse(found) as Memory[]);
  }

  async accessed(principal: Principal, now: number, ids: string[]): Promise<void> {
    await this.#reached("index.accessed", answerMs, this.#team(principal).accessed(principal, now, ids));
  }

  async lookUpAt(principal: Principal, at: number, query: PastLookUp): Promise<{ ids: string[]; appliedSeq: number }> {
    const viewer = { userId: principal.userId, teamId: principal.teamId };
    return inTime(answerMs, this.#team(principal).lookUpAt(refOf(principal), { viewer, at, key: undefined, ...query }));
  }

  async catchUp(principal: Principal, seq: number): Promise<void> {
    await this.#team(principal).catchUp(refOf(principal), seq);
  }

  async publicByKey(principal: Principal, now: number, key: string): Promise<PublicPlace[]> {
    return inTime(answerMs, this.#organization(principal).publicPlaces(principal.teamId, now, { key }));
  }

  async publicById(principal: Principal, now: number, id: string): Promise<PublicPlace[]> {
    return inTime(answerMs, this.#organization(principal).publicPlaces(principal.teamId, now, { id }));
  }

  async stats(principal: Principal): Promise<IndexStats> {
    return inTime(answerMs, this.#team(principal).stats(refOf(principal)));
  }

  changed(principal: Principal, changes: readonly HomeChange[]): Promise<void> {
    return this.#surely("index.changed", answerMs, () => this.#team(principal), (index) => index.bump(changes));
  }

  async state(principal: Principal, { others }: { others: boolean } = { others: true }): Promise<IndexState | undefined> {
    if (this.#unheard.size > 0) return undefined;
    const team = await this.#reached("index.state", stateMs, this.#team(principal).state(principal));
    if (!team) return undefined;
    if (!team.others || !others) return { generation: team.generation, copyKey: team.copyKey };
    const organization = await this.#reached("index.state.organization", stateMs, this.#organization(principal).state(principal));
    return organization && { generation: both(team.generation, organization.generation), copyKey: `${team.copyKey}-${organization.copyKey}` };
  }

  /** Undefined, and a line in the log, when it is late or fails. */
  async #reached<T>(event: string, deadline: number, asked: Promise<T>): Promise<T | undefined> {
    try {
      return await inTime(deadline, asked);
    } catch (error) {
      this.#report(event, error);
      return undefined;
    }
  }

  /**
   * The write is committed whatever happens here; the next search notices the gap, and a sweep repairs it within a minute.
   * Until then answers kept from before the write must not be served: if the index cannot take the change it can perhaps
   * still count it. When it could not even be reached, kept answers could not be used either, and it hears of the change
   * soon after it is back. What remains is an index that this writer alone cannot reach: there an answer may be older than
   * the write until the sweep.
   */
  async #surely(
    event: string, deadline: number, index: () => DurableObjectStub<TeamIndex>, work: (index: DurableObjectStub<TeamIndex>) => Promise<unknown>,
  ): Promise<void> {
    for (const pauseMs of [...retryMs, undefined]) {
      try {
        await inTime(deadline, work(index()));
        return;
      } catch (error) {
        // Whoever asks again waits as long again.
        const isLast = pauseMs === undefined || error instanceof Late;
        if (isLast) {
          this.#report(event, error);
          break;
        }
        await pause(pauseMs);
      }
    }
    const bumped = (): Promise<boolean> => inTime(hintMs, index().bump()).then(() => true, () => false);
    if (await bumped()) return;
    const told = this.#untilBumped(bumped);
    this.#unheard.add(told);
    void told.finally(() => this.#unheard.delete(told));
  }

  async #untilBumped(bumped: () => Promise<boolean>): Promise<void> {
    for (const pauseMs of bumpAgainMs) {
      await pause(pauseMs);
      if (await bumped()) return;
    }
  }
}

type PublicFound = Awaited<ReturnType<TeamIndex["recallPublic"]>>;

const both = (team: string, organization: string): string => `${team}-${organization}`;

/** Each index scores by the rarity of words in what it holds; the others' scores are put in terms of the team's own. */
function withPublic({ answer: own }: OwnFound, others: PublicFound, { limit }: RetrievalRequest): SearchAnswer {
  const scale = total(own.weights) / total(others.weights) || 1;
  const foreign = others.hits.map(({ id, teamId, shard, score, own, lent }) => ({ id, score: score * scale, own, lent, place: { id, teamId, shard } }));
  return { ...own, hits: [...own.hits, ...foreign].sort((a, b) => b.score - a.score).slice(0, candidateLimit(limit)) };
}
