import type { ShownVectors, TeamHome, VectorEntry, VectorHit, VectorIndex, VectorInspection, VectorKind, VectorName } from "../../domain/search/vector-index.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import type { PendingHit, PendingVector, SpaceRef } from "../team-index/pending-vectors.ts";
import type { TeamIndex } from "../team-index/team-index.ts";
import { inTime } from "../../domain/within.ts";
import type { VectorizeBinding, VectorizeBindings } from "./bindings.ts";
import { settlePending } from "./settle.ts";
import { batches, deleteVectors, readBatch } from "./deletion.ts";
import { markOf, organizationNamespace, parseVectorId, teamDigest, teamNamespace, vectorId, type VectorPlace } from "./vector-ids.ts";

/** Limits of Vectorize: vectors per upsert from a Worker, results without content. */
const upsertBatch = 1_000;
const maxTopK = 100;

/** What other teams of the organization may find. */
const maybePublic: ReadonlySet<VectorKind> = new Set(["memory"]);
/** How long a query waits to hear what Vectorize does not show yet, ms: without it the rest is still an answer. */
const scanMs = 500;
/** And how long for what other teams made public. */
const othersMs = 1_000;

/** With so many waiting, a write asks whether Vectorize shows the oldest by now, instead of leaving it to the next minute. */
const settleAbove = 2_000;

/** Digests of team ids that are remembered. */
const mostDigests = 1_000;

type Index = DurableObjectStub<TeamIndex>;
type Report = (event: string, error: unknown) => void;

/**
 * Vectors of a team in Vectorize, one namespace for each team and vector space, and what Vectorize does not show yet in the
 * team's index object. Public ones have a second copy in the organization's namespace and index object. Metadata:
 * `audience` ("team" or the owner's user id), `kind` and `version`; of copies `kind`, `version`, `team` and `shard`
 * (metadata-indexes.ts says which must be indexed). A hit counts only if its id names the team that is asked, or the one
 * that the copy's metadata says.
 */
export class VectorizeIndex implements VectorIndex, VectorInspection {
  readonly #bindings: VectorizeBindings;
  readonly #objects: DurableObjectNamespace<TeamIndex>;
  readonly #report: Report;
  readonly #marks = new Map<string, string>();
  readonly #digests = new Map<string, string>();

  constructor(bindings: VectorizeBindings, objects: DurableObjectNamespace<TeamIndex>, report: Report) {
    this.#bindings = bindings;
    this.#objects = objects;
    this.#report = report;
  }

  async upsert(team: TeamHome, space: string, entries: VectorEntry[]): Promise<void> {
    const dimensions = entries[0]?.values.length;
    if (dimensions === undefined) return;
    const mark = await this.#mark(space);
    const digest = await this.#digest(team.teamId);
    const binding = await this.#bindings.withDimensions(dimensions);
    const own = entries.map((entry) => pendingOf(team, { team: digest, mark, copy: "team" }, entry));
    const copies = entries.filter(({ visibility }) => visibility === "public").map((entry) => pendingOf(team, { team: digest, mark, copy: "organization" }, entry));
    // A later version may have ceased to be public.
    const withdrawn = entries.filter(({ kind, visibility, version }) => maybePublic.has(kind) && visibility !== "public" && version > 1);
    const [full] = await Promise.all([
      this.#write(binding, this.#team(team), { mark, dimensions }, own),
      copies.length > 0 ? this.#write(binding, this.#organization(team), { mark, dimensions }, copies) : undefined,
      withdrawn.length > 0 ? this.#withdraw(binding, team, { mark, copy: "organization" }, withdrawn) : undefined,
    ]);
    if (full) await this.settle(team);
  }

  async remove(team: TeamHome, entries: VectorName[], space?: string): Promise<void> {
    const copied = entries.filter(({ kind }) => maybePublic.has(kind));
    const only = space === undefined ? undefined : await this.#mark(space);
    for (const { mark, dimensions } of await this.#team(team).vectorSpaces()) {
      if (only !== undefined && mark !== only) continue;
      // An index that is no longer bound took its vectors along.
      const binding = await this.#bindings.find(dimensions);
      await Promise.all([
        this.#withdraw(binding, team, { mark, copy: "team" }, entries),
        this.#withdraw(binding, team, { mark, copy: "organization" }, copied),
      ]);
    }
  }

