import { EmbeddingFailure } from "../../domain/embedding/embedder.ts";

export interface Patience {
  /** Limit of the whole call, pauses included. */
  deadlineMs: number;
  /** The caller's own, when it may stop waiting earlier. */
  signal?: AbortSignal | undefined;
}

const maxAttempts = 5;
/**
 * Doubled with every attempt, then chosen at random from zero ("full jitter", AWS Architecture Blog, 2015), so that isolates
 * refused together do not return together.
 */
const firstPauseMs = 250;
const longestPauseMs = 8_000;

/**
 * Tries again what failed for now, until the deadline. A pause that would outlast the deadline is not begun: the failure
 * goes to the caller at once, with what the provider said about when to come back.
 * @throws EmbeddingFailure
 */
export async function withRetries<T>(attempt: (signal: AbortSignal) => Promise<T>, { deadlineMs, signal }: Patience): Promise<T> {
  const end = Date.now() + deadlineMs;
  const stop = new AbortController();
  const late = (): void => stop.abort(new EmbeddingFailure(`The embedding provider did not answer within ${deadlineMs} ms`, { retryable: true }));
  const left = (): void => stop.abort(new EmbeddingFailure("The caller stopped waiting for the vectors", { retryable: true, cause: signal?.reason }));
  const timer = setTimeout(late, deadlineMs);
  if (signal?.aborted) left();
  else signal?.addEventListener("abort", left, { once: true });
  try {
    for (let attempts = 1; ; attempts += 1) {
      stop.signal.throwIfAborted();
      try {
        return await unlessStopped(attempt(stop.signal), stop.signal);
      } catch (error) {
        stop.signal.throwIfAborted();
        if (!(error instanceof EmbeddingFailure) || !error.retryable || attempts === maxAttempts) throw error;
        const pause = error.retryAfter ?? Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** attempts);
        if (Date.now() + pause >= end) throw error;
        await unlessStopped(new Promise<void>((resolve) => setTimeout(resolve, pause)), stop.signal);
      }
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", left);
  }
}

/** The work goes on where it cannot be stopped (a binding takes no signal); nobody waits for it any more. */
async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stopped: () => void = () => undefined;
  const stop = new Promise<never>((_, reject) => {
    stopped = () => reject(signal.reason as Error);
    signal.addEventListener("abort", stopped, { once: true });
  });
  try {
    return await Promise.race([work, stop]);
  } finally {
    signal.removeEventListener("abort", stopped);
  }
}
