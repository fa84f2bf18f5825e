import type { GuardPolicyStore } from "../domain/guard/guard-policy.ts";
import type { IntelligencePort } from "../domain/intelligence/intelligence-setting.ts";
import { writesWithIndexing, type IndexingQueue } from "../domain/indexing/indexing-queue.ts";
import type { PreventionPort } from "../domain/metrics/prevention-stats.ts";
import type { MemoryStore, MemoryWriter } from "../domain/memories/memory-store.ts";
import type { ProposalStore } from "../domain/memories/proposal-store.ts";
import type { ReversionStore } from "../domain/memories/reversion-store.ts";
import { IssuerKeys } from "../domain/sessions/issuer-keys.ts";
import { PassportKeys } from "../domain/sessions/passport-keys.ts";
import type { PassportPorts } from "../domain/sessions/passports.ts";
import type { SessionStore } from "../domain/sessions/session-store.ts";
import { TextBox } from "../domain/secrets/sealed-text.ts";
import type { RotationPorts } from "../domain/secrets/rotation.ts";
import type { ErasurePorts } from "../domain/tenancy/deletion-store.ts";
import type { WorkflowStore } from "../domain/workflows/workflow-store.ts";
import { D1ErasureStore } from "../platform/d1/erasure-store.ts";
import { D1GuardStore } from "../platform/d1/guard-store.ts";
import { D1IntelligenceSettingStore } from "../platform/d1/intelligence-store.ts";
import { D1MemoryStore } from "../platform/d1/memory-store.ts";
import { D1PassportStore } from "../platform/d1/passport-store.ts";
import { D1PreventionStore } from "../platform/d1/prevention-store.ts";
import { D1ProposalStore } from "../platform/d1/proposal-store.ts";
import { D1ReversionStore } from "../platform/d1/reversion-store.ts";
import { QuotaGuard } from "../platform/d1/quota-guard.ts";
import { D1SessionStore } from "../platform/d1/session-store.ts";
import { D1SealedStore } from "../platform/d1/sealed-store.ts";
import { TeamLookup } from "../platform/d1/team-lookup.ts";
import { D1UsageLedger } from "../platform/d1/usage-ledger.ts";
import { D1WorkflowStore } from "../platform/d1/workflow-store.ts";
import { TeamIndexErasure } from "../platform/team-index/erasure.ts";
import { TeamIndexWriter } from "../platform/team-index/writer.ts";
import { remoteIssuerKeys } from "../http/passports/remote-issuer-keys.ts";
import { sessionName } from "../session/session-call.ts";
import type { Base } from "./base.ts";

/** Memories as they are stored, sealed and erased. */
export interface Memory {
  memories: MemoryStore;
  writer: MemoryWriter;
  proposals: ProposalStore;
  guard: GuardPolicyStore;
  intelligenceSettings: IntelligencePort;
  reversions: ReversionStore;
  sessions: SessionStore;
  passports: PassportPorts["passports"];
  workflows: WorkflowStore;
  prevention: PreventionPort;
  erasure: ErasurePorts;
  /** Keys of what is encrypted at rest. */
  secrets: RotationPorts;
}

export function memoryOf(env: Env, { config, shardOf, directory, erasureDirectory, masters, keyStore, teamKeys, sealed, room, vectorIndex, report }: Base, announcer: IndexingQueue): Memory {
  const listShards = () => directory.listShards();
  return {
    memories: new D1MemoryStore(shardOf, new TeamLookup((id) => directory.findTeam(id)), sealed, listShards, config.teamQuota),
    writer: writesWithIndexing(new TeamIndexWriter(env.TEAM_INDEX, report), announcer),
    proposals: new D1ProposalStore(shardOf, sealed),
    guard: new D1GuardStore(shardOf),
    intelligenceSettings: { settings: new D1IntelligenceSettingStore(shardOf), ledger: new D1UsageLedger(shardOf) },
    reversions: new D1ReversionStore(shardOf),
    sessions: new D1SessionStore(shardOf, new QuotaGuard(config.teamQuota), room),
    passports: {
      keys: new PassportKeys(config.masterKeys),
      issuerKeys: new IssuerKeys(config.masterKeys),
      remoteKeys: remoteIssuerKeys(config),
      store: new D1PassportStore(shardOf, room),
    },
    workflows: new D1WorkflowStore(shardOf, new QuotaGuard(config.teamQuota), room),
    prevention: { store: new D1PreventionStore(shardOf), pricePer1k: config.tokenPrice },
    erasure: {
      directory: erasureDirectory,
      store: new D1ErasureStore(shardOf),
      index: new TeamIndexErasure(env.TEAM_INDEX),
      vectors: vectorIndex,
      sessions: { erase: ({ teamId, userId }) => env.USER_SESSION.getByName(sessionName(teamId, userId)).erase() },
      keys: keyStore,
      report,
    },
    secrets: { masters, keys: keyStore, teamKeys, sealed: new D1SealedStore(shardOf, sealed, new TextBox(teamKeys)), teams: { findTeam: (id) => directory.findTeamToIndex(id), listShards }, report },
  };
}