  async query(principal: Principal, space: string, values: Float32Array, options: Parameters<VectorIndex["query"]>[3]): Promise<VectorHit[]> {
    const { kinds, limit, state = { others: true, pending: true } } = options;
    const mark = await this.#mark(space);
    const binding = await this.#bindings.withDimensions(values.length);
    const audiences = ["team", principal.userId];
    // What waits replaces some of them, and the truth drops others.
    const topK = Math.min(maxTopK, 2 * limit);
    const namespace = teamNamespace(principal.teamId, mark);
    const publicKinds = kinds.filter((kind) => maybePublic.has(kind));
    // Vectorize has no limit of each kind, and the many short names would crowd out the memories: two questions, side by side.
    const asked = [publicKinds, kinds.filter((kind) => !maybePublic.has(kind))].filter((group) => group.length > 0);
    const own = this.#merged(
      state.pending ? this.#team(principal) : undefined,
      { namespace, values, kinds, audiences, limit },
      ...asked.map((group) => binding.query(values, { namespace, topK, filter: { audience: { $in: audiences }, kind: { $in: group } } })),
    );
    const others = (): Promise<Found[]> =>
      inTime(othersMs, this.#merged(
        state.pending ? this.#organization(principal) : undefined,
        { namespace: organizationNamespace(principal.organizationId, mark), values, kinds: publicKinds, exceptTeam: principal.teamId, limit },
        binding.query(values, {
          namespace: organizationNamespace(principal.organizationId, mark), topK, returnMetadata: "indexed",
          filter: { team: { $ne: principal.teamId }, kind: { $in: publicKinds } },
        }),
      )).catch((error: unknown): Found[] => {
        this.#report("vectors.query.organization", error);
        return [];
      });
    const [mine, theirs] = await Promise.all([own, state.others && publicKinds.length > 0 ? others() : []]);
    const hits = await Promise.all([
      ...mine.map(async (found) => this.#accepted(found, principal.teamId)),
      ...theirs.map(async (found) => (await this.#accepted(found, found.teamId)).map((hit): VectorHit => ({ ...hit, teamId: found.teamId, shard: found.shard }))),
    ]);
    const ranked = hits.flat().sort((a, b) => b.similarity - a.similarity);
    const ofKind = Map.groupBy(ranked, ({ kind }) => kind);
    const kept = new Set(kinds.flatMap((kind) => ofKind.get(kind)?.slice(0, limit) ?? []));
    return ranked.filter((hit) => kept.has(hit));
  }

  /** Nothing of another team than the id names. Ids of the former form name none: there the namespace and the metadata have to do. */
  async #accepted({ id: vectorId, similarity }: Found, teamId: string): Promise<VectorHit[]> {
    const { kind, id, team } = parseVectorId(vectorId);
    return team === undefined || team === (await this.#digest(teamId)) ? [{ kind, id, similarity }] : [];
  }

  /** Lets go of what Vectorize shows by now; called every minute. */
  async settle(team: TeamHome): Promise<void> {
    await Promise.all([settlePending(this.#team(team), this.#bindings), settlePending(this.#organization(team), this.#bindings)]);
  }

  async missing(team: TeamHome, space: string, entries: VectorEntry[]): Promise<VectorName[]> {
    const [first] = entries;
    if (!first) return [];
    const [mark, digest, binding] = await Promise.all([this.#mark(space), this.#digest(team.teamId), this.#bindings.withDimensions(first.values.length)]);
    const own = await this.#missingOf(binding, this.#team(team), entries.map((entry) => pendingOf(team, { team: digest, mark, copy: "team" }, entry)));
    const open = entries.filter(({ visibility }) => visibility === "public");
    const copies = await this.#missingOf(binding, this.#organization(team), open.map((entry) => pendingOf(team, { team: digest, mark, copy: "organization" }, entry)));
    return [...new Set([...own, ...copies])].map((name) => parseVectorId(name)).map(({ kind, id }) => ({ kind, id }));
  }

  async shown(team: TeamHome, space: string, kinds: readonly VectorKind[], near?: Float32Array): Promise<ShownVectors> {
    const mark = await this.#mark(space);
    const known = (await this.#team(team).vectorSpaces()).find((one) => one.mark === mark);
    const binding = known && (await this.#bindings.find(known.dimensions));
    if (!binding) return { own: [], copies: [] };
    const values = near ?? Float32Array.from({ length: known.dimensions }, (_, i) => (i === 0 ? 1 : 0));
    const copied = kinds.filter((kind) => maybePublic.has(kind));
    const [own, copies] = await Promise.all([
      binding.query(values, { namespace: teamNamespace(team.teamId, mark), topK: maxTopK, filter: { kind: { $in: [...kinds] } } }),
      copied.length > 0
        ? binding.query(values, { namespace: organizationNamespace(team.organizationId, mark), topK: maxTopK, filter: { team: team.teamId, kind: { $in: copied } } })
        : { matches: [] },
    ]);
    const named = async ({ id: vectorId }: { id: string }): Promise<VectorName[]> => {
      const { kind, id, team: named } = parseVectorId(vectorId);
      return named === (await this.#digest(team.teamId)) ? [{ kind, id }] : [];
    };
    return { own: (await Promise.all(own.matches.map(named))).flat(), copies: (await Promise.all(copies.matches.map(named))).flat() };
  }

  async withdrawCopies(team: TeamHome, space: string, entries: VectorName[]): Promise<void> {
    const mark = await this.#mark(space);
    const known = (await this.#team(team).vectorSpaces()).find((one) => one.mark === mark);
    await this.#withdraw(known && (await this.#bindings.find(known.dimensions)), team, { mark, copy: "organization" }, entries);
  }

  /** Ids of those that Vectorize does not show as they are, and that do not wait either. */
  async #missingOf(binding: VectorizeBinding, object: Index, wanted: PendingVector[]): Promise<string[]> {
    const shown = new Map<string, Awaited<ReturnType<VectorizeBinding["getByIds"]>>[number]>();
    for (const batch of batches(wanted, readBatch)) {
      for (const found of await binding.getByIds(batch.map(({ id }) => id))) shown.set(found.id, found);
    }
    const missing = wanted.filter((vector) => !shows(shown.get(vector.id), vector)).map(({ id }) => id);
    const waiting = new Set(missing.length > 0 ? await object.vectorsWaitingAmong(missing) : []);
    return missing.filter((id) => !waiting.has(id));
  }

  /** First where it is found at once, so that nothing can be lost between the two. Answers whether too much waits. */
  async #write(binding: VectorizeBinding, object: Index, space: SpaceRef, vectors: PendingVector[]): Promise<boolean> {
    let waiting = 0;
    for (const batch of batches(vectors, upsertBatch)) {
      const put = await object.putVectors(space, batch);
      const outdated = new Set(put.outdated);
      const current = batch.filter(({ id }) => !outdated.has(id));
      if (current.length > 0) await binding.upsert(current.map(toVectorize));
      ({ waiting } = put);
    }
    return waiting > settleAbove;
  }

  async #withdraw(binding: VectorizeBinding | undefined, team: TeamHome, place: Omit<VectorPlace, "team">, entries: VectorName[]): Promise<void> {
    if (entries.length === 0) return;
    const digest = await this.#digest(team.teamId);
    const ids = entries.map(({ kind, id }) => vectorId(kind, id, { ...place, team: digest }));
    await (place.copy === "team" ? this.#team(team) : this.#organization(team)).removeVectors(ids);
    if (binding) await deleteVectors(binding, team, place.mark, ids);
  }

  /** What waits is newer than what Vectorize shows of it. Either is worth having without the object that knows what waits; without one nothing does. */
  async #merged(object: Index | undefined, query: Parameters<TeamIndex["scanVectors"]>[0], ...asked: ReturnType<VectorizeBinding["query"]>[]): Promise<Found[]> {
    const unheard = <T>(nothing: T) => (error: unknown): T => {
      this.#report("vectors.waiting", error);
      return nothing;
    };
    const none = { hits: [] as PendingHit[], waiting: 0 };
    const [{ hits, waiting }, ...answers] = await Promise.all([object ? inTime(scanMs, object.scanVectors(query)).catch(unheard(none)) : none, ...asked]);
    const matches = answers.flatMap((answer) => answer.matches);
    const ids = matches.map(({ id }) => id);
    const outdated = new Set(object && waiting > 0 ? await inTime(scanMs, object.vectorsWaitingAmong(ids)).catch(unheard<string[]>([])) : []);
    const shown = matches
      .filter(({ id }) => !outdated.has(id))
      .map(({ id, score, metadata }): Found => ({ id, similarity: score, teamId: String(metadata?.["team"]), shard: String(metadata?.["shard"]) }));
    return [...hits, ...shown];
  }

  async #mark(space: string): Promise<string> {
    const mark = this.#marks.get(space) ?? (await markOf(space));
    this.#marks.set(space, mark);
    return mark;
  }

  async #digest(teamId: string): Promise<string> {
    const digest = this.#digests.get(teamId) ?? (await teamDigest(teamId));
    if (this.#digests.size >= mostDigests) this.#digests.clear();
    this.#digests.set(teamId, digest);
    return digest;
  }

  #team({ teamId }: { teamId: string }): Index {
    return this.#objects.getByName(`team:${teamId}`);
  }

  #organization({ organizationId }: { organizationId: string }): Index {
    return this.#objects.getByName(`org:${organizationId}`);
  }
}

type Found = PendingHit;

function pendingOf(team: TeamHome, place: VectorPlace, entry: VectorEntry): PendingVector {
  const { kind, version, visibility, ownerId, values } = entry;
  const { mark, copy } = place;
  return {
    id: vectorId(kind, entry.id, place),
    namespace: copy === "team" ? teamNamespace(team.teamId, mark) : organizationNamespace(team.organizationId, mark),
    kind, version, values,
    audience: copy === "team" && visibility === "private" ? ownerId : "team",
    teamId: team.teamId,
    shard: team.shard,
  };
}

/** In this version as it is to be, or in a newer one. */
function shows(found: { namespace?: string; metadata?: Record<string, VectorizeVectorMetadata> } | undefined, vector: PendingVector): boolean {
  const { version, ...wanted } = toVectorize(vector).metadata as Record<string, VectorizeVectorMetadata> & { version: number };
  const shownVersion = Number(found?.metadata?.["version"] ?? 0);
  if (shownVersion !== version) return shownVersion > version;
  return found?.namespace === vector.namespace && Object.entries(wanted).every(([name, value]) => found.metadata?.[name] === value);
}

function toVectorize({ id, namespace, kind, version, audience, teamId, shard, values }: PendingVector): VectorizeVector {
  const metadata = namespace.startsWith("org:") ? { kind, version, team: teamId, shard } : { kind, version, audience };
  return { id, namespace, values, metadata };
}
