import type { Context } from "hono";
import * as z from "zod";
import { invalid } from "../../domain/errors.ts";
import { describeProblems } from "../../domain/problems.ts";

/** Parses a query by the schema, which lists all that it may hold. @throws VALIDATION_ERROR */
export function parsedQuery<T extends z.ZodType>(c: Context, schema: T): z.output<T> {
  const given = c.req.queries();
  const twice = Object.keys(given).find((name) => (given[name]?.length ?? 0) > 1);
  if (twice !== undefined) throw invalid(`${twice} is given more than once.`, "Say it once.");
  const query = c.req.query();
  const result = schema.safeParse(query);
  if (!result.success) throw invalid(describeProblems(result.error, schema, query));
  return result.data;
}

/** `true` or `false`, as a query says it. */
export const flag = z.stringbool({ truthy: ["true"], falsy: ["false"], case: "sensitive" });
