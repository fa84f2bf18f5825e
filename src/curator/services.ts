import type { WorkPorts } from "../domain/curation/work.ts";
import type { TeamFinder } from "../domain/indexing/index-team.ts";
import { shardName } from "../domain/tenancy/shard-name.ts";
import type { TeamRef } from "../domain/tenancy/team-ref.ts";
import { logFault } from "../http/log.ts";
import { D1DirectoryStore } from "../platform/d1/directory-store.ts";
import { D1EvolutionStore } from "../platform/d1/evolution-store.ts";
import { D1GraphStore } from "../platform/d1/graph-store.ts";
import { D1IntelligenceSettingStore } from "../platform/d1/intelligence-store.ts";
import { D1LinkDecayStore } from "../platform/d1/link-decay-store.ts";
import { D1ReversionStore } from "../platform/d1/reversion-store.ts";
import { D1ReviewSetting } from "../platform/d1/review-setting.ts";
import { D1RunStore } from "../platform/d1/run-store.ts";
import type { ShardOf } from "../platform/d1/shard-of.ts";
import { D1UsageLedger } from "../platform/d1/usage-ledger.ts";
import { TeamEventBus } from "../platform/team-index/event-bus.ts";
import { runsWithEvents } from "../platform/team-index/told-events.ts";
import { TeamIndexClient } from "../platform/team-index/client.ts";
import { TeamIndexWriter } from "../platform/team-index/writer.ts";
import { reachModel } from "../platform/intelligence/reach.ts";
import type { CuratorEnv } from "./env.ts";
import { modelsOf } from "./intelligence.ts";
import { parseIntelligenceConfig } from "./intelligence-config.ts";
import { workKinds } from "./kinds.ts";

/** Whoever asks waits no longer than this. */
const reachMs = 3_000;

/** Everything the curator uses. It is composed without the keys of secrets, and without what serves requests. */
export interface CuratorServices {
  teams: TeamFinder;
  runs: D1RunStore;
  work: WorkPorts;
  /** Whether the model answers that works for this team; `off` where rules do. @throws when it does not answer */
  modelState(team: TeamRef): Promise<"ok" | "off">;
  report(event: string, error: unknown): void;
}

export function curatorServicesOf(env: CuratorEnv): CuratorServices {
  const report = (event: string, error: unknown): void => logFault(event, "", error);
  const shardOf: ShardOf = (name) => {
    const shard = (env as unknown as Record<string, unknown>)[name];
    if (!shardName.test(name) || shard === undefined) throw new Error(`The shard ${name} is not bound to the curator`);
    return shard as D1Database;
  };
  const directory = new D1DirectoryStore(env.DB);
  const runs = new D1RunStore(shardOf);
  const evolution = new D1EvolutionStore(shardOf);
  const bus = new TeamEventBus(env.TEAM_INDEX, report);
  const intelligence = parseIntelligenceConfig(env);
  const settings = new D1IntelligenceSettingStore(shardOf);
  const kinds = workKinds({
    facts: evolution,
    policy: evolution,
    proposals: new D1ReviewSetting(shardOf),
    reversions: new D1ReversionStore(shardOf),
    writer: new TeamIndexWriter(env.TEAM_INDEX, report),
    index: new TeamIndexClient(env.TEAM_INDEX, report),
    links: new D1LinkDecayStore(shardOf),
    graph: new D1GraphStore(shardOf),
    modelOf: modelsOf(intelligence, {
      settings,
      ledger: new D1UsageLedger(shardOf),
      ai: env.AI,
      now: Date.now,
      report,
    }),
  });
  return {
    teams: { findTeam: (id) => directory.findTeamToIndex(id), listShards: () => directory.listShards() },
    runs,
    work: { runs: runsWithEvents(runs, (teamId, events) => bus.publish(teamId, events)), kinds, report },
    modelState: async (team) => {
      const { choice } = intelligence;
      if (!choice || (await settings.setting(team)).provider === "rules") return "off";
      await reachModel(choice, env.AI, AbortSignal.timeout(reachMs));
      return "ok";
    },
    report,
  };
}
