import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
import { createWorkersAI } from "workers-ai-provider";
import { ModelFailure } from "../../domain/intelligence/model-failure.ts";

/** A model that a deployment is configured to ask. */
export type ModelChoice =
  | { provider: "workers-ai"; model: string }
  | { provider: "anthropic"; model: string; apiKey: string; baseUrl?: string | undefined }
  | { provider: "openai-compatible"; model: string; apiKey?: string | undefined; baseUrl: string; output: "json_schema" | "json_object" };

/** The part of the Workers AI binding that is used. */
export interface AiBinding {
  run(model: string, input: Record<string, unknown>): Promise<unknown>;
}

/** @throws when Workers AI is chosen and not bound */
export function languageModel(choice: ModelChoice, ai: AiBinding | undefined): LanguageModel {
  const { provider, model } = choice;
  if (provider === "workers-ai") {
    if (!ai) throw new Error("OmniMemory cannot start: INTELLIGENCE_PROVIDER=workers-ai needs the binding AI");
    // Without options: what stands in for the binding on one machine is called by RPC, which carries no signal.
    const binding: AiBinding = { run: (name, input) => ai.run(name, input) };
    return createWorkersAI({ binding: binding as unknown as Ai })(model);
  }
  if (provider === "anthropic") {
    const { apiKey, baseUrl } = choice;
    return createAnthropic({ apiKey, fetch: fetchWithoutRedirects, ...(baseUrl === undefined ? {} : { baseURL: baseUrl }) })(model);
  }
  const { apiKey, baseUrl, output } = choice;
  const isOpenAi = new URL(baseUrl).hostname === "api.openai.com";
  return createOpenAICompatible({
    name: "openai-compatible",
    baseURL: baseUrl,
    fetch: fetchWithoutRedirects,
    supportsStructuredOutputs: output === "json_schema",
    ...(apiKey === undefined ? {} : { apiKey }),
    // OpenAI's reasoning models refuse `max_tokens`, other services know nothing else.
    ...(isOpenAi ? { transformRequestBody: ({ max_tokens, ...body }) => ({ ...body, max_completion_tokens: max_tokens }) } : {}),
  })(model);
}

/** A redirect would take the texts, and `x-api-key`, to a host that nobody configured; here it is an answer like any other refusal. */
const fetchWithoutRedirects: typeof fetch = (input, init) =>
  fetch(input, { ...init, redirect: "manual" }).catch(() => {
    // Its own words may hold the address and the request.
    throw new ModelFailure("unreachable");
  });
