import type { Context, Handler } from "hono";
import { matchedRoutes } from "hono/route";
import * as z from "zod";
import { invalid } from "../../domain/errors.ts";
import { describeProblems } from "../../domain/problems.ts";
import type { RestEnv } from "./caller.ts";

/** Handlers that parse the query of their route. */
const asking = new WeakSet<object>();

/** The handler of a route with query parameters: the schema lists all that there are. */
export function withQuery<T extends z.ZodType>(schema: T, handler: (c: Context<RestEnv>, query: z.output<T>) => Response | Promise<Response>): Handler<RestEnv> {
  const asks: Handler<RestEnv> = (c) => handler(c, parsedQuery(c, schema));
  asking.add(asks);
  return asks;
}

/** Every other route has none. Where no route is, the answer says that instead. @throws VALIDATION_ERROR */
export function refuseQuery(c: Context): void {
  const route = matchedRoutes(c).at(-1);
  if (route && route.method !== "ALL" && !asking.has(route.handler)) parsedQuery(c, z.strictObject({}));
}

/** @throws VALIDATION_ERROR */
export function parsedQuery<T extends z.ZodType>(c: Context, schema: T): z.output<T> {
  const query = c.req.query();
  const result = schema.safeParse(query);
  if (!result.success) throw invalid(`In the query: ${describeProblems(result.error, schema, query)}`);
  const twice = Object.entries(c.req.queries()).find(([, given]) => given.length > 1);
  if (twice) throw invalid(`${twice[0]} is given more than once.`, "Say it once.");
  return result.data;
}

/** `true` or `false`, as a query says it. */
export const flag = z.stringbool({ truthy: ["true"], falsy: ["false"], case: "sensitive" });
