import type { ExpiredMemory, TeamRow } from "../../domain/memories/sweep.ts";
import type { ErasureIndex } from "../../domain/tenancy/deletion-store.ts";
import type { TeamShard } from "./source.ts";
import type { TeamIndex } from "./team-index.ts";

const refOf = ({ id, shard }: TeamRow): TeamShard => ({ teamId: id, shard });

/** The index objects of what is erased, or of what other teams do not find for a while. */
export class TeamIndexErasure implements ErasureIndex {
  readonly #namespace: DurableObjectNamespace<TeamIndex>;

  constructor(namespace: DurableObjectNamespace<TeamIndex>) {
    this.#namespace = namespace;
  }

  async eraseTeam(team: TeamRow): Promise<void> {
    await this.#namespace.getByName(`team:${team.id}`).erase();
  }

  async eraseMemories(team: TeamRow, now: number, memories: ExpiredMemory[]): Promise<void> {
    // Of a conflict: one has changed meanwhile, and is found again.
    await this.#namespace.getByName(`team:${team.id}`).purge(team, now, memories, "account");
  }

  async eraseOrganization(organizationId: string): Promise<void> {
    await this.#namespace.getByName(`org:${organizationId}`).erase();
  }

  async forgetInOrganization(team: TeamRow): Promise<void> {
    await this.#organization(team).forget(refOf(team));
  }

  async rebuild(team: TeamRow): Promise<void> {
    await this.#namespace.getByName(`team:${team.id}`).rebuild(refOf(team));
  }

  async staleAnswers(team: TeamRow): Promise<void> {
    await this.#organization(team).bump();
  }

  #organization({ organizationId }: TeamRow) {
    return this.#namespace.getByName(`org:${organizationId}`);
  }
}
