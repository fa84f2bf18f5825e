import type { Intelligence } from "../../../src/domain/intelligence/intelligence.ts";
import type { IntelligenceSetting } from "../../../src/domain/intelligence/intelligence-setting.ts";
import type { ModelUsage } from "../../../src/domain/intelligence/model-usage.ts";

/** What a test asks of `intelligence-worker.ts`, and what it hears. */
export interface IntelligenceCall {
  teamId: string;
  vars: Record<string, string>;
  setting?: Partial<IntelligenceSetting>;
  asks: Ask[];
  /** Instead of one after the other. */
  atOnce?: boolean;
}

export interface Ask {
  verb: keyof Intelligence;
  args: unknown[];
}

export interface Said {
  answer: any;
  by: string;
  insteadOf?: { by: string; reason: string };
}

export interface IntelligenceAnswer {
  answers: Said[];
  /** All that was reported, with what hangs on the errors. */
  reports: string[];
  usage: ModelUsage[];
  /** What it set timers to, ms, in order: a deadline for each attempt, and the pauses between them. */
  timers: number[];
}
