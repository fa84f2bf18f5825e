import { WorkerEntrypoint } from "cloudflare:workers";
import { parseIntelligenceConfig } from "../../../src/curator/intelligence-config.ts";
import type { Intelligence } from "../../../src/domain/intelligence/intelligence.ts";
import { defaultIntelligence } from "../../../src/domain/intelligence/intelligence-setting.ts";
import { D1UsageLedger } from "../../../src/platform/d1/usage-ledger.ts";
import { intelligenceFrom } from "../../../src/platform/intelligence/intelligence-from.ts";
import type { AiBinding } from "../../../src/platform/intelligence/language-models.ts";
import type { Ask, IntelligenceAnswer, IntelligenceCall, Said } from "./intelligence-call.ts";
import { notedTimers } from "./noted-timers.ts";

interface TestEnv {
  SHARD_0: D1Database;
  AI: AiBinding;
  AI_PEER_URL: string;
}

const ruled = <T>(answer: T) => Promise.resolve({ answer, by: "rules" });
const rules: Intelligence = {
  enrich: () => ruled({ summary: "by rules", keywords: [], tags: [], type: "standard", importance: 0.5, confidence: 0.5 }),
  extract: () => ruled({ facts: [] }),
  decide: (facts) => ruled({ memory: facts.map((text) => ({ event: "ADD" as const, text, confidence: 0.5, reasoning: "" })) }),
  link: () => ruled({ links: [] }),
  consolidate: () => ruled({ decision: "keep_both", confidence: 0.5, reason: "" }),
  summarise: (text) => ruled({ text: text.slice(0, 20) }),
};

/** The providers inside workerd, as the curator wires them. */
export default {
  async fetch(request: Request, env: TestEnv): Promise<Response> {
    const { teamId, vars, setting = {}, asks, atOnce = false } = (await request.json()) as IntelligenceCall;
    const reports: string[] = [];
    notedTimers.length = 0;
    const ledger = new D1UsageLedger(() => env.SHARD_0);
    const team = { teamId, organizationId: "o", shard: "SHARD_0" };
    const report = (event: string, error: unknown): void => {
      const { stack, cause } = error as Error;
      reports.push(`${event} ${stack} ${JSON.stringify(error)} ${String(cause)}`);
    };
    try {
      const options = parseIntelligenceConfig({ ENVIRONMENT: "local", ...vars });
      const intelligence = intelligenceFrom(options, team, { ...defaultIntelligence, ...setting }, { rules, ledger, ai: env.AI, now: Date.now, report });
      const ask = ({ verb, args }: Ask) => (intelligence[verb] as (...args: unknown[]) => Promise<Said>)(...args);
      const answers: Said[] = [];
      if (atOnce) answers.push(...(await Promise.all(asks.map(ask))));
      else for (const one of asks) answers.push(await ask(one));
      return Response.json({ answers, reports, usage: await ledger.usage(team, "2000-01-01"), timers: notedTimers } satisfies IntelligenceAnswer);
    } catch (error) {
      return new Response(String(error), { status: 500 });
    }
  },
};

/** Stands where Cloudflare stands behind the binding `AI`: takes what `run` is given to the test's server, and answers or throws as the binding does. */
export class AiPeer extends WorkerEntrypoint<TestEnv> implements AiBinding {
  async run(model: string, input: Record<string, unknown>): Promise<unknown> {
    const response = await fetch(this.env.AI_PEER_URL, { method: "POST", body: JSON.stringify({ model, ...input }) });
    // https://developers.cloudflare.com/workers-ai/platform/errors/
    if (response.status === 429) throw new Error("3040: Capacity temporarily exceeded, please try again.");
    if (!response.ok) throw new Error(`${response.status < 500 ? 5007 : 3043}: ${await response.text()}`);
    return response.json();
  }
}
