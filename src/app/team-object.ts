import { Semantic } from "../domain/search/semantic.ts";
import { withTeamIds } from "../domain/search/vector-space.ts";
import { logFault } from "../http/log.ts";
import { embeddersOf } from "../platform/ai/embedders.ts";
import { D1GraphStore } from "../platform/d1/graph-store.ts";
import { ServingSpaces } from "../platform/d1/serving-spaces.ts";
import { TeamIndex as TeamObject, type TeamIndexOptions } from "../platform/team-index/team-index.ts";
import { VectorizeBindings } from "../platform/vectorize/bindings.ts";
import { VectorizeIndex } from "../platform/vectorize/vectorize-index.ts";
import { memoryCommitsOf, storageOf } from "./storage.ts";

/** What the object of a team or an organization uses beside its own storage. */
function optionsOf(env: Env): TeamIndexOptions {
  const { config, shardOf } = storageOf(env);
  const report = (event: string, error: unknown): void => logFault(event, "", error);
  const serving = new ServingSpaces(shardOf);
  return {
    commits: memoryCommitsOf,
    semantic: (objects) =>
      new Semantic({
        embedders: withTeamIds(embeddersOf(config.embeddings, env as unknown as Parameters<typeof embeddersOf>[1])),
        index: new VectorizeIndex(VectorizeBindings.of(env), objects, report),
        servingSpace: (principal, now) => serving.of(principal, now),
      }),
    graph: new D1GraphStore(shardOf, config.teamQuota),
    report,
  };
}

/** The object of a team or an organization, composed. */
export class TeamIndex extends TeamObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, optionsOf(env));
  }
}
