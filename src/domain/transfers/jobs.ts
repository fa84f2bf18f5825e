import type { CuratorRun, RunStore } from "../curation/run-store.ts";
import { DomainError, invalid, notFound } from "../errors.ts";
import { uuidOf, uuidv7 } from "../ids.ts";
import { grouped } from "../memories/fields.ts";
import { inOrderOfSuccession } from "../memories/import-succession.ts";
import type { PortableMemory } from "../memories/portable.ts";
import { isTeamAdmin, type Principal, requireScope } from "../tenancy/principal.ts";
import { requireAction } from "../tenancy/roles.ts";
import { teamOf } from "../tenancy/team-ref.ts";
import type { Job, JobOptions, JobQueue, JobStore, NewJob, Piece } from "./job-store.ts";
import type { PortableWork } from "./portable-work.ts";

/** Entries of one import. */
export const maxEntries = 10_000;
const openAtOnce = { person: 3, team: 20 };
const fullRetrySeconds = 30;

/** Nobody works on a job that waits so long: its message was lost, ms. */
const lostAfterMs = 5_000;

/** A piece is what one step stores, and one row of D1. */
const pieceEntries = 100;
const pieceCharacters = 400_000;

export interface JobsContext {
  principal: Principal;
  /** ms since the epoch. */
  now: number;
  /** Name of the client that speaks for the person. */
  tool: string;
  jobs: JobStore;
  jobQueue: JobQueue;
  runs: Pick<RunStore, "list" | "find">;
}

export interface ImportJobInput {
  /** In the order of the file. */
  records: readonly (PortableMemory | PortableWork)[];
  onConflict: "update" | "skip";
  /** The same job is asked for once, however often the request is repeated. */
  idempotencyKey?: string | undefined;
}

/** A record and its place in the file, from 1: what took another's place is stored before that one, and work after the memories that it names. */
export type Entry = (PortableMemory | { id?: undefined; work: PortableWork }) & { entry?: number };

/** Takes the records as they are, and stores them in the background. */
export async function startImport(ctx: JobsContext, { records, onConflict, idempotencyKey }: ImportJobInput): Promise<Job> {
  requireScope(ctx.principal, "memory:write");
  if (records.length === 0) throw invalid("There is nothing to import.", "Give NDJSON (one memory a line) or the data of an export.");
  if (records.length > maxEntries) throw invalid(`An import has at most ${grouped(maxEntries)} entries, not ${grouped(records.length)}.`, "Import the file in parts. Nothing was imported.");
  const { now } = ctx;
  // Whoever stores an entry a second time finds it by its id.
  const named = records.flatMap((record, i) => ("kind" in record ? [] : { ...record, id: record.id ?? uuidv7(now), entry: i + 1 }));
  const work = records.flatMap((record, i) => ("kind" in record ? { work: record, entry: i + 1 } : []));
  const inOrder = [...work.filter((one) => one.work.kind === "work_session"), ...work.filter((one) => one.work.kind !== "work_session")];
  return start(ctx, { options: { kind: "import", onConflict }, total: records.length }, piecesOf([...inOrderOfSuccession(named, (entry) => entry), ...inOrder]), idempotencyKey);
}

/** Collects everything that the caller may see, with its history, in the background. */
export async function startExport(ctx: JobsContext, { includeHistory, includeSecrets, idempotencyKey }: { includeHistory: boolean; includeSecrets: boolean; idempotencyKey?: string | undefined }): Promise<Job> {
  requireScope(ctx.principal, "memory:write");
  requireScope(ctx.principal, "memory:read");
  if (includeSecrets) requireScope(ctx.principal, "memory:admin");
  const job = await start(ctx, { options: { kind: "export", includeHistory, includeSecrets }, total: null }, [], idempotencyKey);
  // One at a time is kept for a person.
  if (isOpen(job)) await ctx.jobs.dropResults(ctx.principal);
  return job;
}

