import { env } from "cloudflare:workers";
import type { WorkPorts } from "../../../src/domain/curation/work.ts";
import { enrichment, type NamedModel } from "../../../src/domain/evolution/enrichment.ts";
import type { Note } from "../../../src/domain/intelligence/intelligence.ts";
import { rules } from "../../../src/domain/intelligence/rules/rules.ts";
import { D1EvolutionStore } from "../../../src/platform/d1/evolution-store.ts";
import { TeamIndexWriter } from "../../../src/platform/team-index/writer.ts";
import { services } from "../../support/team.ts";
import { curator } from "./world.ts";

export const name = "anthropic:claude-haiku-4-5";
const answer = { summary: "Billing runs on PostgreSQL 17.", keywords: ["billing", "postgresql"], tags: ["Database"], type: "architecture_decision" as const, importance: 0.9, confidence: 0.8 };

/** A model that answers this to everything, or fails for this reason. */
export class Model {
  readonly asked: Note[] = [];
  reason: string | undefined;
  /** Of texts that have this in them, whatever else it answers. */
  stumblesOver: string | undefined;
  said: Partial<typeof answer> = {};
  readonly named: NamedModel = {
    name,
    intelligence: {
      enrich: async (note) => {
        this.asked.push(note);
        const reason = this.stumblesOver !== undefined && note.content.includes(this.stumblesOver) ? "timeout" : this.reason;
        return reason === undefined ? { answer: { ...answer, ...this.said }, by: name } : { ...(await rules.enrich(note)), insteadOf: { by: name, reason } };
      },
    },
  };
  get work(): { work: WorkPorts } {
    const store = new D1EvolutionStore(() => env.SHARD_0);
    const ports = { facts: store, policy: store, proposals: services.proposals, reversions: services.reversions, writer: new TeamIndexWriter(env.TEAM_INDEX, () => undefined), modelOf: () => Promise.resolve(this.named) };
    return { work: { ...curator.work, kinds: [enrichment(ports)], report: () => undefined } };
  }
}
