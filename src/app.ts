import { logFault } from "./http/log.ts";
import { AuthorizationServer } from "./http/oauth/authorization-server.ts";
import { storageOf } from "./app/storage.ts";
import type { Config } from "./config.ts";
import type { AlertStore } from "./domain/audit/alerts.ts";
import type { AuditReader, AuditTrail } from "./domain/audit/ports.ts";
import { CredentialUses } from "./domain/audit/uses.ts";
import type { WatchPorts } from "./domain/audit/watch.ts";
import type { GraphStore } from "./domain/graph/ports.ts";
import type { MemoryStore, MemoryWriter, SearchIndex } from "./domain/ports.ts";
import { Semantic } from "./domain/search/semantic.ts";
import { withTeamIds } from "./domain/search/vector-space.ts";
import { announcedWrites, type Announcer } from "./domain/indexing/announce.ts";
import { graphStage } from "./domain/graph/stage.ts";
import { compareVectors } from "./domain/indexing/compare-vectors.ts";
import { stageTask } from "./domain/indexing/task.ts";
import { graphVectorTask, vectorTask } from "./domain/indexing/vector-task.ts";
import type { IndexingPorts } from "./domain/indexing/index-team.ts";
import type { MaintenancePorts } from "./domain/memories/maintenance.ts";
import type { Reranker } from "./domain/search/rerank.ts";
import type { ProposalStore } from "./domain/memories/review-ports.ts";
import type { AnswerStore } from "./domain/search/recall-cache.ts";
import type { DeletionDirectory, ErasurePorts } from "./domain/tenancy/deletion-ports.ts";
import { closeDeleted } from "./domain/tenancy/erasure.ts";
import { shardName } from "./domain/tenancy/shard-name.ts";
import type { InvitationDirectory, TenantDirectory } from "./domain/tenancy/tenant-ports.ts";
import type { GrantDirectory } from "./domain/tenancy/grant-ports.ts";
import type { IdentityDirectory } from "./domain/tenancy/identities.ts";
import type { OAuthRecordStore } from "./domain/tenancy/oauth-records.ts";
import type { PasskeyDirectory } from "./domain/tenancy/passkeys.ts";
import type { RotationPorts } from "./domain/secrets/rotation.ts";
import type { People } from "./domain/tenancy/people.ts";
import type { KeyDirectory } from "./domain/tenancy/ports.ts";
import type { AttemptDirectory } from "./domain/tenancy/sign-in-attempts.ts";
import type { IdentityMaintenance, SignInLinkDirectory, WebSessionDirectory } from "./domain/tenancy/sign-in-ports.ts";
import { embeddersOf } from "./platform/ai/embedders.ts";
import type { AiBinding } from "./platform/ai/workers-ai-embedder.ts";
import { rerankerOf } from "./platform/ai/workers-ai-reranker.ts";
import { D1AlertStore } from "./platform/d1/alert-store.ts";
import { D1AuditFeed } from "./platform/d1/audit-feed.ts";
import { AuditStore } from "./platform/d1/audit-store.ts";
import { D1ComparisonStore } from "./platform/d1/comparison-store.ts";
import { DeletionStore } from "./platform/d1/deletion-store.ts";
import { DirectoryStore } from "./platform/d1/directory-store.ts";
import { D1GraphStore } from "./platform/d1/graph-store.ts";
import { D1GraphWriter } from "./platform/d1/graph-writer.ts";
import { D1IndexProgress } from "./platform/d1/index-progress.ts";
import { D1Maintenance } from "./platform/d1/maintenance.ts";
import { D1MemoryStore } from "./platform/d1/memory-store.ts";
import { D1ErasureDirectory } from "./platform/d1/erasure-directory.ts";
import { D1ErasureStore } from "./platform/d1/erasure-store.ts";
import { InvitationStore } from "./platform/d1/invitation-store.ts";
import { D1ProposalStore } from "./platform/d1/proposal-store.ts";
import { GrantStore } from "./platform/d1/grant-store.ts";
import { D1IdentityMaintenance } from "./platform/d1/identity-maintenance.ts";
import { IdentityStore } from "./platform/d1/identity-store.ts";
import { D1OAuthRecords } from "./platform/d1/oauth-store.ts";
import { PasskeyStore } from "./platform/d1/passkey-store.ts";
import { PeopleStore } from "./platform/d1/people-store.ts";
import { D1SealedStore } from "./platform/d1/sealed-store.ts";
import { SignInStore } from "./platform/d1/sign-in-store.ts";
import { TenantStore } from "./platform/d1/tenant-store.ts";
import { ServingSpaces } from "./platform/d1/serving-spaces.ts";
import { TeamHomes } from "./platform/d1/team-homes.ts";
import { D1VectorStore } from "./platform/d1/vector-store.ts";
import { QueueAnnouncer } from "./platform/queue/announcer.ts";
import { KvAnswerStore } from "./platform/kv/answer-store.ts";
import { TeamIndexClient } from "./platform/team-index/client.ts";
import { TeamIndexWriter } from "./platform/team-index/writer.ts";
import { VectorizeBindings } from "./platform/vectorize/bindings.ts";
import { VectorizeIndex } from "./platform/vectorize/vectorize-index.ts";
import { announcedGrants, announcedRecords } from "./session/announced-grants.ts";
import { announcedKeys } from "./session/announced-keys.ts";
import { sessionName } from "./session/call.ts";
import { announcedDeletion } from "./session/announced-deletion.ts";
import { type RestCharges, restCharges } from "./session/rest-charges.ts";
import { announcedTenants, type SessionAnnouncements } from "./session/announced-tenants.ts";
import { TeamIndexErasure } from "./platform/team-index/erasure.ts";
import { TeamIndexMaintenance } from "./platform/team-index/maintenance.ts";

