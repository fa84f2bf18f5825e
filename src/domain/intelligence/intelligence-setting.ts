import type { Context } from "../context.ts";
import type { WriteContext } from "../memories/memory-store.ts";
import type { Principal } from "../tenancy/principal.ts";
import { requireAction } from "../tenancy/roles.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";
import { dayOf, type ModelUsage, type UsageLedger } from "./model-usage.ts";

/** `deployment`: the model that the operator configured, if any. `rules`: no text of the team leaves the deployment. */
export const intelligenceProviders = ["deployment", "rules"] as const;

/** What a team chooses among what its deployment offers. */
export interface IntelligenceSetting {
  provider: (typeof intelligenceProviders)[number];
  /** `custom_fact_extraction_prompt` and `custom_update_memory_prompt` of the memory-server document: instructions in the place of the product's. */
  extractionPrompt: string | null;
  updatePrompt: string | null;
  /** Tokens of a day (UTC), in and out; counts where it is less than what the deployment allows. */
  dailyTokens: number | null;
}

export const defaultIntelligence: IntelligenceSetting = { provider: "deployment", extractionPrompt: null, updatePrompt: null, dailyTokens: null };

export interface IntelligenceSettingStore {
  setting(team: Pick<TeamRef, "teamId" | "shard">): Promise<IntelligenceSetting>;
  setSetting(principal: Principal, write: WriteContext, setting: IntelligenceSetting): Promise<void>;
}

export interface IntelligencePort {
  settings: IntelligenceSettingStore;
  ledger: Pick<UsageLedger, "usage">;
}

type SettingContext = Pick<Context, "principal" | "now"> & WriteContext & { intelligence: IntelligencePort };

const day = 24 * 60 * 60 * 1_000;
const shownDays = 30;

/** The setting, and what the last 30 days took, newest day first. */
export async function intelligenceSetting({ principal, now, intelligence }: SettingContext): Promise<{ setting: IntelligenceSetting; usage: ModelUsage[] }> {
  requireAction(principal, "set the intelligence");
  const { settings, ledger } = intelligence;
  const [setting, usage] = await Promise.all([settings.setting(principal), ledger.usage(principal, dayOf(now - (shownDays - 1) * day))]);
  return { setting, usage };
}

export async function setIntelligence(ctx: SettingContext, setting: IntelligenceSetting): Promise<void> {
  requireAction(ctx.principal, "set the intelligence");
  await ctx.intelligence.settings.setSetting(ctx.principal, ctx, setting);
}
