import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { workOnJobs } from "../../src/domain/transfers/work.ts";
import { jobPortsOf } from "../../src/jobs/job-ports.ts";
import { services } from "../support/team.ts";
import { bit, contentOf, fieldsOf, keyOf, sorted, type Command, type Op } from "./commands.ts";
import { importRecords, type PortableRecord } from "./model-imports.ts";
import { refused } from "./model-keys.ts";
import { canRead, canWrite, isAdmin, now, sees, type Entry, type Principal, type State, type Version } from "./model.ts";
import { parse } from "./reads.ts";
import { expectAlike, rest } from "./rest.ts";
import type { TestServer } from "./test-server.ts";

/** Long imports and exports: each is its person's own, and what it made is shown as far as they see it by then. */

interface KnownJob {
  id: string;
  kind: "import" | "export";
  team: string;
  user: string;
  /** What an export wrote, by memory. */
  told: { entry: Entry; states: State[] }[];
  /** Dropped when its person asked for the next export. */
  isKept: boolean;
}
const known = new WeakMap<TestServer, KnownJob[]>();
const jobsOf = (server: TestServer): KnownJob[] => known.get(server) ?? [];
const isOwn = (p: Principal, job: KnownJob | undefined): job is KnownJob => job?.user === p.user && job.team === p.team;

/** Works until the job has ended, beside the queue, which may have it first. */
async function done(server: TestServer, p: Principal, id: string): Promise<void> {
  const { shard } = server.teams.find((team) => team.id === p.team) as { shard: string };
  for (;;) {
    await workOnJobs({ ...jobPortsOf(services), report: () => undefined }, { teamId: p.team, organizationId: p.organization, shard }, Date.now, Date.now() + 60_000);
    const row = await env[shard as "SHARD_0"].prepare("SELECT state FROM jobs WHERE id = ?").bind(id).first<{ state: string }>();
    if (row?.state !== "waiting" && row?.state !== "running") return expect(row?.state).toBe("done");
    await scheduler.wait(5);
  }
}

/** What an import by REST wrote is by the tool "rest", and everything else by "vitest". */
export const hasImported = (server: TestServer, team: string): boolean => jobsOf(server).some((job) => job.kind === "import" && job.team === team);

function remember(server: TestServer, p: Principal, id: string, kind: KnownJob["kind"], told: KnownJob["told"] = []): void {
  for (const job of jobsOf(server)) if (kind === "export" && isOwn(p, job)) job.isKept = false;
  known.set(server, [...jobsOf(server), { id, kind, team: p.team, user: p.user, told, isKept: true }]);
}

const startImport: Command = async (server, p, op) => {
  const onConflict = op.flag ? "update" : "skip";
  const record: PortableRecord = {
    content: contentOf(server, op),
    ...(bit(op, 2) ? { key: keyOf(op) } : {}),
    ...(bit(op, 8) ? { visibility: op.visibility } : {}),
    ...(bit(op, 64) ? { superseded_by: server.pick(op.target)?.id ?? crypto.randomUUID() } : {}),
  };
  const answer = await rest(server, p, "POST", `/jobs/import?on_conflict=${onConflict}`, JSON.stringify(record));
  server.scan(p, answer, [record, p.user]);
  if (!canWrite(p)) return expect(answer, answer.raw).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  expect(answer.status, answer.raw).toBe(202);
  const { job: id } = answer.structured["job"] as { job: string };
  await done(server, p, id);
  remember(server, p, id, "import");
  const versions = (): Version[] => server.model.entries.flatMap((entry) => entry.versions);
  const before = new Set(versions());
  const expected = importRecords(server.model, p, [record], onConflict);
  for (const version of versions()) if (!before.has(version)) version.isByJob = true;
  await server.learn();
  if (!canRead(p)) return;
  const job = (await rest(server, p, "GET", `/jobs/${id}`)).structured["job"] as Record<string, unknown>;
  if (refused(expected)) return expect(job).toMatchObject({ counts: { failed: 1 }, failed: [{ entry: 1, error: expected.code }] });
  const { created, updated, unchanged, skipped } = expected;
  const counts = Object.fromEntries(Object.entries({ created, updated, unchanged, skipped }).filter(([, count]) => count > 0));
  expect(job).toMatchObject({ state: "done", done: 1, counts });
};

