import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeEach } from "vitest";
import { bundleWorker } from "../../../src/launcher/bundle.ts";
import type { Ask, IntelligenceAnswer, IntelligenceCall, Said } from "./intelligence-call.ts";
import { type Dialect, ModelEndpoint } from "./model-endpoint.ts";

const name = "intelligence";
export const apiKey = "sk-secret-0123456789";

/** The providers as they ship, in workerd, with a ledger in D1, beside a server that speaks the wire forms of the services. */
export class IntelligencePeer {
  readonly endpoint: ModelEndpoint;
  readonly url: string;
  readonly #worker: Miniflare;
  #team = 0;

  private constructor(endpoint: ModelEndpoint, url: string, worker: Miniflare) {
    this.endpoint = endpoint;
    this.url = url;
    this.#worker = worker;
  }

  static async start(): Promise<IntelligencePeer> {
    const endpoint = new ModelEndpoint();
    const url = await endpoint.start();
    const modules = await bundleWorker(fileURLToPath(new URL("./intelligence-worker.ts", import.meta.url)));
    const worker = new Miniflare(
      convertV4MiniflareOptions({
        name, modules, compatibilityDate: "2026-10-20", compatibilityFlags: ["nodejs_compat"], cf: false,
        d1Databases: ["SHARD_0"],
        serviceBindings: { AI: { name, entrypoint: "AiPeer" } },
        bindings: { AI_PEER_URL: url },
      }),
    );
    const d1 = await worker.getD1Database("SHARD_0");
    for (const statement of migration().split("--> statement-breakpoint")) await d1.prepare(statement).run();
    return new IntelligencePeer(endpoint, url, worker);
  }

  /** One for the tests of a file, each of which begins with nothing seen and no script. */
  static async ofFile(): Promise<IntelligencePeer> {
    const peer = await IntelligencePeer.start();
    beforeEach(() => {
      peer.endpoint.seen.length = 0;
      peer.endpoint.script.length = 0;
    });
    afterAll(() => peer.stop());
    return peer;
  }

  async stop(): Promise<void> {
    await this.#worker.dispose();
    await this.endpoint.stop();
  }

  /** Another team each time, so that budgets and outages of tests do not meet. */
  newTeam(): string {
    this.#team += 1;
    return `team-${this.#team}`;
  }

  vars(dialect: Dialect): Record<string, string> {
    const common = { INTELLIGENCE_PROVIDER: dialect, INTELLIGENCE_TIMEOUT_MS: "5000" };
    if (dialect === "anthropic") return { ...common, INTELLIGENCE_BASE_URL: this.url, ANTHROPIC_API_KEY: apiKey };
    if (dialect === "workers-ai") return common;
    return { ...common, INTELLIGENCE_BASE_URL: this.url, INTELLIGENCE_MODEL: "qwen3", INTELLIGENCE_API_KEY: apiKey };
  }

  /** @throws when the Worker did not start */
  async call(call: Omit<IntelligenceCall, "teamId"> & { teamId?: string }): Promise<IntelligenceAnswer> {
    const response = await this.#worker.dispatchFetch("http://worker/", { method: "POST", body: JSON.stringify({ teamId: this.newTeam(), ...call }) });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as IntelligenceAnswer;
  }

  async ask(dialect: Dialect, ask: Ask, vars: Record<string, string> = {}): Promise<Said & Omit<IntelligenceAnswer, "answers">> {
    const { answers, ...rest } = await this.call({ vars: { ...this.vars(dialect), ...vars }, asks: [ask] });
    return { ...(answers[0] as Said), ...rest };
  }
}

/** The tables of the ledger, as they are shipped. */
function migration(): string {
  const folder = new URL("../../../migrations/shard/", import.meta.url);
  const file = readdirSync(folder).find((name) => name.endsWith(".sql") && readFileSync(new URL(name, folder), "utf8").includes("CREATE TABLE `intelligence_usage`"));
  if (file === undefined) throw new Error("No migration makes the ledger");
  return readFileSync(new URL(file, folder), "utf8").split("--> statement-breakpoint").filter((statement) => statement.includes("`intelligence_")).join("--> statement-breakpoint");
}
