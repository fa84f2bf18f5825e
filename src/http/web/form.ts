import type { Context } from "hono";

const maxFormBytes = 16_384;

/** The fields of a form; none when the body is not one, or far larger than any form of ours. */
export async function formOf(c: Context): Promise<URLSearchParams> {
  const isForm = c.req.header("content-type")?.split(";")[0]?.trim() === "application/x-www-form-urlencoded";
  const isSmall = Number(c.req.header("content-length") ?? 0) <= maxFormBytes;
  const body = isForm && isSmall ? await c.req.arrayBuffer() : new ArrayBuffer();
  return body.byteLength <= maxFormBytes ? decodeForm(body) : new URLSearchParams();
}

/** Not `text()`: workerd warns in the log of every form that is read so. */
export const decodeForm = (body: ArrayBuffer): URLSearchParams => new URLSearchParams(new TextDecoder().decode(body));
