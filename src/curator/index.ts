import { env } from "cloudflare:workers";
import { wakeTeams } from "./scheduled.ts";
import type { CuratorEnv } from "./env.ts";
import { curatorServicesOf } from "./services.ts";

export { Curator } from "./curator.ts";

const curator = env as unknown as CuratorEnv;
const services = curatorServicesOf(curator);

export default {
  // Its objects are reached by bindings alone: an agent's WebSocket would show and steer the runs of any team to whoever asks.
  fetch: () => new Response("There is nothing here.\n", { status: 404 }),
  scheduled: async (controller) => {
    await wakeTeams(services, (team) => curator.CURATOR.getByName(team.teamId).wake(team), controller.scheduledTime);
  },
} satisfies ExportedHandler;
