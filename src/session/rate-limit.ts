const windowMs = 60_000;

/** So many calls a minute, and so many more as a burst. */
export interface Rate {
  perMinute: number;
  burst: number;
}

/** Rate of one key or grant (omnimemory document, Security Best Practices 3). */
export const keyRate: Rate = { perMinute: 100, burst: 20 };
/** Rate of all keys and grants of one person in one team: several clients at work, or a few agents. */
export const personRate: Rate = { perMinute: 300, burst: 60 };

interface Usage {
  /** Instants of what was admitted in the last minute, oldest first; a call of cost n stands there n times. */
  admitted: number[];
  /** The rest of the burst allowance; it comes back at `burst` a minute while usage stays below the limit. */
  allowance: number;
  refilledAt: number;
}

export type Admission = { admitted: true } | { admitted: false; retryAfterSeconds: number };

/**
 * Counts exactly: never more than `perMinute` in any minute, but for the allowance of `burst` that a busy start may
 * draw on and that grows back only below the limit. Lives in the session object, where all requests of a key meet.
 */
export class RateLimit {
  readonly #rate: Rate;
  readonly #usage = new Map<string, Usage>();

  constructor(rate: Rate = keyRate) {
    this.#rate = rate;
  }

  /** `cost` is at most `perMinute`; all of it is admitted, or nothing. */
  admit(id: string, now: number, cost = 1): Admission {
    const usage = this.#current(id, now);
    const { perMinute } = this.#rate;
    const beyond = Math.max(0, cost - Math.max(0, perMinute - usage.admitted.length));
    if (usage.allowance >= beyond) {
      usage.allowance -= beyond;
      for (let i = 0; i < cost; i += 1) usage.admitted.push(now);
      return { admitted: true };
    }
    // There is room once all but `perMinute - cost` of what is in the window have left it.
    const blocking = usage.admitted[usage.admitted.length - perMinute + cost - 1] as number;
    return { admitted: false, retryAfterSeconds: Math.max(1, Math.ceil((blocking + windowMs - now) / 1000)) };
  }

  #current(id: string, now: number): Usage {
    const { perMinute, burst } = this.#rate;
    const known = this.#usage.get(id);
    // A clock that was set back would hold a busy key up until it has come as far again.
    const usage = known && known.refilledAt - now < windowMs ? known : { admitted: [], allowance: burst, refilledAt: now };
    this.#usage.set(id, usage);
    // The allowance grows from when usage fell below the limit, not through the time it was at it.
    const limiting = usage.admitted[usage.admitted.length - perMinute];
    const below = limiting === undefined ? usage.refilledAt : Math.max(usage.refilledAt, limiting + windowMs);
    if (below < now) usage.allowance = Math.min(burst, usage.allowance + ((now - below) * burst) / windowMs);
    usage.refilledAt = now;
    while (usage.admitted.length > 0 && (usage.admitted[0] as number) <= now - windowMs) usage.admitted.shift();
    return usage;
  }
}
