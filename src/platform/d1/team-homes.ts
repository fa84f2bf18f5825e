import type { TeamPlace } from "../../domain/memories/maintenance.ts";
import { Remembered } from "../../domain/remembered.ts";

const rememberMs = 60_000;

/** Where teams live and whom they belong to, as the directory has it; remembered for a while, since it hardly ever changes. */
export class TeamHomes {
  readonly #find: (id: string) => Promise<TeamPlace | undefined>;
  readonly #known = new Remembered<TeamPlace>(rememberMs);

  constructor(find: (id: string) => Promise<TeamPlace | undefined>) {
    this.#find = find;
  }

  of(teamId: string, now: number): Promise<TeamPlace | undefined> {
    return this.#known.of(teamId, now, () => this.#find(teamId));
  }
}
