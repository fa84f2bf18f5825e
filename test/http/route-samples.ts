import { router } from "../../src/http/router.ts";
import { services } from "../support/team.ts";

const notAsked = () => Promise.reject(new Error("no session is asked"));
const { routes } = router(services, () => ({ fetch: notAsked, call: notAsked }));

const verbs = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Everything the server answers to, as `METHOD /path/:parameter`. What is for every method and hands on to the next is no answer. */
export const allRoutes: readonly string[] = [
  ...new Set(
    routes
      .filter(({ method, handler }) => method !== "ALL" || handler.length < 2)
      .flatMap(({ method, path }) => (method === "ALL" ? verbs : [method]).map((verb) => `${verb} ${path}`)),
  ),
].sort();

export const isUnsafe = (route: string): boolean => !route.startsWith("GET ");
export const isRest = (route: string): boolean => route.includes(" /v1/");
export const unsafeRoutes = allRoutes.filter(isUnsafe);
export const restRoutes = allRoutes.filter(isRest);

/** What an unsafe route is sent, if it is to do something; every one has its sample here. A form is a URLSearchParams. */
export const bodies: Record<string, unknown> = {
  "POST /v1/keys": { name: "more", scopes: ["memory:admin"] },
  "POST /v1/keys/:keyId/rotate": {},
  "DELETE /v1/keys/:keyId": "",
  "POST /v1/teams": { name: "Mine" },
  "PATCH /v1/teams/:team": { name: "Mine" },
  "DELETE /v1/teams/:team": "",
  "POST /v1/teams/:team/restore": "",
  "PATCH /v1/teams/:team/organization": { name: "Mine" },
  "DELETE /v1/teams/:team/organization": "",
  "POST /v1/teams/:team/organization/restore": "",
  "POST /v1/teams/:team/keys": { name: "more", scopes: ["memory:admin"] },
  "POST /v1/teams/:team/keys/:keyId/rotate": {},
  "DELETE /v1/teams/:team/keys/:keyId": "",
  "POST /v1/teams/:team/data-key/rotate": "",
  "POST /v1/teams/:team/invitations": { role: "viewer" },
  "DELETE /v1/teams/:team/invitations/:id": "",
  "PUT /v1/teams/:team/review": { required: true },
  "PUT /v1/teams/:team/guard": { secrets: "mask", instructions: "quarantine" },
  "PUT /v1/teams/:team/intelligence": { provider: "rules" },
  "POST /v1/teams/:team/quarantine/:id/release": "",
  "POST /v1/teams/:team/quarantine/:id/discard": "",
  "POST /v1/teams/:team/alerts/:id/acknowledge": "",
  "POST /v1/teams/:team/proposals/:id/accept": "",
  "POST /v1/teams/:team/proposals/:id/refuse": "",
  "POST /v1/teams/:team/health": { fix: "junk" },
  "POST /v1/teams/:team/reverts": { tool: "vitest" },
  "POST /v1/teams/:team/consolidations": {},
  "PUT /v1/teams/:team/evolution": { policy: "off" },
  "POST /v1/teams/:team/runs": { dry_run: true },
  "POST /v1/teams/:team/runs/:run/stop": "",
  "POST /v1/teams/:team/runs/:run/undo": "",
  "POST /v1/teams/:team/curator/pause": "",
  "POST /v1/teams/:team/curator/resume": "",
  "POST /v1/teams/:team/jobs/import": { content: "The harbour opens at six." },
  "POST /v1/teams/:team/jobs/export": {},
  "POST /v1/teams/:team/jobs/:job/cancel": "",
  "POST /v1/teams/:team/sessions": { tool_id: "claude-code", project: "shop" },
  "DELETE /v1/teams/:team/sessions/:session": "",
  "POST /v1/teams/:team/sessions/:session/turns": { turns: [{ role: "user", content: "Ship it on Friday." }] },
  "POST /v1/teams/:team/sessions/:session/passport": {},
  "DELETE /v1/teams/:team/passport-issuers/:issuer": "",
  "POST /v1/teams/:team/workflows/steps": { steps: [{ command: "npm test" }] },
  "DELETE /v1/teams/:team/workflows/steps": "",
  "POST /v1/teams/:team/tools/:tool": { key: "harbour", content: "The harbour opens at six." },
  "PATCH /v1/teams/:team/members/:user": { role: "viewer" },
  "DELETE /v1/teams/:team/members/:user": "",
  "POST /v1/teams/:team/transfer": { user_id: "somebody" },
  "POST /v1/organizations": { name: "Mine" },
  "POST /v1/invitations/accept": { token: "x" },
  "DELETE /v1/account": { confirm: "delete my account" },
  "PATCH /v1/account/preferences": { theme: "dark" },
};

/** The tool that the sample of tools calls. */
export const sampleTool = "omn_store_memory";

/** With `values` in the place of parameters; an id that nobody has in the place of the others. */
export function pathOf(route: string, values: Record<string, string> = {}): string {
  const path = route.slice(route.indexOf(" ") + 1);
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? (name === "tool" ? sampleTool : crypto.randomUUID())));
}

/** Routes of keys alone: they look at no cookie. */
export const isForKeys = (route: string): boolean => route.includes(" /v1/keys") || route.endsWith("/tools/:tool");

export const methodOf = (route: string): string => route.slice(0, route.indexOf(" "));
