import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { defaultIntelligence, type IntelligenceSetting, type IntelligenceSettingStore } from "../../domain/intelligence/intelligence-setting.ts";
import type { WriteContext } from "../../domain/memories/memory-store.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import { intelligenceSettings } from "./intelligence-schema.ts";
import { auditMemories } from "./memory-audit.ts";
import type { ShardOf } from "./shard-of.ts";

const setSetting = `INSERT INTO intelligence_settings (team_id, provider, extraction_prompt, update_prompt, daily_tokens) VALUES (?1, ?2, ?3, ?4, ?5)
  ON CONFLICT (team_id) DO UPDATE SET provider = excluded.provider, extraction_prompt = excluded.extraction_prompt,
    update_prompt = excluded.update_prompt, daily_tokens = excluded.daily_tokens`;

export class D1IntelligenceSettingStore implements IntelligenceSettingStore {
  readonly #shardOf: ShardOf;

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  async setting({ teamId, shard }: Pick<TeamRef, "teamId" | "shard">): Promise<IntelligenceSetting> {
    const { provider, extractionPrompt, updatePrompt, dailyTokens } = intelligenceSettings;
    const columns = { provider, extractionPrompt, updatePrompt, dailyTokens };
    const [row] = await drizzle(this.#shardOf(shard)).select(columns).from(intelligenceSettings).where(eq(intelligenceSettings.teamId, teamId));
    return row ?? defaultIntelligence;
  }

  async setSetting(principal: Principal, write: WriteContext, { provider, extractionPrompt, updatePrompt, dailyTokens }: IntelligenceSetting): Promise<void> {
    const d1 = this.#shardOf(principal.shard);
    await d1.batch([
      d1.prepare(setSetting).bind(principal.teamId, provider, extractionPrompt, updatePrompt, dailyTokens),
      auditMemories(d1, principal, write, { action: "intelligence-policy", count: 0 }),
    ]);
  }
}
