import { tryWithTimeout } from "../../timeout.ts";
import type { Leg, LegReports } from "../presentation/receipt.ts";

/** One leg may break without breaking the answer: what it found, or nothing when it failed or was late. */
export class Legs {
  readonly reports: LegReports;
  readonly #report: (leg: Leg, error: unknown) => void;

  /** `reports`: of legs that ran elsewhere. */
  constructor(report: (leg: Leg, error: unknown) => void, reports: LegReports = {}) {
    this.#report = report;
    this.reports = { ...reports };
  }

  skip(leg: Leg): void {
    this.reports[leg] = { status: "off", ms: 0, candidates: 0 };
  }

  /** Counts what the caller may see of a leg's hits: a greater count would reveal other memories. */
  recount(leg: Leg, candidates: number): void {
    const report = this.reports[leg];
    if (report) this.reports[leg] = { ...report, candidates };
  }

  /** `deadline` in ms. Nobody waits for the work after it; work that can stop earlier listens to the signal. */
  async run<T>(leg: Leg, deadline: number, work: (signal: AbortSignal) => Promise<T>, nothing: T, count: (found: T) => number): Promise<T> {
    const started = performance.now();
    const late = new AbortController();
    const note = (status: "ok" | "failed" | "timeout", candidates: number): void => {
      this.reports[leg] = { status, ms: performance.now() - started, candidates };
    };
    try {
      const done = await tryWithTimeout(deadline, work(late.signal).then((found) => ({ found })));
      if (!done) {
        late.abort();
        note("timeout", 0);
        return nothing;
      }
      note("ok", count(done.found));
      return done.found;
    } catch (error) {
      this.#report(leg, error);
      note("failed", 0);
      return nothing;
    }
  }
}
