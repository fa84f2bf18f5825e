import type { ShownVectors, VectorEntry, VectorHit, VectorIndex, VectorInspection, VectorKind, VectorName } from "../../domain/embedding/vector-index.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { youngMs } from "../team-index/vectors/eviction.ts";
import type { TeamIndex } from "../team-index/team-index.ts";
import type { CopiedVector, Near, NearQuery } from "../team-index/vectors/vector-copy.ts";
import type { SpaceRef } from "../team-index/vectors/vector-tables.ts";
import { withTimeout } from "../../domain/timeout.ts";
import type { VectorizeBinding, VectorizeBindings } from "./bindings.ts";
import { batches, deleteVectors, readBatch } from "./deletion.ts";
import { markOf, organizationNamespace, parseVectorId, teamDigest, teamNamespace, vectorId, type VectorPlace } from "./vector-ids.ts";

/** Limits of Vectorize: vectors per upsert from a Worker, results without content. */
const upsertBatch = 1_000;
const maxTopK = 100;

/** Kinds that other teams of the organization may find. */
const maybePublic: ReadonlySet<VectorKind> = new Set(["memory"]);
/** How long a query waits for the object's copy, ms: what Vectorize shows is still an answer. */
const nearMs = 500;
/** And how long for what other teams made public. */
const othersMs = 1_000;

/** Digests of team ids that are remembered. */
const mostDigests = 1_000;
const mostComplete = 10_000;

type Index = ReturnType<VectorObjects["getByName"]>;
type Report = (event: string, error: unknown) => void;

type Called<K extends "putVectors" | "removeVectors" | "nearVectors" | "heldVectors" | "vectorSpaces"> = {
  [Name in K]: (...args: Parameters<TeamIndex[Name]>) => Awaited<ReturnType<TeamIndex[Name]>> | PromiseLike<Awaited<ReturnType<TeamIndex[Name]>>>;
};

/** The objects of teams and organizations, as they are called from elsewhere or from one of them. */
export interface VectorObjects {
  getByName(name: string): Called<"putVectors" | "removeVectors" | "nearVectors" | "heldVectors" | "vectorSpaces">;
}

/**
 * Vectors of a team in Vectorize, one namespace for each team and vector space, and their copy in the team's index object, which
 * finds them at once. A question goes to Vectorize only where the copy is not complete. Public vectors have a second copy in the
 * organization's namespace and index object. Metadata:
 * `audience` ("team" or the owner's user id), `kind` and `version`; of copies `kind`, `version`, `team` and `shard`
 * (metadata-indexes.ts says which must be indexed). A hit counts only if its id names the team that is asked, or the one
 * that the copy's metadata says.
 */
export class VectorizeIndex implements VectorIndex, VectorInspection {
  readonly #bindings: VectorizeBindings;
  readonly #objects: VectorObjects;
  readonly #report: Report;
  readonly #digests = new Map<string, string>();
  /** Objects and spaces whose copy was complete when it was last asked: Vectorize is asked only after it then. */
  readonly #complete = new Set<string>();

  constructor(bindings: VectorizeBindings, objects: VectorObjects, report: Report) {
    this.#bindings = bindings;
    this.#objects = objects;
    this.#report = report;
  }

  async upsert(team: TeamRef, space: string, entries: VectorEntry[]): Promise<void> {
    const dimensions = entries[0]?.values.length;
    if (dimensions === undefined) return;
    const mark = await markOf(space);
    const digest = await this.#digest(team.teamId);
    const binding = await this.#bindings.withDimensions(dimensions);
    const own = entries.map((entry) => placed(team, { team: digest, mark, copy: "team" }, entry));
    const copies = entries.filter(({ visibility }) => visibility === "public").map((entry) => placed(team, { team: digest, mark, copy: "organization" }, entry));
    // A later version may have ceased to be public.
    const withdrawn = entries.filter(({ kind, visibility, version }) => maybePublic.has(kind) && visibility !== "public" && version > 1);
    await Promise.all([
      this.#write(binding, this.#team(team), { mark, dimensions }, own),
      copies.length > 0 ? this.#write(binding, this.#organization(team), { mark, dimensions }, copies) : undefined,
      withdrawn.length > 0 ? this.#withdraw(binding, team, { mark, copy: "organization" }, withdrawn) : undefined,
    ]);
  }

