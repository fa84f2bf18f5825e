import * as z from "zod";
import { checkDependencies, type DependencyReport } from "../../../domain/health/dependencies.ts";
import { type Framed, joined, say } from "../../../domain/frame.ts";
import { mayRead } from "../../../domain/tenancy/principal.ts";
import { defineTool, readOnly } from "../../define-tool.ts";

/** OmniMemory document 5.3. Shallow, it touches no dependency: the floor of what a call costs. */
export const healthCheck = defineTool({
  name: "omn_health_check",
  title: "Health check",
  description: "Whether the server answers; deep: true tries each dependency.",
  scope: null,
  annotations: readOnly,
  input: z.strictObject({ deep: z.boolean().optional() }),
  output: z.looseObject({ status: z.enum(["ok", "degraded"]).meta({ listed: { type: "string" } }) }),
  async handler(ctx, { deep }) {
    if (!deep) return { structured: { status: "ok" }, text: say`ok` };
    const { dependencies, principal, now, report } = ctx;
    const reports = await checkDependencies(dependencies, principal, { now, clock: () => performance.now(), report });
    const status = [...reports.values()].every(({ ok }) => ok) ? "ok" : "degraded";
    // How much waits says something of memories.
    const isShown = mayRead(principal);
    const found = [...reports].map(([name, { figures, ...rest }]) => [name, { ...rest, ...(isShown ? figures : {}) }] as const);
    return {
      structured: { status, dependencies: Object.fromEntries(found) },
      text: say`${status}: ${joined([...reports].map(([name, one]) => said(name, one, isShown)), ", ")}`,
    };
  },
});

function said(name: string, { state, ms, figures }: DependencyReport, isShown: boolean): Framed {
  const numbers = isShown ? Object.entries(figures).filter(([, value]) => value > 0).map(([figure, value]) => `, ${figure.replaceAll("_", " ")} ${value}`).join("") : "";
  return say`${name.replaceAll("_", " ")} ${state}${state === "off" ? "" : ` (${ms} ms${numbers})`}`;
}
