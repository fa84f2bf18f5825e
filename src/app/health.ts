import type { Dependency } from "../domain/health/dependencies.ts";
import { shardName } from "../domain/tenancy/shard-name.ts";
import { readBacklog } from "../platform/d1/backlog.ts";
import type { Base } from "./base.ts";
import type { Embedders } from "./indexing.ts";
import type { Recall } from "./recall.ts";

/** A minute is usual behind a large import; the sweep finds what is older than that. */
const lateMs = 10 * 60_000;
const probe = "ok";

interface OptionalBindings {
  /** Absent where the curator's Worker is not deployed. */
  CURATOR?: { getByName(name: string): { modelState(team: { teamId: string; organizationId: string; shard: string }): Promise<"ok" | "off"> } };
  /** `metrics` is missing where queues are simulated. */
  JOBS: { metrics?(): Promise<unknown> };
}

const answers = async (asked: Promise<unknown>) => {
  await asked;
  return {};
};

/** Everything that a call or the work behind it needs. */
export function dependenciesOf(env: Env, { shardOf, vectorBindings, room }: Pick<Base, "shardOf" | "vectorBindings" | "room">, { index, reranker }: Recall, embedders: Embedders): readonly Dependency[] {
  const { CURATOR: curators, JOBS: jobs } = env as unknown as OptionalBindings;
  const shards = Object.keys(env).filter((name) => shardName.test(name));
  return [
    { name: "directory", check: () => answers(env.DB.prepare("SELECT 1").run()) },
    // Under the name of the team's own.
    { name: "database", check: ({ shard }) => answers(shardOf(shard).prepare("SELECT 1").run()) },
    ...shards.map((name): Dependency => ({ name: name.toLowerCase(), check: () => answers(shardOf(name).prepare("SELECT 1").run()) })),
    ...(room.isFull ? [{ name: "storage", check: async () => ({ state: (await room.isFull?.()) ? "full" : "ok" }) } as Dependency] : []),
    { name: "search_index", check: (principal) => answers(index.stats(principal)) },
    { name: "vectorize", check: () => answers(vectorBindings.describe()) },
    { name: "embedder", check: (_principal, _now, signal) => answers(embedders.current.embed([probe], "query", signal)) },
    { name: "reranker", check: async (_principal, _now, signal) => (reranker ? answers(reranker.score(probe, [probe], signal)) : { state: "off" }) },
    { name: "llm", check: async ({ teamId, organizationId, shard }) => (curators ? { state: await curators.getByName(teamId).modelState({ teamId, organizationId, shard }) } : { state: "off" }) },
    { name: "kv", check: () => answers(env.CACHE.get("health")) },
    { name: "queue", check: async () => (jobs.metrics ? answers(jobs.metrics()) : { state: "unknown" }) },
    {
      name: "outbox",
      async check(principal, now) {
        const { waiting, oldestAt, anew } = await readBacklog(shardOf(principal.shard), principal, now);
        const age = oldestAt === null ? 0 : Math.max(0, now - oldestAt);
        return { state: age > lateMs ? "late" : "ok", figures: { waiting, age_seconds: Math.round(age / 1_000), vectors_being_made_anew: anew } };
      },
    },
    {
      name: "dead_letters",
      check: async (principal, now) => ({ figures: { set_aside: (await readBacklog(shardOf(principal.shard), principal, now)).setAside } }),
    },
  ];
}
