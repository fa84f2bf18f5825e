import type { Context } from "hono";
import type { Services } from "../../app.ts";
import { bulkCost } from "../../tools/define-tool.ts";
import type { RestEnv } from "./caller.ts";
import { charge } from "./limits.ts";

export interface NdjsonPage {
  /** Whole lines. */
  data: string;
  nextCursor?: string | undefined;
}

/**
 * Pages as one download, each read when it is fetched. The first one comes with the call: what is refused is refused with a
 * status, before the answer begins, and costs no more than any request. `allowed`: what happens once it was not.
 */
export async function ndjson(services: Services, c: Context<RestEnv>, filename: string, pageAt: (cursor?: string) => Promise<NdjsonPage>, allowed?: () => Promise<void>): Promise<Response> {
  const first = await pageAt();
  await charge(services, c, bulkCost - 1);
  await allowed?.();
  const encoder = new TextEncoder();
  let next: NdjsonPage | undefined = first;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // Whoever is pulled and gives nothing is not pulled again.
      for (let isGiven = false; !isGiven; ) {
        if (next === undefined) return controller.close();
        const { data, nextCursor }: NdjsonPage = next;
        isGiven = data !== "";
        if (isGiven) controller.enqueue(encoder.encode(data));
        next = nextCursor === undefined ? undefined : await pageAt(nextCursor);
      }
      if (next === undefined) controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "application/x-ndjson", "content-disposition": `attachment; filename="${filename}"` } });
}
