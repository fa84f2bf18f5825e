import type { Principal } from "../tenancy/principal.ts";
import { TimeoutError, withTimeout } from "../timeout.ts";

/** `off`: not configured, or not for this team. `late`: it answers, and what it answers is older than it should be. `full`: it takes no more. */
export type DependencyState = "ok" | "off" | "unknown" | "late" | "full" | "failed" | "timeout";

export interface Checked {
  state?: Exclude<DependencyState, "failed" | "timeout">;
  /** Of what the principal may see, and of nothing else. */
  figures?: Record<string, number>;
}

/** Something that the server needs. Its check reads, and changes nothing. */
export interface Dependency {
  name: string;
  check(principal: Principal, now: number, signal: AbortSignal): Promise<Checked>;
}

export interface DependencyReport {
  ok: boolean;
  state: DependencyState;
  ms: number;
  figures: Record<string, number>;
}

/** For each check, all of which run side by side. */
export const checkMs = 3_000;

/** All of them, in their order. Why one failed is for the log. */
export async function checkDependencies(
  dependencies: readonly Dependency[],
  principal: Principal,
  { now, clock, report, deadlineMs = checkMs }: { now: number; clock: () => number; report(event: string, error: unknown): void; deadlineMs?: number },
): Promise<Map<string, DependencyReport>> {
  const checked = dependencies.map(async ({ name, check }): Promise<[string, DependencyReport]> => {
    const started = clock();
    const { state = "ok", figures = {} } = await withTimeout(deadlineMs, check(principal, now, AbortSignal.timeout(deadlineMs))).catch((error: unknown) => {
      report(`health.${name}`, error);
      return { state: error instanceof TimeoutError ? ("timeout" as const) : ("failed" as const), figures: {} };
    });
    return [name, { ok: state === "ok" || state === "off" || state === "unknown", state, ms: Math.round((clock() - started) * 10) / 10, figures }];
  });
  return new Map(await Promise.all(checked));
}