const startExport: Command = async (server, p) => {
  const answer = await rest(server, p, "POST", "/jobs/export", {});
  server.scan(p, answer, [p.user]);
  if (!canWrite(p) || !canRead(p)) return expect(answer, answer.raw).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  const { job: id } = answer.structured["job"] as { job: string };
  await done(server, p, id);
  const told = server.model.own(p, {}, "all").map((entry) => ({ entry, states: [now(entry), ...server.model.earlier(p, entry).map(({ state }) => state)] }));
  remember(server, p, id, "export", told);
  await result(server, p, jobsOf(server).at(-1));
};

/** What is shown of it: memories that are there, and that the person sees, by now. */
async function result(server: TestServer, p: Principal, job: KnownJob | undefined): Promise<void> {
  const id = job?.id ?? crypto.randomUUID();
  const answer = await rest(server, p, "GET", `/jobs/${id}/result`);
  if (!canRead(p)) return expect(answer).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  if (!isOwn(p, job) || job.kind !== "export") return sameAsNobodys(server, p, "GET", id, "/result", answer);
  const left = job.told.filter(({ entry }) => server.model.entries.includes(entry) && sees(p, entry));
  if (!job.isKept) return expect(answer.status === 404 || answer.raw === "", answer.raw).toBe(true);
  expect(sorted(parse(answer.raw).map(({ id }) => id))).toEqual(sorted(left.map(({ entry }) => entry.id)));
  // It says what it said then, of what took a memory's place too.
  const named = new Set(left.flatMap(({ states }) => states.map(({ supersededBy }) => supersededBy)));
  const successors = server.model.entries.filter((entry) => named.has(entry.id)).map((entry) => ({ entry, state: {} }));
  server.scan(p, answer, [p.user], [...left.flatMap(({ entry, states }) => states.map((state) => ({ entry, state }))), ...successors]);
}

async function sameAsNobodys(server: TestServer, p: Principal, method: string, id: string, rest_: string, answer: Awaited<ReturnType<typeof rest>>): Promise<void> {
  expect(answer, answer.raw).toMatchObject({ status: 404, code: "NOT_FOUND" });
  server.scan(p, answer, [id]);
  const invented = crypto.randomUUID();
  expectAlike(answer, id, await rest(server, p, method, `/jobs/${invented}${rest_}`), invented);
}

const pick = (server: TestServer, op: Op): KnownJob | undefined => jobsOf(server)[op.target % Math.max(1, jobsOf(server).length)];

const look: Command = async (server, p, op) => {
  const job = pick(server, op);
  const id = job?.id ?? crypto.randomUUID();
  const answer = await rest(server, p, "GET", `/jobs/${id}`);
  if (!canRead(p)) return expect(answer).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  if (!isOwn(p, job)) return sameAsNobodys(server, p, "GET", id, "", answer);
  expect(answer.structured["job"]).toMatchObject({ job: id, kind: job.kind, state: "done", requested_by: p.user });
  server.scan(p, answer, [p.user]);
};

const cancel: Command = async (server, p, op) => {
  const job = pick(server, op);
  const id = job?.id ?? crypto.randomUUID();
  const answer = await rest(server, p, "POST", `/jobs/${id}/cancel`);
  if (!canWrite(p)) return expect(answer).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  if (!isOwn(p, job)) return sameAsNobodys(server, p, "POST", id, "/cancel", answer);
  expect(answer.structured["job"], "what has ended stays as it is").toMatchObject({ job: id, state: "done" });
};

/** Admins see that there are others', and neither which entries failed nor what they hold. */
const list: Command = async (server, p) => {
  const answer = await rest(server, p, "GET", "/jobs?limit=100");
  if (!canRead(p)) return expect(answer).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  const listed = fieldsOf(answer.structured, "jobs").filter(({ kind }) => kind === "import" || kind === "export");
  const expected = jobsOf(server).filter((job) => job.team === p.team && (isAdmin(p) || job.user === p.user));
  expect(sorted(listed.map(({ job }) => job))).toEqual(sorted(expected.map(({ id }) => id)));
  for (const { requested_by: by, failed } of listed) if (by !== p.user) expect(failed).toBeUndefined();
  server.scan(p, answer, expected.map(({ user }) => user));
};

export const jobs: Record<string, Command> = {
  "jobs: import": startImport, "jobs: export": startExport, "jobs: result": (server, p, op) => result(server, p, pick(server, op)),
  "jobs: look": look, "jobs: cancel": cancel, "jobs: list": list,
};
