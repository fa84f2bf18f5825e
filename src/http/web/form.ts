import type { Context } from "hono";
import { bounds, discardBody, readBody } from "../bounded-body.ts";

/** The fields of a form; none when the body is not one. @throws RequestRefused */
export async function formOf(c: Context): Promise<URLSearchParams> {
  const isForm = c.req.header("content-type")?.split(";")[0]?.trim() === "application/x-www-form-urlencoded";
  if (isForm) return decodeForm(await readBody(c.req.raw, bounds.form));
  await discardBody(c.req.raw);
  return new URLSearchParams();
}

/** Not `text()`: workerd warns in the log of every form that is read so. */
export const decodeForm = (body: Uint8Array): URLSearchParams => new URLSearchParams(new TextDecoder().decode(body));
