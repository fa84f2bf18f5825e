/**
 * Tells when an answer is over: at once if it is no stream. A stream ends when `ending` is aborted, as if its client had gone, which
 * `mayGoOn` may do before anything is passed on.
 */
export function trackStream(response: Response, end: () => void, ending?: AbortSignal, mayGoOn?: () => Promise<unknown>): Response {
  if (response.body === null || response.headers.get("content-type") !== "text/event-stream") {
    end();
    return response;
  }
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  // What is being read is then done, and with it the stream that the client has.
  ending?.addEventListener("abort", () => void reader.cancel().catch(() => {}));
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const got = await reader.read().catch((error: unknown) => {
        end();
        throw error;
      });
      if (!got.done) await mayGoOn?.();
      if (!got.done && !ending?.aborted) return controller.enqueue(got.value);
      end();
      controller.close();
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}
