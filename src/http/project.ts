import { project as projectRule } from "../domain/memories/fields.ts";
import { RequestRefused } from "./request-refused.ts";

export const projectHeader = "x-memory-project";

/**
 * The project of a connection, as its identity: a header of the request, else `?project=` in the server's URL. Undefined where neither is given.
 * @throws RequestRefused
 */
export function projectOf(headers: Headers, url: URL): string | undefined {
  const header = headers.get(projectHeader);
  const given = header ?? (url.search === "" ? null : url.searchParams.get("project"));
  if (given === null) return undefined;
  // Bytes that are no UTF-8 arrive as this.
  if (header?.includes("\ufffd")) throw new RequestRefused(400, "The header X-Memory-Project is not in UTF-8. Say the project in the server's URL: ?project=.");
  const project = projectRule.safeParse(given);
  if (project.success) return project.data;
  const where = header === null ? "?project= in the server's URL" : "the header X-Memory-Project";
  throw new RequestRefused(400, `${project.error.issues[0]?.message ?? "project is invalid"}. Correct ${where}, or leave it out.`);
}
