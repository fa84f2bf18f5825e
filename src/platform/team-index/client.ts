import type { Memory, Version } from "../../domain/memories/memory.ts";
import type { HomeChange, IndexChanges, IndexState, IndexStats, PastLookUp, PublicPlace, SearchAnswer, SearchIndex, SearchQuery } from "../../domain/ports.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { inTime, Late, within } from "../../domain/within.ts";
import { toDocument, toPastDocument } from "./document.ts";
import { leaseMargin, leaseMs } from "./leases.ts";
import type { IndexQuery } from "./search.ts";
import type { TeamRef } from "./source.ts";
import type { TeamIndex } from "./team-index.ts";

type Report = (event: string, error: unknown) => void;

/** Pauses before the second and third attempt: an object that was reset by a deployment is back within milliseconds. */
const retryMs = [20, 100];
/** Later attempts to make kept answers unreachable, when the object was out of reach for longer. */
const bumpAgainMs = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000];
/** In this time the question itself can be answered: asking on would cost more than a kept answer saves. */
const stateMs = 200;
/** An object that hangs must not make a write hang that is committed already, nor a question that others can answer. */
const hintMs = 500;
const answerMs = 2_000;
/** Of an import each document takes its time. */
const documentMs = 10;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const refOf = (principal: Principal): TeamRef => ({ teamId: principal.teamId, shard: principal.shard });

const noChanges: IndexChanges = { ids: [], terms: [] };
const both = (a: IndexChanges | undefined, b: IndexChanges | undefined): IndexChanges | undefined =>
  a && b && { ids: [...a.ids, ...b.ids], terms: [...a.terms, ...b.terms] };

const total = (weights: number[]): number => weights.reduce((sum, weight) => sum + weight, 0);

/** The port over the index objects: the team's own, and its organization's for what is public. */
export class TeamIndexClient implements SearchIndex {
  readonly #namespace: DurableObjectNamespace<TeamIndex>;
  readonly #report: Report;
  /** Writes of this isolate of which an index could not be told at all yet: no answer can be known to hold. */
  readonly #unheard = new Set<Promise<void>>();
  /** The session object that this belongs to, if it does: an index tells it of changes. */
  readonly #session: string | undefined;
  /** What the indexes said last, until when nothing else is to be expected unless they tell. */
  #believed: { state: IndexState; until: number } | undefined;
  /** How often something else was told. */
  #told = 0;

  constructor(namespace: DurableObjectNamespace<TeamIndex>, report: Report, session?: string) {
    this.#namespace = namespace;
    this.#report = report;
    this.#session = session;
  }

  /** An index is in another state than it said. */
  disbelieve(): void {
    this.#believed = undefined;
    this.#told += 1;
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

  async search(principal: Principal, now: number, query: SearchQuery, state?: IndexState): Promise<SearchAnswer> {
    const asked: IndexQuery = {
      viewer: { userId: principal.userId, teamId: principal.teamId },
      now,
      terms: query.terms,
      lent: query.neighbours,
      filter: query.filter,
      limit: query.limit,
      asOf: query.asOf,
      othersOnly: false,
    };
    const askOthers = state?.others !== false && query.asOf === undefined && (query.filter.visibility ?? "public") === "public";
    const [own, others] = await Promise.all([
      this.#team(principal).search(refOf(principal), asked),
      askOthers
        ? inTime(answerMs, this.#organization(principal).search(refOf(principal), { ...asked, othersOnly: true }))
            .catch((error: unknown) => {
              this.#report("index.search.organization", error);
              return undefined;
            })
        : undefined,
    ]);
    // Each index ranks by the rarity of words in what it holds; the others' scores are put in terms of the team's own.
    const scale = others ? total(own.weights) / total(others.weights) || 1 : 1;
    const hits = [
      ...own.hits.map(({ id, score, own, lent }) => ({ id, score, own, lent })),
      ...(others?.hits ?? []).map(({ id, teamId, shard, score, own, lent }) => ({ id, score: score * scale, own, lent, place: { id, teamId, shard } })),
    ];
    const { weights, terms, rarest, appliedSeq } = own;
    return { hits: hits.sort((a, b) => b.score - a.score).slice(0, query.limit), weights, terms, rarest, appliedSeq, withoutOthers: askOthers && !others };
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
    return this.#surely("index.changed", answerMs, () => this.#team(principal), (index) => index.putGraph(refOf(principal), { seq: 0, contributions: [], changes }));
  }

  async state(principal: Principal, since?: string): Promise<IndexState | undefined> {
    const { userId, teamId } = principal;
    const [sinceTeam, sinceOrganization] = since?.split("-") ?? [];
    if (this.#unheard.size > 0) return undefined;
    const [askedAt, told] = [Date.now(), this.#told];
    if (this.#believed && askedAt < this.#believed.until && this.#believed.state.generation === since) return this.#believed.state;
    try {
      const known = await within(stateMs, Promise.all([
        this.#team(principal).state(userId, teamId, sinceTeam, this.#session),
        this.#organization(principal).state(userId, teamId, sinceOrganization, this.#session),
      ]));
      if (!known) return undefined;
      const [team, organization] = known;
      const state: IndexState = {
        generation: `${team.generation}-${organization.generation}`,
        changes: both(team.changes, organization.changes),
        documents: team.documents,
        others: organization.others,
        pending: team.pending || organization.pending,
        copyKey: `${team.copyKey}-${organization.copyKey}`,
      };
      // What was told while this was on its way may have been said later.
      if (this.#session !== undefined && told === this.#told) this.#believed = { state: { ...state, changes: noChanges }, until: askedAt + leaseMs - leaseMargin };
      return state;
    } catch (error) {
      this.#report("index.state", error);
      return undefined;
    }
  }

  async copyKey(principal: Principal): Promise<string | undefined> {
    return (await this.state(principal, this.#believed?.state.generation))?.copyKey;
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
