import type { TeamRef } from "../tenancy/team-ref.ts";

/** What calls of models took. */
export interface TokenCounts {
  inputTokens: number;
  outputTokens: number;
}

/** What a team's calls of one model took on one day (UTC). */
export interface ModelUsage extends TokenCounts {
  /** YYYY-MM-DD. */
  day: string;
  /** Such as `anthropic:claude-haiku-4-5`. */
  model: string;
  calls: number;
  /** Millionths of a dollar, by the deployment's prices. */
  costMicros: number;
  /** Tokens of calls that are on their way, or of which nobody knows what they took. */
  reservedTokens: number;
}

type UsageTeam = Pick<TeamRef, "teamId" | "shard">;

/** Tokens and cost of each team, day and model. */
export interface UsageLedger {
  /** Sets `tokens` of the day aside, unless that would take more than `limit` with all that is used or set aside; says whether it did. */
  reserve(team: UsageTeam, call: { day: string; model: string; tokens: number; limit: number }): Promise<boolean>;
  /** Puts what a call took in the place of what was set aside for it. */
  settle(team: UsageTeam, call: { day: string; model: string; reserved: number; costMicros: number } & TokenCounts): Promise<void>;
  /** Days from `since` (YYYY-MM-DD) on, newest first. */
  usage(team: UsageTeam, since: string): Promise<ModelUsage[]>;
}

/** Dollars per million tokens; a dollar per million tokens is a millionth of a dollar per token. */
export interface TokenPrices {
  input: number;
  output: number;
}

export const costMicros = ({ inputTokens, outputTokens }: TokenCounts, { input, output }: TokenPrices): number => Math.ceil(inputTokens * input + outputTokens * output);

/** The day in UTC, as ledgers name it. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);

/** What a team may still spend on calls of a model, for the one who calls. */
export interface TokenBudget {
  /** Sets aside what a call may take at most; undefined when the day has no more. */
  reserve(most: TokenCounts): Promise<Reservation | undefined>;
}

export interface Reservation {
  /** `used` undefined: nobody knows what the call took, so it counts as all that was set aside. */
  settle(used: TokenCounts | undefined): Promise<void>;
}

/** A team's budget of a day, kept in the ledger. A call that begins before midnight belongs to the day on which it began. */
export function dailyBudget(ledger: UsageLedger, team: UsageTeam, options: { model: string; limit: number; prices: TokenPrices; now: () => number }): TokenBudget {
  const { model, limit, prices, now } = options;
  return {
    async reserve(most) {
      const day = dayOf(now());
      const reserved = most.inputTokens + most.outputTokens;
      if (!(await ledger.reserve(team, { day, model, tokens: reserved, limit }))) return undefined;
      return {
        settle: async (used = most) => ledger.settle(team, { day, model, reserved, costMicros: costMicros(used, prices), ...used }),
      };
    },
  };
}