  async remove(team: TeamRef, entries: VectorName[], space?: string): Promise<void> {
    const copied = entries.filter(({ kind }) => maybePublic.has(kind));
    const only = space === undefined ? undefined : await markOf(space);
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
    const { kinds, limit, others: asksOthers = true } = options;
    const mark = await markOf(space);
    // A complete copy answers without Vectorize, which may be away.
    const asked = async (options: VectorizeQueryOptions) => (await this.#bindings.withDimensions(values.length)).query(values, options);
    const audiences = ["team", principal.userId];
    // What the copy holds replaces some of them, and the truth drops others.
    const topK = Math.min(maxTopK, 2 * limit);
    const namespace = teamNamespace(principal.teamId, mark);
    const publicKinds = kinds.filter((kind) => maybePublic.has(kind));
    // Vectorize has no limit of each kind, and the many short names would crowd out the memories: two questions, side by side.
    const groups = [publicKinds, kinds.filter((kind) => !maybePublic.has(kind))].filter((group) => group.length > 0);
    const own = this.#merged(`team:${principal.teamId}`, principal, { mark, values, kinds, audiences, limit }, () =>
      groups.map((group) => asked({ namespace, topK, filter: { audience: { $in: audiences }, kind: { $in: group } } })));
    const others = (): Promise<PendingMatch[]> =>
      withTimeout(othersMs, this.#merged(`org:${principal.organizationId}`, principal, { mark, values, kinds: publicKinds, exceptTeam: principal.teamId, limit }, () => [
        asked({
          namespace: organizationNamespace(principal.organizationId, mark), topK, returnMetadata: "indexed",
          filter: { team: { $ne: principal.teamId }, kind: { $in: publicKinds } },
        }),
      ])).catch((error: unknown): PendingMatch[] => {
        this.#report("vectors.query.organization", error);
        return [];
      });
    const [mine, theirs] = await Promise.all([own, asksOthers && publicKinds.length > 0 ? others() : []]);
    const accepted = await this.#accepted(mine, () => principal.teamId);
    const acceptedOthers = await this.#accepted(theirs, ({ teamId }) => teamId);
    const ranked = [
      ...accepted.map(({ kind, id, similarity }): VectorHit => ({ kind, id, similarity })),
      ...acceptedOthers.map(({ kind, id, similarity, teamId, shard }): VectorHit => ({ kind, id, similarity, teamId, shard })),
    ].sort((a, b) => b.similarity - a.similarity);
    const ofKind = Map.groupBy(ranked, ({ kind }) => kind);
    const kept = new Set(kinds.flatMap((kind) => ofKind.get(kind)?.slice(0, limit) ?? []));
    return ranked.filter((hit) => kept.has(hit));
  }

  /** Nothing of another team than the id names. Ids of the former form name none: there the namespace and the metadata have to do. */
  async #accepted(matches: PendingMatch[], teamOf: (match: PendingMatch) => string): Promise<PendingMatch[]> {
    const named = new Set(matches.flatMap((match) => (match.team === undefined ? [] : [teamOf(match)])));
    const digests = new Map(await Promise.all([...named].map(async (teamId) => [teamId, await this.#digest(teamId)] as const)));
    return matches.filter((match) => match.team === undefined || match.team === digests.get(teamOf(match)));
  }

  async missing(team: TeamRef, space: string, entries: VectorEntry[]): Promise<VectorName[]> {
    const [first] = entries;
    if (!first) return [];
    const [mark, digest, binding] = await Promise.all([markOf(space), this.#digest(team.teamId), this.#bindings.withDimensions(first.values.length)]);
    const own = await this.#missingOf(binding, this.#team(team), entries.map((entry) => placed(team, { team: digest, mark, copy: "team" }, entry)));
    const open = entries.filter(({ visibility }) => visibility === "public");
    const copies = await this.#missingOf(binding, this.#organization(team), open.map((entry) => placed(team, { team: digest, mark, copy: "organization" }, entry)));
    return [...new Set([...own, ...copies])].map((name) => parseVectorId(name)).map(({ kind, id }) => ({ kind, id }));
  }

  async shown(team: TeamRef, space: string, kinds: readonly VectorKind[], near?: Float32Array): Promise<ShownVectors> {
    const mark = await markOf(space);
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

  async withdrawCopies(team: TeamRef, space: string, entries: VectorName[]): Promise<void> {
    const mark = await markOf(space);
    const known = (await this.#team(team).vectorSpaces()).find((one) => one.mark === mark);
    await this.#withdraw(known && (await this.#bindings.find(known.dimensions)), team, { mark, copy: "organization" }, entries);
  }

  /** Ids of those that Vectorize does not show as they are, though it was given them long enough ago. */
  async #missingOf(binding: VectorizeBinding, object: Index, wanted: PlacedVector[]): Promise<string[]> {
    const shown = new Map<string, Awaited<ReturnType<VectorizeBinding["getByIds"]>>[number]>();
    for (const batch of batches(wanted, readBatch)) {
      for (const found of await binding.getByIds(batch.map(({ id }) => id))) shown.set(found.id, found);
    }
    const missing = wanted.filter((vector) => !shows(shown.get(vector.id), vector)).map(({ id }) => id);
    if (missing.length === 0) return [];
    const youngest = Date.now() - youngMs;
    const young = new Set((await object.heldVectors(missing)).filter(({ at }) => at > youngest).map(({ id }) => id));
    return missing.filter((id) => !young.has(id));
  }

  /** First where it is found at once, so that nothing can be lost between the two. */
  async #write(binding: VectorizeBinding, object: Index, space: SpaceRef, vectors: PlacedVector[]): Promise<void> {
    for (const batch of batches(vectors, upsertBatch)) {
      const outdated = new Set((await object.putVectors(space, batch.map(copied))).outdated);
      const current = batch.filter(({ id }) => !outdated.has(id));
      if (current.length > 0) await binding.upsert(current.map(toVectorize));
    }
  }

  async #withdraw(binding: VectorizeBinding | undefined, team: TeamRef, place: Omit<VectorPlace, "team">, entries: VectorName[]): Promise<void> {
    if (entries.length === 0) return;
    const digest = await this.#digest(team.teamId);
    const ids = entries.map(({ kind, id }) => vectorId(kind, id, { ...place, team: digest }));
    await (place.copy === "team" ? this.#team(team) : this.#organization(team)).removeVectors(ids);
    if (binding) await deleteVectors(binding, team, place.mark, ids);
  }

  /**
   * What the copy holds is no older than what Vectorize shows of it, and takes its place. A copy that was complete is asked alone
   * first; of another one Vectorize is asked at the same time. Without the object, what Vectorize shows is the answer.
   */
  async #merged(name: string, team: TeamRef, query: NearQuery, ask: () => ReturnType<VectorizeBinding["query"]>[]): Promise<PendingMatch[]> {
    const object = this.#objects.getByName(name);
    const key = `${name} ${query.mark}`;
    const asked = this.#complete.has(key) ? undefined : Promise.all(ask());
    // Its failure is told where it is awaited; an answer without it may come first.
    asked?.catch(() => undefined);
    const unheard = <T>(nothing: T) => (error: unknown): T => {
      this.#report("vectors.near", error);
      return nothing;
    };
    const near = await withTimeout(nearMs, (async () => object.nearVectors({ teamId: team.teamId, shard: team.shard }, query))()).catch(unheard<Near>({ hits: [], complete: false }));
    const hits = near.hits.map((hit): PendingMatch => ({ ...hit, team: undefined }));
    if (near.complete) {
      if (this.#complete.size >= mostComplete) this.#complete.clear();
      this.#complete.add(key);
      return hits;
    }
    this.#complete.delete(key);
    const matches = (await (asked ?? Promise.all(ask()))).flatMap((answer) => answer.matches);
    const held = new Set(matches.length === 0 ? [] : (await withTimeout(nearMs, (async () => object.heldVectors(matches.map(({ id }) => id)))()).catch(unheard<{ id: string }[]>([]))).map(({ id }) => id));
    const shown = matches
      .filter(({ id }) => !held.has(id))
      .map(({ id, score, metadata }): PendingMatch => ({ ...parseVectorId(id), similarity: score, teamId: String(metadata?.["team"]), shard: String(metadata?.["shard"]) }));
    return [...hits, ...shown];
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

interface PendingMatch extends VectorName {
  similarity: number;
  teamId: string;
  shard: string;
  /** `teamDigest` that the id in Vectorize names; what the copy holds was checked when it was put there. */
  team: string | undefined;
}

/** A vector and its place in Vectorize. */
interface PlacedVector extends CopiedVector {
  namespace: string;
}

function placed(team: TeamRef, place: VectorPlace, entry: VectorEntry): PlacedVector {
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

/** As the object's copy takes it, which has no namespaces. */
const copied = ({ id, kind, audience, teamId, shard, version, values }: PlacedVector): CopiedVector => ({ id, kind, audience, teamId, shard, version, values });

/** In this version as it is to be, or in a newer one. */
function shows(found: { namespace?: string; metadata?: Record<string, VectorizeVectorMetadata> } | undefined, vector: PlacedVector): boolean {
  const { version, ...wanted } = toVectorize(vector).metadata as Record<string, VectorizeVectorMetadata> & { version: number };
  const shownVersion = Number(found?.metadata?.["version"] ?? 0);
  if (shownVersion !== version) return shownVersion > version;
  return found?.namespace === vector.namespace && Object.entries(wanted).every(([name, value]) => found.metadata?.[name] === value);
}

function toVectorize({ id, namespace, kind, version, audience, teamId, shard, values }: PlacedVector): VectorizeVector {
  const metadata = namespace.startsWith("org:") ? { kind, version, team: teamId, shard } : { kind, version, audience };
  return { id, namespace, values, metadata };
}
