import { guarded } from "../guarded.ts";
import type { Clock } from "../indexing/stage.ts";
import type { TeamRef } from "./team-ref.ts";
import type { ErasurePorts } from "./deletion-store.ts";
import type { AuditEntry } from "./audit-entry.ts";

const vectorBatch = 500;

/**
 * Erases what is due, as far as the deadline allows; called every minute. Each step can be repeated, and the mark that
 * something is due goes last, so that the next run resumes one that died. One team's failure does not stop the others.
 */
export async function eraseDue(ports: ErasurePorts, clock: Clock, deadline: number): Promise<{ teams: number; accounts: number }> {
  const erased = { teams: 0, accounts: 0 };
  await guarded(ports, "erasure.close", () => closeDeleted(ports, clock()));
  const teams = await ports.directory.claimTeams(clock());
  for (const team of teams) {
    await guarded(ports, "erasure.team", async () => {
      if (await eraseTeam(ports, team, clock, deadline)) erased.teams += 1;
    });
  }
  for (const userId of await ports.directory.dueAccounts(clock())) {
    await guarded(ports, "erasure.account", async () => {
      if (await eraseAccount(ports, userId, clock, deadline)) erased.accounts += 1;
    });
  }
  return erased;
}

/** Makes other teams see what a team shows them just as long as it is not deleted. */
export async function closeDeleted({ directory, store, index }: Pick<ErasurePorts, "directory" | "store" | "index">, now: number): Promise<void> {
  const deleted = new Map((await directory.deletedTeams()).map((team) => [team.teamId, team]));
  for (const shard of await directory.listShards()) {
    const closed = new Set(await store.closedTeams(shard));
    // A team that is being erased was closed before, and its mark is erased with it.
    const toClose = [...deleted.values()].filter((team) => team.shard === shard && !team.beingErased && !closed.has(team.teamId));
    const toOpen = await Promise.all([...closed].filter((id) => !deleted.has(id)).map((id) => directory.findTeam(id)));
    for (const [teams, at] of [[toClose, now], [toOpen.filter((team) => team !== undefined), null]] as const) {
      for (const team of teams) {
        await store.setClosed(team, at);
        await index.staleAnswers(team);
      }
    }
  }
}

/** `false` when the time was not enough. */
async function eraseTeam(ports: ErasurePorts, team: TeamRef, clock: Clock, deadline: number): Promise<boolean> {
  const { directory, store, index, sessions } = ports;
  // Destroys the key of the team's secrets first, so that no copy of them can be opened, however far this run comes.
  await ports.keys.destroy(team.teamId);
  // Then the vectors: only the rows know which there are, and only the index object knows in which spaces.
  for (;;) {
    const entries = await store.vectorsOf(team, vectorBatch);
    if (entries.length === 0) break;
    await ports.vectors.remove(team, entries);
    await store.dropVectors(team, entries);
    if (clock() >= deadline) return false;
  }
  // Before the rows, to which they could save what they had still noted.
  for (const member of await directory.memberRefsOf({ teamId: team.teamId })) await sessions.erase(member);
  while (await store.eraseRows(team)) {
    if (clock() >= deadline) return false;
  }
  await ((await directory.isLastOfOrganization(team)) ? index.eraseOrganization(team.organizationId) : index.forgetInOrganization(team));
  await index.eraseTeam(team);
  const audit: AuditEntry = { at: clock(), action: "team.erase", success: true, organizationId: team.organizationId, teamId: team.teamId, subject: team.teamId, client: "erasure" };
  await directory.forgetTeam(team, audit);
  return true;
}

async function eraseAccount(ports: ErasurePorts, userId: string, clock: Clock, deadline: number): Promise<boolean> {
  const { directory, store, index, sessions } = ports;
  const placeOf = (id: string): Promise<TeamRef | undefined> => directory.findTeam(id);
  for (const shard of await directory.listShards()) {
    for (let left = await store.privateMemories(shard, userId); left.length > 0; left = await store.privateMemories(shard, userId)) {
      for (const [teamId, memories] of Map.groupBy(left, (memory) => memory.teamId)) {
        const place = await placeOf(teamId);
        if (place) await index.eraseMemories(place, clock(), memories);
      }
      if (clock() >= deadline) return false;
    }
    while (await store.eraseWorkflows(shard, userId)) if (clock() >= deadline) return false;
    for (const teamId of await store.blankPrivateVersions(shard, userId)) {
      const place = await placeOf(teamId);
      if (place) await index.rebuild(place);
    }
  }
  for (const member of await directory.memberRefsOf({ userId })) await sessions.erase(member);
  // After the objects, which could save what they had still noted.
  for (const shard of await directory.listShards()) await store.forgetSessions(shard, userId);
  await directory.forgetAccount(userId, { at: clock(), action: "account.erase", success: true, userId, subject: userId, client: "erasure" });
  return true;
}
