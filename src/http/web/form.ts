import type { Context } from "hono";
import type * as z from "zod";
import { invalid } from "../../domain/errors.ts";
import { describeProblems } from "../../domain/problems.ts";
import { type BodyBound, bounds, discardBody, readBody } from "../bounded-body.ts";
import { sessionToken } from "./web-session.ts";

/** The fields of a form; none when the body is not one. @throws RequestRefused */
export async function formOf(c: Context, bound: BodyBound = bounds.form): Promise<URLSearchParams> {
  const isForm = c.req.header("content-type")?.split(";")[0]?.trim() === "application/x-www-form-urlencoded";
  if (isForm) return decodeForm(await readBody(c.req.raw, bound));
  await discardBody(c.req.raw);
  return new URLSearchParams();
}

/** Not `text()`: workerd warns in the log of every form that is read so. */
export const decodeForm = (body: Uint8Array): URLSearchParams => new URLSearchParams(new TextDecoder().decode(body));

/** Names what a form makes, which is one thing however often it is sent: only the browser has both parts. */
export const seedOf = (c: Context, form: URLSearchParams | undefined): string | undefined => (form?.get("page") ? `${sessionToken(c)} ${c.req.path} ${form}` : undefined);

/** What a form says, in the form of the schema. @throws VALIDATION_ERROR */
export function parsedForm<T extends z.ZodType>(schema: T, given: Record<string, unknown>): z.output<T> {
  const result = schema.safeParse(given);
  if (!result.success) throw invalid("This cannot be done.", describeProblems(result.error, schema, given));
  return result.data;
}
