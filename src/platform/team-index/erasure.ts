import type { ExpiredMemory, TeamPlace } from "../../domain/memories/maintenance.ts";
import type { ErasureIndex } from "../../domain/tenancy/deletion-ports.ts";
import type { TeamRef } from "./source.ts";
import type { TeamIndex } from "./team-index.ts";

const refOf = ({ id, shard }: TeamPlace): TeamRef => ({ teamId: id, shard });

/** The index objects of what is erased, or of what other teams do not find for a while. */
export class TeamIndexErasure implements ErasureIndex {
  readonly #namespace: DurableObjectNamespace<TeamIndex>;

  constructor(namespace: DurableObjectNamespace<TeamIndex>) {
    this.#namespace = namespace;
  }

  async eraseTeam(team: TeamPlace): Promise<void> {
    await this.#namespace.getByName(`team:${team.id}`).erase();
  }

  async eraseMemories(team: TeamPlace, now: number, memories: ExpiredMemory[]): Promise<void> {
    // Of a conflict: one has changed meanwhile, and is found again.
    await this.#namespace.getByName(`team:${team.id}`).purge(team, now, memories, "account");
  }

  async eraseOrganization(organizationId: string): Promise<void> {
    await this.#namespace.getByName(`org:${organizationId}`).erase();
  }

  async forgetInOrganization(team: TeamPlace): Promise<void> {
    await this.#organization(team).forget(refOf(team));
  }

  async rebuild(team: TeamPlace): Promise<void> {
    await this.#namespace.getByName(`team:${team.id}`).rebuild(refOf(team));
  }

  async staleAnswers(team: TeamPlace): Promise<void> {
    await this.#organization(team).bump();
  }

  #organization({ organizationId }: TeamPlace) {
    return this.#namespace.getByName(`org:${organizationId}`);
  }
}
