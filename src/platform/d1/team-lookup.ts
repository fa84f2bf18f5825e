import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import { TtlCache } from "../../domain/ttl-cache.ts";

const rememberMs = 60_000;

/** Where teams live and whom they belong to, as the directory has it; remembered for a while, since it hardly ever changes. */
export class TeamLookup {
  readonly #find: (id: string) => Promise<TeamRef | undefined>;
  readonly #known = new TtlCache<TeamRef>(rememberMs);

  constructor(find: (id: string) => Promise<TeamRef | undefined>) {
    this.#find = find;
  }

  of(teamId: string, now: number): Promise<TeamRef | undefined> {
    return this.#known.get(teamId, now, () => this.#find(teamId));
  }
}
