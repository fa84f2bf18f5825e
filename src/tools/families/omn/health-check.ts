import * as z from "zod";
import { say } from "../../../domain/frame.ts";
import { defineTool, readOnly } from "../../define-tool.ts";

/** OmniMemory document 5.3. Shallow, it touches no dependency: the floor of what a call costs. */
export const healthCheck = defineTool({
  name: "omn_health_check",
  title: "Health check",
  description: "Whether the server answers; deep: true tries each dependency.",
  scope: null,
  annotations: readOnly,
  input: z.strictObject({ deep: z.boolean().optional() }),
  output: z.looseObject({ status: z.enum(["ok", "degraded"]) }),
  async handler(ctx, { deep }) {
    if (!deep) return { structured: { status: "ok" }, text: say`ok` };
    const started = performance.now();
    const probe = async (work: Promise<unknown>) => {
      const error = await work.then(() => undefined, () => "failed");
      return { ok: error === undefined, ms: Math.round((performance.now() - started) * 10) / 10 };
    };
    const [database, index] = await Promise.all([
      probe(ctx.memories.hydrate(ctx.principal, ctx.now, [])),
      probe(ctx.index.stats(ctx.principal)),
    ]);
    const said = ({ ok, ms }: { ok: boolean; ms: number }): string => `${ok ? "ok" : "failed"} (${ms} ms)`;
    const status = database.ok && index.ok ? "ok" : "degraded";
    return {
      structured: { status, dependencies: { database, search_index: index } },
      text: say`${status}: database ${said(database)}, search index ${said(index)}`,
    };
  },
});
