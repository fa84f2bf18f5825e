import type { Context as Request } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { intelligenceProviders, type IntelligenceSetting, intelligenceSetting, setIntelligence } from "../../domain/intelligence/intelligence-setting.ts";
import { dayOf, type ModelUsage } from "../../domain/intelligence/model-usage.ts";
import { parsed } from "./body.ts";
import type { RestEnv } from "./caller.ts";
import { memoryContext } from "./proposals.ts";
import { Hono } from "../hono.ts";

/** In characters; a model reads it with every call. */
const maxPromptLength = 8_000;
const prompt = z.string().trim().min(1).max(maxPromptLength).nullable().default(null);

export const setting = z.strictObject({
  provider: z.enum(intelligenceProviders),
  extraction_prompt: prompt,
  update_prompt: prompt,
  daily_tokens: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullable().default(null),
});

/** Who understands a team's texts, under which instructions and at which cost, below its path. */
export function intelligenceRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  const context = async (c: Request<RestEnv>) => ({ ...(await memoryContext(services, c)), intelligence: services.intelligenceSettings });
  app.get("/", async (c) => {
    const ctx = await context(c);
    const { setting, usage } = await intelligenceSetting(ctx);
    const today = dayOf(ctx.now);
    return c.json({ ...shown(setting), usage: { today: total(usage.filter(({ day }) => day === today)), last_30_days: total(usage), by_day: usage.map(shownDay) } });
  });
  app.put("/", async (c) => {
    const { provider, extraction_prompt: extractionPrompt, update_prompt: updatePrompt, daily_tokens: dailyTokens } = await parsed(c.req.raw, setting);
    const wanted = { provider, extractionPrompt, updatePrompt, dailyTokens };
    await setIntelligence(await context(c), wanted);
    return c.json(shown(wanted));
  });
  return app;
}

const shown = ({ provider, extractionPrompt, updatePrompt, dailyTokens }: IntelligenceSetting): Record<string, unknown> => ({
  provider,
  extraction_prompt: extractionPrompt,
  update_prompt: updatePrompt,
  daily_tokens: dailyTokens,
});

type Counts = Omit<ModelUsage, "day" | "model">;

const shownCounts = ({ calls, inputTokens, outputTokens, reservedTokens, costMicros }: Counts): Record<string, number> => ({
  calls,
  input_tokens: inputTokens,
  output_tokens: outputTokens,
  reserved_tokens: reservedTokens,
  cost_usd: costMicros / 1e6,
});
const shownDay = ({ day, model, ...counts }: ModelUsage): Record<string, unknown> => ({ day, model, ...shownCounts(counts) });

function total(usage: readonly ModelUsage[]): Record<string, number> {
  const sum = (name: keyof Counts): number => usage.reduce((sum, day) => sum + day[name], 0);
  return shownCounts({ calls: sum("calls"), inputTokens: sum("inputTokens"), outputTokens: sum("outputTokens"), reservedTokens: sum("reservedTokens"), costMicros: sum("costMicros") });
}
