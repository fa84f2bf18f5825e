import { env } from "cloudflare:workers";
import { servicesOf } from "./app.ts";
import { router } from "./http/router.ts";
import { consumeJobs } from "./jobs/queue.ts";
import { runScheduled } from "./jobs/scheduled.ts";

export { TeamIndex } from "./app/team-object.ts";
export { UserSession } from "./session/user-session.ts";

// At start-up, so that a wrong configuration fails the deployment and not the first request.
const services = servicesOf(env);
const app = router(services, (name) => env.USER_SESSION.getByName(name));

export default {
  fetch: app.fetch,
  queue: (batch) => consumeJobs(services, batch, Date.now),
  scheduled: (controller) => runScheduled(services, controller.scheduledTime),
} satisfies ExportedHandler<Env>;
