import type { TeamRow } from "../../domain/memories/sweep.ts";
import { TtlCache } from "../../domain/ttl-cache.ts";

const rememberMs = 60_000;

/** Where teams live and whom they belong to, as the directory has it; remembered for a while, since it hardly ever changes. */
export class TeamLookup {
  readonly #find: (id: string) => Promise<TeamRow | undefined>;
  readonly #known = new TtlCache<TeamRow>(rememberMs);

  constructor(find: (id: string) => Promise<TeamRow | undefined>) {
    this.#find = find;
  }

  of(teamId: string, now: number): Promise<TeamRow | undefined> {
    return this.#known.get(teamId, now, () => this.#find(teamId));
  }
}
