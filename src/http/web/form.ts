import type { Context } from "hono";

const maxFormBytes = 16_384;

/** The fields of a form; none when the body is not one, or far larger than any form of ours. */
export async function formOf(c: Context): Promise<URLSearchParams> {
  const isForm = c.req.header("content-type")?.split(";")[0]?.trim() === "application/x-www-form-urlencoded";
  const isSmall = Number(c.req.header("content-length") ?? 0) <= maxFormBytes;
  const text = isForm && isSmall ? await c.req.text() : "";
  return new URLSearchParams(text.length <= maxFormBytes ? text : "");
}
