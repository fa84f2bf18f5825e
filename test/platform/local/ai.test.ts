import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

test("what stands in for Workers AI has no language model, and says what to do", async () => {
  const ai = env.AI as unknown as { run(model: string, input: unknown): Promise<unknown> };
  let failure: unknown;
  try {
    await ai.run("@cf/meta/llama-3.3-70b-instruct-fp8-fast", { messages: [{ role: "user", content: "hello" }] });
  } catch (error) {
    failure = error;
  }
  expect(String(failure)).toContain("no language models on this machine: INTELLIGENCE_PROVIDER=openai-compatible");
});
