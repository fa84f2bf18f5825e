import type { Context } from "hono";
import type { Services } from "../app.ts";

/** Lets the answer go out before the audit is written; what fails then is for the log. */
export function auditLater(services: Services, c: Pick<Context, "executionCtx">, requestId: string, work: Promise<void> | undefined): void {
  if (work) c.executionCtx.waitUntil(work.catch((error: unknown) => services.report("audit", requestId, error)));
}