/** Of one team in one turn of the hourly comparison. */
const comparingMs = 5_000;

/** Everything the outer layers use, wired once per isolate. */
export interface Services {
  config: Config;
  keys: KeyDirectory;
  signIn: WebSessionDirectory & SignInLinkDirectory & AttemptDirectory;
  tenants: TenantDirectory;
  invitations: InvitationDirectory;
  deletion: DeletionDirectory;
  erasure: ErasurePorts;
  identities: IdentityDirectory;
  passkeys: PasskeyDirectory;
  grants: GrantDirectory;
  audit: AuditReader & AuditTrail;
  uses: CredentialUses;
  alerts: AlertStore;
  watch: WatchPorts;
  oauth: AuthorizationServer;
  charges: RestCharges;
  oauthRecords: OAuthRecordStore;
  memories: MemoryStore;
  writer: MemoryWriter;
  proposals: ProposalStore;
  index: SearchIndex;
  graph: GraphStore;
  people: People;
  semantic: Semantic;
  reranker: Reranker | undefined;
  answers: AnswerStore;
  maintenance: MaintenancePorts;
  /** Keys of what is encrypted at rest. */
  secrets: RotationPorts;
  identityMaintenance: IdentityMaintenance;
  /** Makes shards that are newly bound known to the directory, so that teams can be put there. */
  registerShards(now: number): Promise<void>;
  indexing: IndexingPorts;
  announcer: Announcer;
  /** Writes one structured line to the log. Never holds memory text. */
  report(event: string, requestId: string, error: unknown): void;
}

