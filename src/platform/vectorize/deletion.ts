import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import type { VectorizeBinding } from "./bindings.ts";
import { hasFormerIds, teamNamespace } from "./vector-ids.ts";

/** Limits of Vectorize: ids in one deleteByIds and in one getByIds (error 40007). */
const deleteBatch = 100;
export const readBatch = 20;

/**
 * Deletes vectors of the team. An id of the present form is the team's alone. One of the former form belongs to all teams
 * that hold the memory id, and its vector to the one that wrote last, so that a vector that Vectorize shows in another
 * team's place stays: the team that it belongs to deletes it. This is sound, because no team depends on it for good: each
 * writes all its vectors under ids of its own before it lets go of the former ones. If two teams that share an id write and
 * delete at once, the worst is that one of them misses this vector until then.
 */
export async function deleteVectors(binding: VectorizeBinding, team: TeamRef, mark: string, ids: string[]): Promise<void> {
  const doomed = hasFormerIds(mark) ? await withoutThoseOfOthers(binding, team, mark, ids) : ids;
  for (const batch of batches(doomed, deleteBatch)) await binding.deleteByIds(batch);
}

async function withoutThoseOfOthers(binding: VectorizeBinding, { teamId }: TeamRef, mark: string, ids: string[]): Promise<string[]> {
  const kept = new Set<string>();
  for (const batch of batches(ids, readBatch)) {
    for (const { id, namespace, metadata } of await binding.getByIds(batch)) {
      const isOwn = namespace === teamNamespace(teamId, mark) || metadata?.["team"] === teamId;
      if (!isOwn) kept.add(id);
    }
  }
  return ids.filter((id) => !kept.has(id));
}

export function* batches<T>(items: T[], size: number): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
