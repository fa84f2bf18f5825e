import { env } from "cloudflare:workers";
import { servicesOf } from "./app.ts";
import { memoryCommitsOf } from "./app/storage.ts";
import { logFault } from "./http/log.ts";
import { router } from "./http/router.ts";
import { consumeJobs } from "./jobs/queue.ts";
import { runScheduled } from "./jobs/scheduled.ts";
import { TeamIndex as TeamObject } from "./platform/team-index/team-index.ts";

export { UserSession } from "./session/user-session.ts";

/** The team object, with what it commits by. */
export class TeamIndex extends TeamObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, { commits: memoryCommitsOf, report: (event, error) => logFault(event, "", error) });
  }
}

// At start-up, so that a wrong configuration fails the deployment and not the first request.
const services = servicesOf(env);
const app = router(services, (name) => env.USER_SESSION.getByName(name));

export default {
  fetch: app.fetch,
  queue: (batch) => consumeJobs(services, batch, Date.now),
  scheduled: (controller) => runScheduled(services, controller.scheduledTime),
} satisfies ExportedHandler<Env>;
