import * as z from "zod";
import type { IntelligenceOptions } from "../platform/intelligence/intelligence-from.ts";
import type { ModelChoice } from "../platform/intelligence/language-models.ts";

/** A variable that is set to nothing is not set. */
const optional = z.string().trim().transform((text) => text || undefined).optional();
const amount = (fallback: number) => optional.pipe(z.coerce.number<string>().min(0).max(1_000_000).default(fallback));

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Of a model that answers in JSON by a schema (https://developers.cloudflare.com/workers-ai/features/json-mode/). */
const workersAiModel = "@cf/meta/llama-3.3-70b-instruct-fp8-fast";
const anthropicModel = "claude-haiku-4-5";

const schema = z
  .object({
    ENVIRONMENT: z.enum(["local", "production"]),
    /** Who understands texts; `rules` asks nobody. */
    INTELLIGENCE_PROVIDER: optional.pipe(z.enum(["rules", "workers-ai", "anthropic", "openai-compatible"]).default("rules")),
    INTELLIGENCE_MODEL: optional,
    /** URL of the API, up to its version: `http://127.0.0.1:11434/v1` is a local Ollama. */
    INTELLIGENCE_BASE_URL: optional.pipe(z.url({ protocol: /^https?$/ }).optional()),
    /** How the service is held to the form of an answer: `json_object` for those that know no schemas. */
    INTELLIGENCE_OUTPUT: optional.pipe(z.enum(["json_schema", "json_object"]).default("json_schema")),
    ANTHROPIC_API_KEY: optional,
    /** Of an API of OpenAI's form. */
    INTELLIGENCE_API_KEY: optional,
    /** Of one attempt; the second one and the pause before it take as long again. */
    INTELLIGENCE_TIMEOUT_MS: optional.pipe(z.coerce.number<string>().int().min(100).max(300_000).default(30_000)),
    /** Tokens, in and out, that a team may spend on a day (UTC). */
    INTELLIGENCE_DAILY_TOKENS: optional.pipe(z.coerce.number<string>().int().min(0).default(1_000_000)),
    /** Dollars per million tokens, by which costs are recorded. */
    INTELLIGENCE_PRICE_IN: amount(0),
    INTELLIGENCE_PRICE_OUT: amount(0),
  })
  .refine((env) => env.INTELLIGENCE_PROVIDER !== "anthropic" || env.ANTHROPIC_API_KEY, { message: "INTELLIGENCE_PROVIDER=anthropic needs ANTHROPIC_API_KEY", path: ["ANTHROPIC_API_KEY"] })
  .refine((env) => env.INTELLIGENCE_PROVIDER !== "openai-compatible" || (env.INTELLIGENCE_BASE_URL && env.INTELLIGENCE_MODEL), {
    message: "INTELLIGENCE_PROVIDER=openai-compatible needs INTELLIGENCE_BASE_URL and INTELLIGENCE_MODEL",
    path: ["INTELLIGENCE_PROVIDER"],
  })
  .refine(({ ENVIRONMENT, INTELLIGENCE_BASE_URL: url }) => url === undefined || isPrivate(url, ENVIRONMENT), {
    message: "is an https URL; http is for a service on this machine, while ENVIRONMENT=local",
    path: ["INTELLIGENCE_BASE_URL"],
  })
  .refine(({ INTELLIGENCE_BASE_URL: url }) => url === undefined || (new URL(url).username === "" && new URL(url).search === ""), {
    message: "holds no credentials and no query: they would stand in logs",
    path: ["INTELLIGENCE_BASE_URL"],
  });

/** Texts and keys cross no network in the open. */
const isPrivate = (url: string, environment: "local" | "production"): boolean =>
  new URL(url).protocol === "https:" || (environment === "local" && loopback.has(new URL(url).hostname));

/** @throws when the configuration is wrong, so that the Worker does not start with it */
export function parseIntelligenceConfig(env: unknown): IntelligenceOptions {
  const parsed = schema.safeParse(env);
  if (!parsed.success) throw new Error(`OmniMemory cannot start: ${z.prettifyError(parsed.error)}`);
  const timeoutMs = parsed.data.INTELLIGENCE_TIMEOUT_MS;
  return {
    choice: choiceOf(parsed.data),
    timeoutMs,
    deadlineMs: 2 * timeoutMs,
    dailyTokens: parsed.data.INTELLIGENCE_DAILY_TOKENS,
    prices: { input: parsed.data.INTELLIGENCE_PRICE_IN, output: parsed.data.INTELLIGENCE_PRICE_OUT },
  };
}

function choiceOf(env: z.output<typeof schema>): ModelChoice | undefined {
  const { INTELLIGENCE_PROVIDER: provider, INTELLIGENCE_MODEL: model, INTELLIGENCE_BASE_URL: baseUrl } = env;
  if (provider === "workers-ai") return { provider, model: model ?? workersAiModel };
  if (provider === "anthropic") return { provider, model: model ?? anthropicModel, apiKey: env.ANTHROPIC_API_KEY ?? "", baseUrl };
  if (provider === "openai-compatible") return { provider, model: model ?? "", baseUrl: baseUrl ?? "", apiKey: env.INTELLIGENCE_API_KEY, output: env.INTELLIGENCE_OUTPUT };
  return undefined;
}
