import { afterAll, expect, test } from "vitest";
import { startServer } from "../../src/launcher/server.ts";
import { cleanUp, scratchDir } from "./launcher.ts";

afterAll(cleanUp);

test.each([
  ["Workers AI, which is not here", { INTELLIGENCE_PROVIDER: "workers-ai" }, /Workers AI has no language models on this machine\. INTELLIGENCE_PROVIDER=openai-compatible/],
  ["a service without its address", { INTELLIGENCE_PROVIDER: "openai-compatible" }, /OmniMemory cannot start: .*INTELLIGENCE_PROVIDER=openai-compatible needs INTELLIGENCE_BASE_URL/],
])("the server does not start with %s, and says why", async (_what, curatorVars, why) => {
  await expect(startServer({ dataDir: scratchDir(), port: 0, curatorVars })).rejects.toThrow(why);
}, 60_000);
