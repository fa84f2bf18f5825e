import type { Context } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { exportMemories } from "../../domain/memories/export.ts";
import type { RestEnv } from "./caller.ts";
import { ndjson } from "./ndjson.ts";
import { memoryContext } from "./proposals.ts";
import { flag, parsedQuery } from "./query.ts";

const pageSize = 200;
export const asked = z.strictObject({ include_secrets: flag.default(false) });

/** Everything the caller may see in the team, with its history, as NDJSON that an import takes; secrets with `?include_secrets=true`. */
export async function exportTeam(services: Services, c: Context<RestEnv>, teamId: string): Promise<Response> {
  const ctx = await memoryContext(services, c, teamId);
  const { include_secrets: includeSecrets } = parsedQuery(c, asked);
  const page = (cursor?: string) => exportMemories(ctx, { format: "ndjson", limit: pageSize, includeHistory: true, includeSecrets, cursor });
  return ndjson("omnimemory.ndjson", await page(), page);
}
