import { Semantic } from "../domain/recall/retrievers/vector-retriever.ts";
import { logFault } from "../http/log.ts";
import type { AiBinding } from "../platform/ai/workers-ai-embedder.ts";
import { queryExpanderOf } from "../platform/ai/workers-ai-expander.ts";
import { D1GraphStore } from "../platform/d1/graph-store.ts";
import { ServingSpaces } from "../platform/d1/serving-spaces.ts";
import { TeamIndex as TeamObject, type TeamIndexOptions } from "../platform/team-index/team-index.ts";
import { sessionName } from "../session/session-call.ts";
import { VectorizeBindings } from "../platform/vectorize/bindings.ts";
import { VectorizeIndex } from "../platform/vectorize/vectorize-index.ts";
import { embeddersFor } from "./indexing.ts";
import { memoryCommitsOf, storageOf } from "./storage.ts";

/** What the object of a team or an organization uses beside its own storage. */
function optionsOf(env: Env): TeamIndexOptions {
  const storage = storageOf(env);
  const { config, shardOf } = storage;
  const report = (event: string, error: unknown): void => logFault(event, "", error);
  const serving = new ServingSpaces(shardOf);
  return {
    commits: memoryCommitsOf,
    semantic: (objects) =>
      new Semantic({
        embedders: embeddersFor(env, storage),
        index: new VectorizeIndex(VectorizeBindings.of(env), objects, report),
        servingSpace: (principal, now) => serving.of(principal, now),
      }),
    expander: queryExpanderOf(config, (env as unknown as { AI?: AiBinding }).AI),
    tellSession: (teamId, userId, events) => env.USER_SESSION.getByName(sessionName(teamId, userId)).teamChanged(events),
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
