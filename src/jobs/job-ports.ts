import type { Services } from "../app.ts";
import type { Job } from "../domain/transfers/job-store.ts";
import type { JobSweepPorts } from "../domain/transfers/work.ts";
import type { Principal } from "../domain/tenancy/principal.ts";
import type { TeamRef } from "../domain/tenancy/team-ref.ts";

/** What the work on jobs asks: each step acts as who asked for the job, with what they may do by then. */
export function jobPortsOf(services: Services): JobSweepPorts {
  return {
    jobs: services.jobs,
    teams: services.indexing.teams,
    report: (event, error) => services.report(event, "", error),
    principalOf: (team, job, now) => principalOf(services, team, job, now),
    contextOf(principal, job, now) {
      const { memories, writer, proposals, guard, reversions, intelligence, index, graph, people, semantic, indexingQueue, workflows, sessions } = services;
      return {
        principal, now, memories, writer, proposals, guard, reversions, intelligence, index, graph, people, semantic, indexingQueue, workflows, sessions,
        // All that a job writes is one request: a revert takes it back as one.
        requestId: job.id,
        tool: job.tool,
        noteAccess: () => undefined,
        learns: async () => (await services.preferences.preferences(principal)).auto_features.workflow_learning,
        report: (event, error) => services.report(event, job.id, error),
      };
    },
  };
}

/** A key that is revoked, and a grant that has ended, do nothing any more; who has signed out since goes on being who they are. */
async function principalOf({ keys, tenants, grants }: Services, { teamId }: TeamRef, { requestedBy: userId, credential, scopes }: Job, now: number): Promise<Principal | undefined> {
  const membership = await tenants.membership({ userId }, teamId);
  if (!membership) return undefined;
  if (credential.kind === "api-key") {
    const holder = await keys.authenticate(credential.id);
    if (!holder || holder.key.revokedAt !== null || (holder.key.expiresAt !== null && holder.key.expiresAt <= now)) return undefined;
  }
  if (credential.kind === "grant" && !(await grants.connections({ userId, name: "" }, now)).some(({ grantId }) => grantId === credential.id)) return undefined;
  return { ...membership, userId, teamId, scopes, credential };
}
