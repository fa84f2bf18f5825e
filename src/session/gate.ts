import { keyRate, personRate, RateLimit } from "./rate-limit.ts";

/** A request that is over a limit; as plain data, because the edge asks by RPC. */
export interface OverLimit {
  message: string;
  retryAfterSeconds: number;
}

/** The counter that all objects of a team share: a rate limiting binding. */
export interface TeamCounter {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/**
 * A team's calls are bought from the shared counter in blocks: asking it at every call would cost an ordinary call a
 * round trip. `TEAM_LIMIT` in wrangler.toml counts blocks.
 */
export const callsPerBlock = 20;
/** Calls that were bought and not made are lost, so that a quiet object saves nothing up. */
const blockMs = 60_000;
/** The period of the binding. */
const teamRetrySeconds = 60;

/** The limits of a session object: for each key or grant, for all of the person's, and for the team. */
export class Gate {
  readonly #keys = new RateLimit(keyRate);
  readonly #person = new RateLimit(personRate);
  readonly #team: TeamCounter | undefined;
  #bought = { left: 0, until: 0 };

  constructor(team: TeamCounter | undefined) {
    this.#team = team;
  }

  /** Charges a call that costs so much, or says why not. */
  async charge(who: { credentialId: string; teamId: string }, cost: number, now: number): Promise<OverLimit | undefined> {
    const key = this.#keys.admit(who.credentialId, now, cost);
    if (!key.admitted) return over(`this key made more than ${keyRate.perMinute} requests in a minute`, key.retryAfterSeconds);
    const person = this.#person.admit("", now, cost);
    if (!person.admitted) return over(`the keys and clients of this person made more than ${personRate.perMinute} requests in a minute`, person.retryAfterSeconds);
    return (await this.#buy(who.teamId, cost, now)) ? undefined : over("this team made too many requests in a minute", teamRetrySeconds);
  }

  async #buy(teamId: string, cost: number, now: number): Promise<boolean> {
    if (now >= this.#bought.until) this.#bought = { left: 0, until: now + blockMs };
    const bought = this.#bought;
    // At once, so that calls side by side do not spend the same block.
    bought.left -= cost;
    while (this.#team && bought.left < 0) {
      bought.left += callsPerBlock;
      if (!(await this.#team.limit({ key: teamId })).success) {
        bought.left += cost - callsPerBlock;
        return false;
      }
    }
    return true;
  }
}

export const over = (what: string, retryAfterSeconds: number): OverLimit => ({ message: `${what}. Retry after ${retryAfterSeconds} s.`, retryAfterSeconds });
