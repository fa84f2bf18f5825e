import type { TeamPlace } from "../../domain/memories/maintenance.ts";

const rememberMs = 60_000;
const mostTeams = 1_000;

/** Where teams live and whom they belong to, as the directory has it; remembered for a while, since it hardly ever changes. */
export class TeamHomes {
  readonly #find: (id: string) => Promise<TeamPlace | undefined>;
  readonly #known = new Map<string, { place: TeamPlace; until: number }>();

  constructor(find: (id: string) => Promise<TeamPlace | undefined>) {
    this.#find = find;
  }

  async of(teamId: string, now: number): Promise<TeamPlace | undefined> {
    const known = this.#known.get(teamId);
    if (known && now < known.until) return known.place;
    const place = await this.#find(teamId);
    if (!place) return undefined;
    if (this.#known.size >= mostTeams) this.#known.clear();
    this.#known.set(teamId, { place, until: now + rememberMs });
    return place;
  }
}
