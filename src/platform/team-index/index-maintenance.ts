import type { ExpiredMemory, MaintenanceIndex } from "../../domain/memories/sweep.ts";
import type { GraphChanges } from "../../domain/graph/graph-store.ts";
import type { GraphListener } from "../../domain/graph/stage.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import type { TeamIndex } from "./team-index.ts";

/** The team's index and its organization's, as scheduled work sees them. */
export class TeamIndexMaintenance implements MaintenanceIndex, GraphListener {
  readonly #namespace: DurableObjectNamespace<TeamIndex>;

  constructor(namespace: DurableObjectNamespace<TeamIndex>) {
    this.#namespace = namespace;
  }

  async follow(place: TeamRef, seq: number): Promise<number> {
    const team = { teamId: place.teamId, shard: place.shard };
    const [own] = await Promise.all(this.#indexes(place).map((index) => index.catchUp(team, seq)));
    return own as number;
  }

  async purge(place: TeamRef, now: number, expired: ExpiredMemory[]): Promise<void> {
    // Of a conflict: somebody has just given one of them a new expiry or stored anew under its key. The next sweep looks again.
    await this.#namespace.getByName(`team:${place.teamId}`).purge(place, now, expired, "expiry");
  }

  async verify(place: TeamRef): Promise<{ rebuilt: boolean }> {
    const team = { teamId: place.teamId, shard: place.shard };
    const results = await Promise.all(this.#indexes(place).map((index) => index.verify(team)));
    return { rebuilt: results.some(({ rebuilt }) => rebuilt) };
  }

  async graphChanged({ teamId, shard }: TeamRef, changes: GraphChanges): Promise<void> {
    await this.#namespace.getByName(`team:${teamId}`).putGraph({ teamId, shard }, changes);
  }

  #indexes(place: TeamRef) {
    return [this.#namespace.getByName(`team:${place.teamId}`), this.#namespace.getByName(`org:${place.organizationId}`)];
  }
}
