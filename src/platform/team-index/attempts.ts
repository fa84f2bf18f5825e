import { withTimeout, TimeoutError } from "../../domain/timeout.ts";

/** Pauses before the second and third attempt: an object that was reset by a deployment is back within milliseconds. */
const pausesMs = [20, 100];
/** An object that hangs must not make those hang who can go on without it. */
export const answerMs = 2_000;
/** Each document of a call takes its time. */
export const documentMs = 10;

/**
 * Calls an object up to three times, each with the deadline; `attempt` counts from 0. A late call is not repeated: whoever asks
 * again waits as long again.
 */
export async function withRetries<T>(deadlineMs: number, call: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await withTimeout(deadlineMs, call(attempt));
    } catch (error) {
      const pauseMs = pausesMs[attempt];
      if (pauseMs === undefined || error instanceof TimeoutError) throw error;
      await scheduler.wait(pauseMs);
    }
  }
}
