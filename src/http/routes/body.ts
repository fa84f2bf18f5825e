import type * as z from "zod";
import { DomainError, invalid } from "../../domain/errors.ts";
import { describeProblems } from "../../domain/problems.ts";
import { parseJson } from "../../domain/strict-json.ts";
import { type BodyBound, bounds, readText } from "../bounded-body.ts";

/** The JSON of a request; an empty body is an empty object. @throws VALIDATION_ERROR, RequestRefused */
export async function jsonIn(request: Request, bound: BodyBound): Promise<unknown> {
  const text = await readText(request, bound);
  try {
    return text === "" ? {} : parseJson(text);
  } catch (error) {
    throw error instanceof DomainError ? error : invalid("The body is not JSON.", "Send a JSON object.");
  }
}

/** The same in the form of the schema. @throws VALIDATION_ERROR, RequestRefused */
export async function parsed<T extends z.ZodType>(request: Request, schema: T, bound: BodyBound = bounds.json): Promise<z.output<T>> {
  const body = await jsonIn(request, bound);
  const result = schema.safeParse(body);
  if (!result.success) throw invalid(describeProblems(result.error, schema, body));
  return result.data;
}
