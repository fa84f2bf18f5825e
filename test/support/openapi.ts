import { routes } from "../../scripts/openapi/routes.ts";
import { sampleTool } from "../http/route-samples.ts";

export interface Exchange {
  sent: unknown;
  status: number;
  type: string | null;
  /** The JSON of the answer; what has another form is not looked at. */
  answered: unknown;
}

/** Where an exchange of a route is not as the OpenAPI document says. */
export function undocumented(route: string, { sent, status, type, answered }: Exchange): string[] {
  const told = routes[route.replace(":tool", sampleTool)];
  if (!told) return [`${route} is not in the document`];
  const { answer, body, alternative } = told;
  const types = [typeof answer === "string" ? answer : "application/json", ...(alternative === undefined ? [] : [alternative])];
  const form = typeof answer === "string" ? undefined : answer.safeParse(answered);
  const taken = body === undefined || told.bodyType !== undefined ? undefined : body.safeParse(sent === "" || sent === undefined ? {} : sent);
  return [
    ...((told.status ?? 200) === status ? [] : [`status ${status}`]),
    ...(types.includes((type ?? "").split(";")[0] ?? "") ? [] : [`type ${type}`]),
    ...(form?.error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`),
    ...(taken?.error?.issues ?? []).map(({ path, message }) => `sent ${path.join(".")}: ${message}`),
    ...(body === undefined && sent !== "" && sent !== undefined ? ["a body"] : []),
  ];
}
