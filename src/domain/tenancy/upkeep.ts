import { curatorActor, type Principal } from "./principal.ts";
import type { TeamRef } from "./team-ref.ts";

/**
 * The curator in one audience of a team: `""` is what the team sees, a person's id what is private to them. It sees just what a
 * member does there, and is no admin: it cannot erase, change who sees a memory, or read another person's private ones. No
 * edge and no tool may make one (`.oxlintrc.json`): the curator does, for `domain/curation` and its kinds of work.
 */
export const upkeepIn = ({ teamId, organizationId, shard }: TeamRef, audience: string): Principal => ({
  userId: audience === "" ? curatorActor : audience,
  teamId,
  organizationId,
  shard,
  role: "member",
  scopes: ["memory:read", "memory:write"],
  credential: { kind: "upkeep", id: curatorActor },
});
