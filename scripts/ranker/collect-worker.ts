/**
 * The product with one more door, for `collect.ts`: it answers a question with the features of every candidate. Runs on this
 * machine only, while a ranker is trained.
 */
import { env } from "cloudflare:workers";
import product from "../../src/index.ts";
import { servicesOf } from "../../src/app.ts";
import { similarityOf } from "../../src/domain/embedding/similarity-scale.ts";
import type { SearchFeature } from "../../src/domain/recall/recall.ts";
import { featuresOf } from "../../src/domain/recall/ranking/features.ts";
import { gather } from "../../src/domain/recall/search-memories.ts";
import { queryTerms } from "../../src/domain/text/query-terms.ts";
import { scopes } from "../../src/domain/tenancy/principal.ts";

export * from "../../src/index.ts";

const services = servicesOf(env);

interface Asked {
  team: string;
  shard: string;
  query: string;
  filter: Record<string, unknown>;
  without: SearchFeature[];
  now?: number;
}

async function collected({ team, shard, query, filter, without, now = Date.now() }: Asked): Promise<unknown> {
  const principal = { userId: team, teamId: team, organizationId: team, role: "owner" as const, scopes, shard, credential: { kind: "api-key" as const, id: "collect" } };
  const ctx = { ...services, principal, now, requestId: "collect", tool: "collect", noteAccess: () => undefined, report: (event: string, error: unknown) => console.error(event, String(error)) };
  const { question, hits, found } = await gather(ctx, { text: query, terms: queryTerms(query), mode: "hybrid", without, filter, limit: 10 });
  const rows = featuresOf(question, hits, { similarityOf: similarityOf(found.scale), now });
  return { rows: hits.map(({ memory }, i) => ({ key: memory.key, features: [...(rows[i] as Float32Array)].map((value) => Math.round(value * 1_000_000) / 1_000_000) })) };
}

export default {
  ...product,
  async fetch(request: Request, ...rest: [never, never]) {
    if (new URL(request.url).pathname !== "/collect") return (product.fetch as (...args: unknown[]) => Promise<Response>)(request, ...rest);
    return Response.json(await collected(await request.json()));
  },
};