/** The only place that joins ports and platform. */
export function servicesOf(env: Env): Services {
  const { config, shardOf, masters, keyStore, teamKeys, sealed } = storageOf(env);
  const boundShards = Object.keys(env).filter((name) => shardName.test(name));
  const directory = new DirectoryStore(env.DB);
  const audit = new AuditStore(env.DB, shardOf);
  const alerts = new D1AlertStore(env.DB);
  const indexReport = (event: string, error: unknown): void => logFault(event, "", error);
  const announcer = new QueueAnnouncer(env.JOBS, indexReport);
  const embedders = withTeamIds(embeddersOf(config.embeddings, env as unknown as Parameters<typeof embeddersOf>[1]));
  const vectorIndex = new VectorizeIndex(VectorizeBindings.of(env), env.TEAM_INDEX, indexReport);
  const serving = new ServingSpaces(shardOf);
  const progress = new D1IndexProgress(shardOf);
  const teamIndexes = new TeamIndexMaintenance(env.TEAM_INDEX);
  const tellSession = (session: string): Promise<void> => env.USER_SESSION.getByName(session).standingChanged();
  const oauthRecords = announcedRecords(new D1OAuthRecords(env.DB), tellSession);
  const graphWriter = new D1GraphWriter(shardOf);
  const vectorPorts = { progress, vectors: new D1VectorStore(shardOf), comparison: new D1ComparisonStore(shardOf), vectorIndex, graph: graphWriter, embedders, report: indexReport };
  const announce: SessionAnnouncements = {
    changed: tellSession,
    left: (session) => env.USER_SESSION.getByName(session).memberLeft(),
  };
  const erasure: ErasurePorts = {
    directory: new D1ErasureDirectory(env.DB),
    store: new D1ErasureStore(shardOf),
    index: new TeamIndexErasure(env.TEAM_INDEX),
    vectors: vectorIndex,
    sessions: { erase: ({ teamId, userId }) => env.USER_SESSION.getByName(sessionName(teamId, userId)).erase() },
    keys: keyStore,
    report: indexReport,
  };
  return {
    config,
    keys: announcedKeys(directory, tellSession),
    signIn: new SignInStore(env.DB),
    invitations: new InvitationStore(env.DB),
    tenants: announcedTenants(new TenantStore(env.DB), announce),
    deletion: announcedDeletion(new DeletionStore(env.DB), announce, () => closeDeleted(erasure, Date.now())),
    erasure,
    identities: new IdentityStore(env.DB, directory),
    passkeys: new PasskeyStore(env.DB),
    grants: announcedGrants(new GrantStore(env.DB), tellSession),
    audit,
    uses: new CredentialUses(audit),
    alerts,
    watch: { feed: new D1AuditFeed(env.DB, shardOf), alerts, report: indexReport },
    oauth: new AuthorizationServer(oauthRecords, config),
    charges: restCharges(env, config.rateLimited),
    oauthRecords,
    memories: new D1MemoryStore(shardOf, new TeamHomes((id) => directory.findTeam(id)), sealed, () => directory.listShards(), config.teamQuota),
    writer: announcedWrites(new TeamIndexWriter(env.TEAM_INDEX, indexReport), announcer),
    proposals: new D1ProposalStore(shardOf, sealed),
    index: new TeamIndexClient(env.TEAM_INDEX, indexReport),
    graph: new D1GraphStore(shardOf, config.teamQuota),
    people: new PeopleStore(env.DB),
    semantic: new Semantic({ embedders, index: vectorIndex, servingSpace: (principal, now) => serving.of(principal, now) }),
    reranker: rerankerOf(config, (env as unknown as { AI?: AiBinding }).AI),
    answers: new KvAnswerStore(env.CACHE, indexReport),
    maintenance: {
      teams: directory,
      store: new D1Maintenance(shardOf),
      index: teamIndexes,
      vectors: { compare: ({ id, organizationId, shard }) => compareVectors(vectorPorts, { teamId: id, organizationId, shard }, Date.now, Date.now() + comparingMs) },
      report: indexReport,
    },
    secrets: { masters, keys: keyStore, teamKeys, sealed: new D1SealedStore(shardOf, sealed), teams: { findTeam: (id) => directory.findTeamToIndex(id), listShards: () => directory.listShards() }, report: indexReport },
    identityMaintenance: new D1IdentityMaintenance(env.DB),
    registerShards: (now) => directory.registerShards(boundShards, now),
    indexing: {
      teams: { findTeam: (id) => directory.findTeamToIndex(id), listShards: () => directory.listShards() },
      progress,
      // What the graph says is embedded after it was drawn.
      tasks: [vectorTask(vectorPorts), stageTask(vectorPorts, graphStage(graphWriter, teamIndexes)), graphVectorTask(vectorPorts)],
      report: indexReport,
    },
    announcer,
    report: logFault,
  };
}