async function start(ctx: JobsContext, job: { options: JobOptions; total: number | null }, pieces: readonly Piece[], key: string | undefined): Promise<Job> {
  const { principal, now, tool, jobs, jobQueue } = ctx;
  const made: NewJob = { ...job, id: key === undefined ? uuidv7(now) : await idOf(principal, key), tool, now };
  const started = await jobs.insert(principal, made, pieces, openAtOnce);
  if (started === "full") {
    throw new DomainError("RATE_LIMIT_EXCEEDED", `At most ${openAtOnce.person} imports and exports of a person, and ${openAtOnce.team} of a team, are at work or wait.`, { hint: "Wait until one has ended, or cancel one.", details: { retry_after: fullRetrySeconds } });
  }
  await jobQueue.enqueueJob(teamOf(principal));
  return started;
}

/** The same for the same key of the same person. */
const idOf = ({ teamId, userId }: Principal, key: string): Promise<string> => uuidOf(JSON.stringify(["job", teamId, userId, key]));

/** The number of a piece is how many entries are stored before it. */
function piecesOf(records: readonly Entry[]): Piece[] {
  const pieces: { number: number; texts: string[]; size: number }[] = [];
  for (const [at, record] of records.entries()) {
    const text = JSON.stringify(record);
    let last = pieces.at(-1);
    if (!last || last.texts.length >= pieceEntries || last.size + text.length > pieceCharacters) pieces.push((last = { number: at, texts: [], size: 0 }));
    last.texts.push(text);
    last.size += text.length;
  }
  return pieces.map(({ number, texts }) => ({ number, text: `[${texts.join(",")}]`, ids: [] }));
}

export type Listed = { job: Job; isOwn: boolean } | { run: CuratorRun };

const requestedAt = (one: Listed): number => ("job" in one ? one.job.requestedAt : one.run.requestedAt);

/** Long work in the team, newest first: one's own imports and exports, for admins everybody's, and the runs of the curator. */
export async function listJobs(ctx: JobsContext, { limit }: { limit: number }): Promise<Listed[]> {
  const { principal, jobs, runs } = ctx;
  requireAction(principal, "see the team");
  const [own, curated] = await Promise.all([jobs.list(principal, { everybodys: isTeamAdmin(principal), limit }), runs.list(principal, limit)]);
  const listed: Listed[] = [...own.map((job) => ({ job, isOwn: job.requestedBy === principal.userId })), ...curated.map((run) => ({ run }))];
  return listed.sort((a, b) => requestedAt(b) - requestedAt(a)).slice(0, limit);
}

/** One's own, or a run of the curator. A job that nobody works on is said to be waiting once more. */
export async function findJob(ctx: JobsContext, id: string): Promise<Listed> {
  const { principal, now, jobs, runs, jobQueue } = ctx;
  requireAction(principal, "see the team");
  const job = await jobs.find(principal, id);
  if (job) {
    if (isOpen(job) && Math.max(job.leasedUntil, job.requestedAt) + lostAfterMs <= now) await jobQueue.enqueueJob(teamOf(principal));
    return { job, isOwn: true };
  }
  const run = await runs.find(principal, id);
  if (!run) throw noSuchJob();
  return { run };
}

/** What it has stored stays; a revert by its id as `request` takes that back. */
export async function cancelJob(ctx: JobsContext, id: string): Promise<Job> {
  const { principal, now, jobs } = ctx;
  requireScope(principal, "memory:write");
  if (!(await jobs.find(principal, id))) throw noSuchJob();
  await jobs.end(principal, id, { now, state: "cancelled" });
  return (await jobs.find(principal, id)) ?? Promise.reject(noSuchJob());
}

export const isOpen = ({ state }: Pick<Job, "state">): boolean => state === "waiting" || state === "running";

export const noSuchJob = (): DomainError => notFound("You have no job with this id.", "List the jobs to see their ids.");
