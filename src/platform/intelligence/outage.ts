import { ModelFailure, type ModelFailureReason } from "../../domain/intelligence/model-failure.ts";

/** Failures of the service and not of an answer. */
const outages: ReadonlySet<ModelFailureReason> = new Set(["unreachable", "busy", "timeout", "rejected"]);
const mostInARow = 3;
const pauseMs = 60_000;

/**
 * Stops asking a service that is down (circuit breaker, Nygard 2007): a run over a thousand notes would otherwise wait for a thousand
 * timeouts. After the pause one call tries again.
 */
export class OutageBreaker {
  #inARow = 0;
  #pausedUntil = 0;

  /** @throws ModelFailure while the service is left alone */
  async run<T>(now: () => number, ask: () => Promise<T>): Promise<T> {
    if (now() < this.#pausedUntil) throw new ModelFailure("paused");
    try {
      const answer = await ask();
      this.#inARow = 0;
      return answer;
    } catch (error) {
      if (!(error instanceof ModelFailure) || !outages.has(error.reason)) throw error;
      this.#inARow += 1;
      if (this.#inARow >= mostInARow) this.#pausedUntil = now() + pauseMs;
      throw error;
    }
  }
}
