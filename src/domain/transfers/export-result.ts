import type { Context } from "../context.ts";
import { DomainError, notFound } from "../errors.ts";
import { requireScope } from "../tenancy/principal.ts";
import type { JobStore, Piece } from "./job-store.ts";
import { isOpen, noSuchJob } from "./jobs.ts";

/** How long what an export made is kept, ms. */
export const resultLifeMs = 24 * 3_600_000;

export interface ResultPage {
  data: string;
  /** Undefined after the last one. */
  nextCursor?: string | undefined;
}

/**
 * A part of what the caller's export made, and where the next one begins. Memories that were erased meanwhile, that the caller may
 * not see any more or that became secret are left out.
 */
export async function exportResult(ctx: Context, jobs: Pick<JobStore, "find" | "piece">, id: string, cursor = "0"): Promise<ResultPage> {
  const { principal } = ctx;
  requireScope(principal, "memory:read");
  const job = await jobs.find(principal, id);
  if (!job || job.options.kind !== "export") throw noSuchJob();
  if (job.options.includeSecrets) requireScope(principal, "memory:admin");
  if (isOpen(job)) throw new DomainError("CONFLICT", "The export is not done yet.", { hint: "Ask for the job until its state is done." });
  if (job.state !== "done" || job.endedAt === null || job.endedAt + resultLifeMs <= ctx.now) throw gone();
  const piece = await jobs.piece(principal, id, Number(cursor));
  if (!piece) {
    if (cursor === "0" && job.done > 0) throw gone();
    return { data: "" };
  }
  return { data: await shown(ctx, piece, job.options.includeSecrets), nextCursor: String(piece.number + 1) };
}

const gone = (): DomainError => notFound("What this export made is not kept any more.", "Export again.");

async function shown({ memories, principal }: Context, { text, ids }: Piece, includeSecrets: boolean): Promise<string> {
  const found = ids.length === 0 ? [] : await memories.lookupMany(principal, { ids: [...ids], named: [] });
  const visible = new Set(found.filter(({ sensitivity }) => includeSecrets || sensitivity !== "secret").map(({ id }) => id));
  if (ids.every((id) => visible.has(id))) return text;
  // A line longer than a piece lies in several, each of which tells of one memory alone.
  if (ids.length === 1) return "";
  return text
    .split("\n")
    .filter((line) => line !== "" && visible.has((JSON.parse(line) as { id: string }).id))
    .map((line) => `${line}\n`)
    .join("");
}
