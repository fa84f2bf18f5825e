import type { Context } from "../context.ts";
import { isOpenSecret } from "../secrets/redaction.ts";
import type { Memory } from "./memory.ts";

/** Secrets are handed out only with a row in the audit: it is written first. */
export async function noteSecrets(ctx: Context, handedOut: readonly Memory[]): Promise<void> {
  const ids = handedOut.filter(isOpenSecret).map(({ id }) => id);
  if (ids.length > 0) await ctx.memories.auditRead(ctx.principal, ctx, { action: "read-secret", ids });
}
