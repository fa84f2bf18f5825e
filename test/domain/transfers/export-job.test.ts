import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { exportMemories } from "../../../src/domain/memories/export.ts";
import { exportResult, resultLifeMs } from "../../../src/domain/transfers/export-result.ts";
import { cancelJob, findJob, listJobs, startExport, startImport } from "../../../src/domain/transfers/jobs.ts";
import { sweepJobs } from "../../../src/domain/transfers/work.ts";
import { importMemories, parseExport } from "../../../src/domain/memories/import.ts";
import { keepSecrets, keptAfterRotation, rotateDataKey } from "../../../src/domain/secrets/rotation.ts";
import { jobPortsOf } from "../../../src/jobs/job-ports.ts";
import { commits, hour, newTeam, now, services, type Person, type Team } from "../../support/team.ts";
import { asking, jobsWith, work } from "./world.ts";

let team: Team;
let owner: Person;

beforeEach(async () => {
  team = await newTeam();
  ({ owner } = team);
});

const whole = { includeHistory: true, includeSecrets: false };
const rows = async (table: string) => (await env.SHARD_0.prepare(`SELECT * FROM ${table} WHERE team_id = ?`).bind(team.id).all<Record<string, unknown>>()).results;

async function result(who: Person, id: string, at = now + 5_000): Promise<string> {
  let data = "";
  for (let cursor: string | undefined = "0"; cursor !== undefined; ) {
    const page = await exportResult(who.at(at), services.jobs, id, cursor);
    data += page.data;
    cursor = page.nextCursor;
  }
  return data;
}

const ordinary = async (who: Person): Promise<string> => {
  let data = "";
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const page = await exportMemories(who.at(now + 5_000), { format: "ndjson", limit: 100, includeHistory: true, cursor });
    data += page.data;
    cursor = page.nextCursor;
  }
  return data;
};

async function fill(count: number): Promise<void> {
  await importMemories(owner.at(now), { records: await parseExport(Array.from({ length: count }, (_, i) => JSON.stringify({ key: `k${i}`, content: `harbour note ${i} ${"🦆".repeat(200)}` })).join("\n"), {}), onConflict: "update" });
}

