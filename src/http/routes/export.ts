import type { Context } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { exportMemories } from "../../domain/memories/export.ts";
import type { RestEnv } from "./caller.ts";
import { exportWork } from "../../domain/sessions/portable-sessions.ts";
import { ndjson, type NdjsonPage } from "./ndjson.ts";
import { memoryContext } from "./proposals.ts";
import { flag, parsedQuery } from "./query.ts";

const pageSize = 200;
export const asked = z.strictObject({ include_secrets: flag.default(false), include_sessions: flag.default(false) });

/** In front of the cursor of a page of work sessions, which come after the memories. */
const work = "work ";

/** Everything the caller may see in the team, with its history, as NDJSON that an import takes; secrets with `?include_secrets=true`, their own work sessions with `?include_sessions=true`. */
export async function exportTeam(services: Services, c: Context<RestEnv>, teamId: string): Promise<Response> {
  const ctx = await memoryContext(services, c, teamId);
  const { include_secrets: includeSecrets, include_sessions: includeSessions } = parsedQuery(c, asked);
  const page = async (cursor?: string): Promise<NdjsonPage> => {
    if (cursor?.startsWith(work)) {
      const { data, nextCursor } = await exportWork({ ...ctx, sessions: services.sessions }, cursor.slice(work.length));
      return { data, ...(nextCursor === undefined ? {} : { nextCursor: `${work}${nextCursor}` }) };
    }
    const { data, nextCursor } = await exportMemories(ctx, { format: "ndjson", limit: pageSize, includeHistory: true, includeSecrets, cursor });
    return { data, nextCursor: nextCursor ?? (includeSessions ? `${work}0 0` : undefined) };
  };
  return ndjson("omnimemory.ndjson", await page(), page);
}
