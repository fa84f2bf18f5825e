import type { ExpiredMemory } from "../../domain/memories/sweep.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import type { ErasureIndex } from "../../domain/tenancy/deletion-store.ts";
import type { TeamShard } from "./source.ts";
import type { TeamIndex } from "./team-index.ts";

const refOf = ({ teamId, shard }: TeamRef): TeamShard => ({ teamId, shard });

/** The index objects of what is erased, or of what other teams do not find for a while. */
export class TeamIndexErasure implements ErasureIndex {
  readonly #namespace: DurableObjectNamespace<TeamIndex>;

  constructor(namespace: DurableObjectNamespace<TeamIndex>) {
    this.#namespace = namespace;
  }

  async eraseTeam(team: TeamRef): Promise<void> {
    await this.#namespace.getByName(`team:${team.teamId}`).erase();
  }

  async eraseMemories(team: TeamRef, now: number, memories: ExpiredMemory[]): Promise<void> {
    // Of a conflict: one has changed meanwhile, and is found again.
    await this.#namespace.getByName(`team:${team.teamId}`).purge(team, now, memories, "account");
  }

  async eraseOrganization(organizationId: string): Promise<void> {
    await this.#namespace.getByName(`org:${organizationId}`).erase();
  }

  async forgetInOrganization(team: TeamRef): Promise<void> {
    await this.#organization(team).forget(refOf(team));
  }

  async rebuild(team: TeamRef): Promise<void> {
    await this.#namespace.getByName(`team:${team.teamId}`).rebuild(refOf(team));
  }

  async staleAnswers(team: TeamRef): Promise<void> {
    await this.#organization(team).bump();
  }

  #organization({ organizationId }: TeamRef) {
    return this.#namespace.getByName(`org:${organizationId}`);
  }
}
