import type { TeamIndex } from "../platform/team-index/team-index.ts";
import type { AiBinding } from "../platform/intelligence/language-models.ts";
import type { Curator } from "./curator.ts";

/** Bindings of wrangler.curator.toml, with a shard for each that holds teams. */
export interface CuratorEnv {
  DB: D1Database;
  CURATOR: DurableObjectNamespace<Curator>;
  /** Workers AI, where it is bound. */
  AI?: AiBinding;
  TEAM_INDEX: DurableObjectNamespace<TeamIndex>;
}
