import * as z from "zod";
import type { Services } from "../../app.ts";
import { exportMemories } from "../../domain/memories/export.ts";
import { exportWork } from "../../domain/sessions/portable-sessions.ts";
import { exportSteps } from "../../domain/workflows/portable-steps.ts";
import { ndjson, type NdjsonPage } from "./ndjson.ts";
import { memoryContext } from "./proposals.ts";
import { flag, withQuery } from "./query.ts";

const pageSize = 200;
export const asked = z.strictObject({ include_secrets: flag.default(false), include_sessions: flag.default(false), include_workflows: flag.default(false) });

/** In front of the cursor of a page of work sessions, which come after the memories, and of one of steps, which come last. */
const work = "work ";
const steps = "steps ";

/** Everything the caller may see in the team, with its history, as NDJSON that an import takes; secrets with `?include_secrets=true`, their own work sessions with `?include_sessions=true`, the steps of their workflows with `?include_workflows=true`. */
export const exportTeam = (services: Services) => withQuery(asked, async (c, { include_secrets: includeSecrets, include_sessions: includeSessions, include_workflows: includeWorkflows }) => {
  const ctx = await memoryContext(services, c);
  const next = (kind: string, nextCursor: string | undefined, behind?: string): NdjsonPage["nextCursor"] => (nextCursor === undefined ? behind : `${kind}${nextCursor}`);
  const stepsIfAsked = includeWorkflows ? steps : undefined;
  const page = async (cursor?: string): Promise<NdjsonPage> => {
    if (cursor?.startsWith(steps)) {
      const { data, nextCursor } = await exportSteps(ctx, cursor.slice(steps.length) || undefined);
      return { data, nextCursor: next(steps, nextCursor) };
    }
    if (cursor?.startsWith(work)) {
      const { data, nextCursor } = await exportWork({ ...ctx, sessions: services.sessions }, cursor.slice(work.length));
      return { data, nextCursor: next(work, nextCursor, stepsIfAsked) };
    }
    const { data, nextCursor } = await exportMemories(ctx, { format: "ndjson", limit: pageSize, includeHistory: true, includeSecrets, cursor });
    return { data, nextCursor: next("", nextCursor, includeSessions ? work : stepsIfAsked) };
  };
  return ndjson(services, c, "omnimemory.ndjson", page);
});
