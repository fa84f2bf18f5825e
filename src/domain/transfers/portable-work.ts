import * as z from "zod";
import { importSession, importTurns, sessionRecord, turnsRecord, type Work } from "../sessions/portable-sessions.ts";
import { requireScope } from "../tenancy/principal.ts";
import { importSteps, stepsRecord } from "../workflows/portable-steps.ts";

/** What travels beside the memories: a person's work sessions, what was said in them, and the steps of their workflows. */
export const portableWork = z.discriminatedUnion("kind", [sessionRecord, turnsRecord, stepsRecord]);
export type PortableWork = z.output<typeof portableWork>;

/** `learns`: the person's preference `workflow_learning`, as it is now. */
export type WorkContext = Work & { learns(): Promise<boolean> };

/** Brings what is not there yet. Of each kind how many. */
export async function importWork(ctx: WorkContext, record: PortableWork): Promise<Record<string, number>> {
  requireScope(ctx.principal, "memory:write");
  if (record.kind === "work_steps") return { ...(await importSteps(ctx, record)) };
  return record.kind === "work_session" ? { sessions: await importSession(ctx, record) } : { turns: await importTurns(ctx, record) };
}
