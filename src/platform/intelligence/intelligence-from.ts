import type { Intelligence } from "../../domain/intelligence/intelligence.ts";
import type { IntelligenceSetting } from "../../domain/intelligence/intelligence-setting.ts";
import { dailyBudget, type TokenPrices, type UsageLedger } from "../../domain/intelligence/model-usage.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import type { ModelLimits } from "./ask-model.ts";
import { type AiBinding, languageModel, type ModelChoice } from "./language-models.ts";
import { modelIntelligence } from "./model-intelligence.ts";

export interface IntelligenceOptions extends ModelLimits {
  /** Undefined: the rules alone. */
  choice: ModelChoice | undefined;
  /** Tokens that a team may spend on a day at most, whatever it sets. */
  dailyTokens: number;
  prices: TokenPrices;
}

export interface IntelligencePorts {
  rules: Intelligence;
  ledger: UsageLedger;
  ai?: AiBinding | undefined;
  now: () => number;
  report(event: string, error: unknown): void;
}

/** Who understands a team's texts: the model of the deployment, unless the team wants the rules. It keeps count of outages, so one is made per team and setting. */
export function intelligenceFrom({ choice, dailyTokens, prices, ...limits }: IntelligenceOptions, team: TeamRef, setting: IntelligenceSetting, ports: IntelligencePorts): Intelligence {
  const { rules, ledger, ai, now, report } = ports;
  if (choice === undefined || setting.provider === "rules") return rules;
  const name = `${choice.provider}:${choice.model}`;
  return modelIntelligence({
    ...limits,
    name,
    model: languageModel(choice, ai),
    fallback: rules,
    prompts: { extract: setting.extractionPrompt ?? undefined, decide: setting.updatePrompt ?? undefined },
    budget: dailyBudget(ledger, team, { model: name, limit: Math.min(dailyTokens, setting.dailyTokens ?? dailyTokens), prices, now }),
    schemaInPrompt: choice.provider === "openai-compatible" && choice.output === "json_object",
    now,
    report,
  });
}
