/** Far more than metadata, keys, tokens or a profile take. */
const maxBytes = 262_144;

/**
 * Bounds the answers of an issuer: the server trusts it about people, not with its memory. The body fails when it is longer.
 */
export async function boundedFetch(url: string, { body = null, ...init }: Omit<RequestInit, "body"> & { body?: BodyInit | null | undefined }): Promise<Response> {
  const answer = await fetch(url, { ...init, body });
  let left = maxBytes;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      left -= chunk.byteLength;
      if (left < 0) throw new Error(`The issuer's answer has more than ${maxBytes} bytes`);
      controller.enqueue(chunk);
    },
  });
  return new Response(answer.body?.pipeThrough(bounded) ?? null, answer);
}
