import type { AiBinding, ModelChoice } from "./language-models.ts";

const anthropicApi = "https://api.anthropic.com/v1";

/** Whether the model's service lets this deployment in: by its list of models, which costs nothing; Workers AI has none, and is asked for one token. @throws when it does not */
export async function reachModel(choice: ModelChoice, ai: AiBinding | undefined, signal: AbortSignal): Promise<void> {
  if (choice.provider === "workers-ai") {
    if (!ai) throw new Error("Workers AI is not bound");
    await ai.run(choice.model, { messages: [{ role: "user", content: "ok" }], max_tokens: 1 });
    return;
  }
  const url = `${(choice.baseUrl ?? anthropicApi).replace(/\/$/, "")}/models`;
  const { apiKey } = choice;
  const headers: Record<string, string> =
    choice.provider === "anthropic" ? { "x-api-key": choice.apiKey, "anthropic-version": "2023-06-01" } : apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const answer = await fetch(url, { headers, redirect: "manual", signal });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`The model's service answers ${answer.status}`);
}
