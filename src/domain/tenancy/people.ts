import type { Principal } from "./principal.ts";

/** Who somebody is to their colleagues. */
export interface People {
  /**
   * Names by user id, of those who are in the principal's organization now. Whoever has left it, or has deleted their account,
   * is not among them, and neither is anybody of another organization.
   */
  namesOf(principal: Principal, now: number, userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
