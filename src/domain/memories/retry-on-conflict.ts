import { DomainError } from "../errors.ts";
import { named } from "../frame.ts";
import { WriteConflict } from "./write-conflict.ts";
import type { Memory } from "./memory.ts";

/** In each round at least one of the writers gets through, so that a crowd of this size on one key all do. */
const maxAttempts = 64;
/** Losers come back at different moments, or they would only meet again. */
const longestPauseMs = 40;

/** Reads, decides and writes anew until no other writer was faster. `attempt` counts from 0. */
export async function retryOnConflict<T>(contested: string, work: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
    }
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(longestPauseMs, 2 ** attempt)));
  }
  throw new DomainError("CONFLICT", `Other writers keep changing ${contested}.`, { hint: "Try again in a moment; nothing was written." });
}

/** No race but a fact: the place that a memory would move to has an owner. */
export const keyTaken = (moved: Pick<Memory, "key">, holder: Memory): DomainError =>
  new DomainError("CONFLICT", `Another memory already has the key ${named(moved.key ?? "")} there.`, {
    hint: "Choose another key, or update or forget that memory first.",
    details: { existing: holder.id },
  });

/** The same: nobody was faster, and it is refused until somebody decides what waits, or takes links away. */
export const linksWait = (): DomainError =>
  new DomainError("CONFLICT", "Others linked with this memory wait for a review first, or it has more links than one review may hold.", { hint: "Decide what waits, or take links away." });
