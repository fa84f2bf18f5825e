export interface NdjsonPage {
  /** Whole lines. */
  data: string;
  nextCursor?: string | undefined;
}

/**
 * Pages as one download, each read when it is fetched. The first one comes with the call: what is refused is refused with a
 * status, before the answer begins.
 */
export function ndjson(filename: string, first: NdjsonPage, pageAt: (cursor: string) => Promise<NdjsonPage>): Response {
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
