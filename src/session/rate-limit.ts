/** 100 requests a minute per key, and 20 more as a burst (omnimemory document, Security Best Practices 3). */
export const requestsPerMinute = 100;
export const burst = 20;
const windowMs = 60_000;

interface Usage {
  /** Instants of the requests admitted in the last minute, oldest first. */
  admitted: number[];
  /** What is left of the burst allowance; it comes back at `burst` a minute while the key stays below its limit. */
  allowance: number;
  refilledAt: number;
}

export type Admission = { admitted: true } | { admitted: false; retryAfterSeconds: number };

/**
 * Counts exactly: never more than 100 requests in any minute, but for the allowance of 20 that a busy start may
 * draw on and that grows back only below the limit. Lives in the session object, where all requests of a key meet.
 */
export class RateLimit {
  readonly #usage = new Map<string, Usage>();

  admit(keyId: string, now: number): Admission {
    const usage = this.#current(keyId, now);
    if (usage.admitted.length < requestsPerMinute) {
      usage.admitted.push(now);
      return { admitted: true };
    }
    if (usage.allowance >= 1) {
      usage.allowance -= 1;
      usage.admitted.push(now);
      return { admitted: true };
    }
    // A place is free once all but 99 of the requests in the window have left it.
    const blocking = usage.admitted[usage.admitted.length - requestsPerMinute] as number;
    return { admitted: false, retryAfterSeconds: Math.max(1, Math.ceil((blocking + windowMs - now) / 1000)) };
  }

  #current(keyId: string, now: number): Usage {
    const usage = this.#usage.get(keyId) ?? { admitted: [], allowance: burst, refilledAt: now };
    this.#usage.set(keyId, usage);
    // The allowance grows from when the key fell below its limit, not through the time it was at it.
    const limiting = usage.admitted[usage.admitted.length - requestsPerMinute];
    const below = limiting === undefined ? usage.refilledAt : Math.max(usage.refilledAt, limiting + windowMs);
    if (below < now) usage.allowance = Math.min(burst, usage.allowance + ((now - below) * burst) / windowMs);
    usage.refilledAt = now;
    while (usage.admitted.length > 0 && (usage.admitted[0] as number) <= now - windowMs) usage.admitted.shift();
    return usage;
  }
}
