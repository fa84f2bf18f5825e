import type { HomeChange, IndexChanges, IndexState, IndexStats, PastLookUp, PublicPlace, SearchAnswer, SearchIndex, SearchQuery } from "../../domain/ports.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { inTime, within } from "../../domain/within.ts";
import { answerMs, withRetries } from "./attempts.ts";
import { leaseMargin, leaseMs } from "./leases.ts";
import type { IndexQuery } from "./search.ts";
import type { TeamRef } from "./source.ts";
import type { TeamIndex } from "./team-index.ts";

type Report = (event: string, error: unknown) => void;

/** In this time the question itself can be answered: asking on would cost more than a kept answer saves. */
const stateMs = 200;
const refOf = (principal: Principal): TeamRef => ({ teamId: principal.teamId, shard: principal.shard });

const noChanges: IndexChanges = { ids: [], terms: [] };
const both = (a: IndexChanges | undefined, b: IndexChanges | undefined): IndexChanges | undefined =>
  a && b && { ids: [...a.ids, ...b.ids], terms: [...a.terms, ...b.terms] };

const total = (weights: number[]): number => weights.reduce((sum, weight) => sum + weight, 0);

/** The port over the index objects: the team's own, and its organization's for what is public. */
export class TeamIndexClient implements SearchIndex {
  readonly #namespace: DurableObjectNamespace<TeamIndex>;
  readonly #report: Report;
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
    return withRetries(answerMs, () => this.#team(principal).bump(changes)).catch((error: unknown) => this.#report("index.changed", error));
  }

  async state(principal: Principal, since?: string): Promise<IndexState | undefined> {
    const { userId, teamId } = principal;
    const [sinceTeam, sinceOrganization] = since?.split("-") ?? [];
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
}
