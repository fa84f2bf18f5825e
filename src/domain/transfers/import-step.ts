import { asDomainError, type ErrorCode } from "../errors.ts";
import { importMemories, type ImportInput, type ImportOutcome } from "../memories/import.ts";
import { QuarantineFull } from "../memories/quarantine.ts";
import type { FailedEntry, Job, JobStore } from "./job-store.ts";
import type { Entry } from "./jobs.ts";
import { importWork, type WorkContext } from "./portable-work.ts";
import type { StepResult } from "./work.ts";

/** The failed entries that a job names; it counts all. */
const maxFailed = 100;
/** What is wrong with one entry, and leaves the others alone. */
const ofEntry: ReadonlySet<ErrorCode> = new Set(["VALIDATION_ERROR", "CONFLICT", "PERMISSION_DENIED", "MEMORY_NOT_FOUND", "NOT_FOUND"]);
const counted = ["created", "updated", "unchanged", "skipped", "proposed", "quarantined", "masked", "expired"] as const;

/** Stores the next piece. One that was begun before writes no entry a second time. */
export async function importStep(ctx: WorkContext, jobs: Pick<JobStore, "piece" | "writtenBy">, job: Job, isRepeated: boolean): Promise<StepResult> {
  const { principal } = ctx;
  const piece = await jobs.piece(principal, job.id, job.done);
  if (!piece) {
    if (job.done < (job.total ?? 0)) throw new Error("A piece of an import is missing");
    return { cursor: job.cursor, done: job.done, counts: job.counts, failed: job.failed, isLast: true };
  }
  // They were parsed before they were sealed.
  const entries = JSON.parse(piece.text) as Entry[];
  const memories = entries.flatMap((one) => ("work" in one ? [] : [one]));
  const records = memories.map(({ entry: _place, ...record }) => record);
  const written: ImportInput["written"] = (ids) => jobs.writtenBy(principal, ctx.requestId, ids);
  const onConflict = job.options.kind === "import" ? job.options.onConflict : "skip";
  const counts: Record<string, number> = { ...job.counts };
  const failed: FailedEntry[] = [];
  const count = (name: string, by: number): void => void (by > 0 && (counts[name] = (counts[name] ?? 0) + by));
  const add = (outcome: ImportOutcome): void => {
    for (const name of counted) count(name, outcome[name]);
    count("renamed", outcome.renamed.length);
    count("proposed_links", outcome.proposedLinks);
  };
  try {
    if (records.length > 0) add(await importMemories(ctx, { records, onConflict, written: isRepeated ? written : undefined }));
  } catch (error) {
    requireOfEntry(error);
    // One of them is refused: each by itself, and those that are stored already count as they were.
    for (const [i, record] of records.entries()) {
      try {
        add(await importMemories(ctx, { records: [record], onConflict, written }));
      } catch (problem) {
        failed.push([memories[i]?.entry ?? piece.number + i + 1, requireOfEntry(problem)]);
      }
    }
  }
  for (const one of entries) {
    if (!("work" in one)) continue;
    try {
      for (const [name, by] of Object.entries(await importWork(ctx, one.work))) count(name, by);
    } catch (problem) {
      failed.push([one.entry ?? 0, requireOfEntry(problem)]);
    }
  }
  count("failed", failed.length);
  const done = piece.number + entries.length;
  return { cursor: String(done), done, counts, failed: [...job.failed, ...failed].slice(0, maxFailed), used: piece.number, isLast: done >= (job.total ?? 0) };
}

/** @throws what is not about one entry */
function requireOfEntry(error: unknown): ErrorCode {
  const code = asDomainError(error)?.code;
  if (code === undefined || !(ofEntry.has(code) || error instanceof QuarantineFull)) throw error;
  return code;
}