describe("a long export [A1]", () => {
  test("hands out what the ordinary one does, sealed until then, and imports again", async () => {
    await fill(250);
    await owner.keep("k1", "another text");
    const { id } = await startExport(asking(owner), whole);
    await expect(result(owner, id)).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await work(team, { deadline: now })).toBe("more");
    expect(await work(team)).toBe("idle");
    expect(await findJob(asking(owner), id)).toMatchObject({ job: { state: "done", done: 250, counts: { exported: 250 } } });
    const data = await result(owner, id);
    expect(data).toBe(await ordinary(owner));
    expect((await rows("job_pieces")).length).toBeGreaterThan(0);
    expect(JSON.stringify(await rows("job_pieces"))).not.toContain("harbour");
    const other = (await newTeam()).owner;
    expect(await importMemories(other.at(now), { records: await parseExport(data, {}), onConflict: "update" })).toMatchObject({ created: 250 });
  });

  test("that died is done again from where it was, and is the same", async () => {
    await fill(150);
    const { id } = await startExport(asking(owner), whole);
    await work(team, { deadline: now });
    const dying = jobsWith({ end: () => Promise.reject(new Error("killed")), fail: () => Promise.reject(new Error("killed")) });
    await expect(work(team, { jobs: dying })).rejects.toThrow("killed");
    await work(team, { at: now + hour });
    expect(await result(owner, id, now + hour)).toBe(await ordinary(owner));
  });

  test("leaves out what was erased, became secret or is not to be seen any more when it is downloaded", async () => {
    const member = await team.join();
    const shared = await owner.keep("shared", "was shared once", { visibility: "shared" });
    const erased = await member.keep("erased", "to be erased");
    await member.keep("left", "stays");
    const { id } = await startExport(asking(member), whole);
    await work(team);
    expect((await result(member, id)).split("\n")).toHaveLength(4);
    await commits.erase(member.principal, member.at(now + 2_000), [erased]);
    await env.SHARD_0.prepare("UPDATE memories SET visibility = 'private', home = ? WHERE id = ?").bind(owner.id, shared.id).run();
    const left = await result(member, id);
    expect(left).toContain("stays");
    expect(left).not.toMatch(/to be erased|was shared/);
  });

  test("holds secrets only for whom the ordinary one does, and is sealed anew when the team's key is", async () => {
    await owner.keep("pin", "four two four two", { sensitivity: "secret" });
    await expect(startExport(asking(await team.join("member", ["memory:read", "memory:write"])), { ...whole, includeSecrets: true })).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    const plain = await startExport(asking(owner), whole);
    await work(team);
    expect(await result(owner, plain.id)).toBe("");
    const { id } = await startExport(asking(owner, now + 10), { ...whole, includeSecrets: true });
    await work(team);
    expect(await result(owner, id)).toContain("four two four two");
    const lesser = { ...owner.at(now + 5_000), principal: { ...owner.principal, scopes: ["memory:read", "memory:write"] as const } };
    await expect(exportResult(lesser, services.jobs, id)).rejects.toMatchObject({ code: "PERMISSION_DENIED" });

    const before = await rows("job_pieces");
    await rotateDataKey({ principal: owner.principal, now, tenants: services.tenants, secrets: services.secrets });
    await keepSecrets(services.secrets, () => now + keptAfterRotation, now + 2 * keptAfterRotation);
    expect((await rows("job_pieces")).map(({ data_key: key }) => key)).not.toEqual(before.map(({ data_key: key }) => key));
    expect(await result(owner, id)).toContain("four two four two");
  });

  test("is kept for a day, one for each person, and gone with team and person", async () => {
    await owner.keep("menu", "gazpacho");
    const first = await startExport(asking(owner), whole);
    await work(team);
    const second = await startExport(asking(owner, now + 10), whole);
    await work(team);
    await expect(result(owner, first.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await result(owner, second.id)).toContain("gazpacho");
    await expect(result(owner, second.id, now + 1_000 + resultLifeMs)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await sweepJobs(jobPortsOf(services), () => now + 1_001 + resultLifeMs, now + 2 * resultLifeMs, resultLifeMs);
    expect([await rows("job_pieces"), (await rows("jobs")).length]).toEqual([[], 2]);

    await startImport(asking(owner), { records: [{ content: "staged" }] as never, onConflict: "update" });
    await services.erasure.store.forgetSessions(owner.principal.shard, owner.id);
    expect([await rows("job_pieces"), await rows("jobs")]).toEqual([[], []]);
  });

  test("is listed with the runs of the curator; admins see how far others' are, and no more; strangers nothing [S17]", async () => {
    const member = await team.join();
    const { id } = await startExport(asking(member), whole);
    const run = await services.runs.request(owner.principal, { id: crypto.randomUUID(), kind: "consolidation", isDry: false, cursor: "", now: now + 5 });
    const listed = async (who: Person) => (await listJobs(asking(who), { limit: 20 })).map((one) => ("run" in one ? one.run.id : `${one.job.id} ${one.isOwn}`));
    expect(await listed(member)).toEqual([run?.id, `${id} true`]);
    expect(await listed(owner)).toEqual([run?.id, `${id} false`]);
    expect(await listed(await team.join())).toEqual([run?.id]);
    expect(await listed((await newTeam()).owner)).toEqual([]);
    expect(await findJob(asking(member), run?.id ?? "")).toMatchObject({ run: { kind: "consolidation" } });
    await work(team);
    for (const other of [owner, (await newTeam()).owner]) {
      await expect(result(other, id)).rejects.toMatchObject({ code: "NOT_FOUND" });
      await expect(cancelJob(asking(other), id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
  });
});
