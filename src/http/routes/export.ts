import type { Context } from "hono";
import type { Services } from "../../app.ts";
import { exportMemories } from "../../domain/memories/export.ts";
import type { Called } from "./caller.ts";
import { memoryContext } from "./proposals.ts";

const pageSize = 200;

/** Everything the caller may see in the team, with its history, as NDJSON that an import takes; secrets with `?include_secrets=true`. Pages are read as they are fetched. */
export async function exportTeam(services: Services, c: Context<Called>, teamId: string): Promise<Response> {
  const ctx = await memoryContext(services, c, teamId);
  const includeSecrets = c.req.query("include_secrets") === "true";
  const page = (cursor?: string) => exportMemories(ctx, { format: "ndjson", limit: pageSize, includeHistory: true, includeSecrets, ...(cursor === undefined ? {} : { cursor }) });
  // The first page before the answer begins: what is refused is refused with a status.
  let next: Awaited<ReturnType<typeof page>> | undefined = await page();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (next === undefined) return controller.close();
      const { data, nextCursor } = next;
      if (data !== "") controller.enqueue(encoder.encode(data));
      next = nextCursor === undefined ? undefined : await page(nextCursor);
      if (next === undefined) controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "application/x-ndjson", "content-disposition": 'attachment; filename="omnimemory.ndjson"' } });
}
