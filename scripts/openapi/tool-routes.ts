import { catalogue } from "../../src/tools/catalogue.ts";
import { toolQuery } from "../../src/http/tool-door.ts";
import type { Route, Routes } from "./route.ts";

const headers = {
  "X-Memory-Project": "the project, as a git remote, a folder's path or a name",
  "X-Memory-User-ID": "a session default, as over MCP; so are X-Memory-Agent-ID, X-Memory-Run-ID and X-Memory-Session-Metadata",
};

/** The one route of tools, with a path for each, so that generated clients know their arguments. Aliases are answered, too. */
export const toolRoutes: Routes = Object.fromEntries(
  catalogue.map(({ name, description, scope, input, output }): [string, Route] => [
    `POST /v1/teams/:team/tools/${name}`,
    { id: name, says: description, needs: scope === null ? [] : [scope], by: "key", query: toolQuery, headers, body: input, answer: output, alternative: "text/plain", refuses: [409] },
  ]),
);
