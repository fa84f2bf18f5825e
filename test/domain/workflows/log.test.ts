import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { QuotaGuard } from "../../../src/platform/d1/quota-guard.ts";
import { D1WorkflowStore } from "../../../src/platform/d1/workflow-store.ts";
import { unbounded } from "../../../src/platform/storage-room.ts";
import { defaultQuota } from "../../../src/domain/memories/quota.ts";
import { forgetSteps, listSteps } from "../../../src/domain/workflows/own-steps.ts";
import { workflowPatterns } from "../../../src/domain/workflows/patterns.ts";
import { recordSteps, stepWindow } from "../../../src/domain/workflows/record-steps.ts";
import { countChanges } from "../../../src/domain/workflows/sequence.ts";
import { suggestNext } from "../../../src/domain/workflows/suggest.ts";
import type { WorkflowStore } from "../../../src/domain/workflows/workflow-store.ts";
import { newTeam, now, services, type Person, type Team } from "../../support/team.ts";
import { developer } from "./generator.ts";

let team: Team;
let ada: Person;
beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const step = (command: string, more: { success?: boolean; durationMs?: number; at?: number; idempotencyKey?: string } = {}) => ({ success: true, durationMs: null, ...more, command });
const record = (who: Person, commands: string[], { session = "s", at = now, project = "shop" } = {}) =>
  recordSteps(who.at(at), { learns: true, project, session, steps: commands.map((command) => step(command)) });
const rowsOf = async (table: string): Promise<Record<string, unknown>[]> => (await env.SHARD_0.prepare(`SELECT * FROM ${table} WHERE team_id = ? ORDER BY 1, 2, 3, 4, 5`).bind(team.id).all()).results;

/** A store whose every batch is counted: statements, and rows that they write. */
function counting(): { workflows: WorkflowStore; spent: { statements: number; written: number } } {
  const spent = { statements: 0, written: 0 };
  const counted = new Proxy(env.SHARD_0, {
    get: (d1, name) =>
      name !== "batch"
        ? (d1[name as keyof D1Database] as (...args: unknown[]) => unknown).bind(d1)
        : async (statements: D1PreparedStatement[]) => {
            const results = await d1.batch(statements);
            spent.statements += statements.length;
            for (const { meta } of results) spent.written += meta.rows_written;
            return results;
          },
  });
  return { workflows: new D1WorkflowStore(() => counted, new QuotaGuard(defaultQuota), unbounded), spent };
}

describe("the log of workflows [A6]", () => {
  test("a step costs the same after a thousand and after a hundred thousand others", async () => {
    const { workflows, spent } = counting();
    const ctx = { ...ada.at(now), workflows };
    const source = developer(7);
    let done = 0;
    const advance = async (to: number): Promise<void> => {
      for (; done < to; done += Math.min(100, to - done)) {
        const steps = Array.from({ length: Math.min(100, to - done) }, () => source.next().value);
        await recordSteps(ctx, { learns: true, project: "shop", session: "s", steps });
      }
    };
    const costs: { after: number; statements: number; written: number }[] = [];
    for (const after of [1_000, 9_000, 11_000, 100_000]) {
      await advance(after);
      spent.statements = spent.written = 0;
      for (let i = 0; i < 20; i += 1) await recordSteps(ctx, { learns: true, project: "shop", session: "s", steps: [source.next().value] });
      done += 20;
      costs.push({ after, statements: spent.statements / 20, written: spent.written / 20 });
    }
    console.info(`workflows: a step costs ${JSON.stringify(costs)}`);
    // Until the window is full nothing leaves; from then on it is twice the work, whatever was before.
    const [young, , full, old] = costs as [(typeof costs)[0], (typeof costs)[0], (typeof costs)[0], (typeof costs)[0]];
    expect(old.statements).toBe(full.statements);
    expect(old.statements - young.statements).toBeLessThanOrEqual(2);
    expect(Math.abs(old.written - full.written)).toBeLessThanOrEqual(4);
    expect(old.written).toBeLessThanOrEqual(40);

    expect((await rowsOf("workflow_steps")).length).toBe(stepWindow);
    const { steps } = await listSteps(ada.at(now), { project: "shop", limit: stepWindow });
    const anew = countChanges(steps.map(({ trail }) => trail), []);
    const kept = (await rowsOf("workflow_counts")).map(({ context, action, count, successes, timed, duration_ms }) => ({ context, action, count, successes, timed, durationMs: duration_ms }));
    const sorted = (rows: object[]) => rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
    expect(sorted(kept), "the counts are those of the steps that are there").toEqual(sorted(anew));
  }, 600_000);

  test("two clients at the same time lose nothing, and each has its own sequence", async () => {
    const clients = ["claude", "cursor", "vscode"];
    await Promise.all(clients.flatMap((session) => Array.from({ length: 5 }, (_, i) => record(ada, [`${session} one`, `${session} two`], { session, at: now + i }))));
    const steps = await rowsOf("workflow_steps");
    expect(steps.map(({ number }) => number)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
    for (const session of clients) {
      const { suggestions } = await suggestNext(ada.at(now), { project: "shop", session, context: [`${session} one`], limit: 1 });
      expect(suggestions).toMatchObject([{ command: `${session} two`, support: 5, of: 5 }]);
    }
  });

  test("what was sent again after a lost answer is recorded once, whatever of it had arrived", async () => {
    const batch = Array.from({ length: 6 }, (_, i) => step(`deploy stage${i % 3}`, { idempotencyKey: `k${i}` }));
    const send = (append: WorkflowStore["append"], steps: typeof batch) => {
      const workflows = new Proxy(services.workflows, { get: (store, name: keyof WorkflowStore) => (name === "append" ? append : (store[name] as (...args: unknown[]) => unknown).bind(store)) });
      return recordSteps({ ...ada.at(now), workflows }, { learns: true, project: "shop", session: "s", steps });
    };
    const afterCommit: WorkflowStore["append"] = async (...args) => {
      await services.workflows.append(...args);
      throw new Error("killed after the commit");
    };
    await expect(send(afterCommit, batch.slice(0, 4))).rejects.toThrow("killed after");
    await expect(send(() => Promise.reject(new Error("killed before the commit")), batch)).rejects.toThrow("killed before");
    expect(await recordSteps(ada.at(now), { learns: true, project: "shop", session: "s", steps: batch })).toMatchObject({ recorded: 2, repeated: 4 });
    expect(await recordSteps(ada.at(now), { learns: true, project: "shop", session: "s", steps: batch })).toMatchObject({ recorded: 0, repeated: 6 });
    expect((await rowsOf("workflow_steps")).map(({ command }) => command)).toEqual(batch.map(({ command }) => command));
    expect((await rowsOf("workflow_counts")).filter(({ context }) => context === "").map(({ count }) => count)).toEqual([2, 2, 2]);
  });

  test("after a pause of more than an hour the sequence begins anew", async () => {
    await record(ada, ["git push"]);
    await record(ada, ["lunch"], { at: now + 3_600_001 });
    await record(ada, ["npm test"], { at: now + 3_700_000 });
    expect((await rowsOf("workflow_counts")).filter(({ context }) => context !== "")).toMatchObject([{ count: 1 }]);
  });

  test("a new tool goes on where the last one was", async () => {
    for (let i = 0; i < 3; i += 1) await record(ada, ["git add", "git commit", "git push"], { session: `s${i}` });
    await record(ada, ["git add"], { session: "claude" });
    expect(await suggestNext(ada.at(now, "cursor"), { project: "shop", session: undefined, limit: 1 })).toMatchObject({ after: ["git add"], suggestions: [{ command: "git commit" }] });
  });

  test("a full team records no more, and forgetting gives the room back", async () => {
    const workflows = new D1WorkflowStore(() => env.SHARD_0, new QuotaGuard({ maxMemories: 10, maxBytes: 500 }), unbounded);
    const fill = () => recordSteps({ ...ada.at(now), workflows }, { learns: true, project: "shop", session: "s", steps: [step("git push")] });
    await expect((async () => { for (let i = 0; i < 20; i += 1) await fill(); })()).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
    await forgetSteps(ada.at(now), { project: "shop" });
    expect([await rowsOf("workflow_steps"), await rowsOf("workflow_counts")]).toEqual([[], []]);
    await fill();
  });

  test("forgetting a project forgets nobody else's, and no other one", async () => {
    const grace = await team.join();
    for (const who of [ada, grace]) for (const project of ["shop", "site"]) for (let i = 0; i < 3; i += 1) await record(who, ["a", "b"], { project, session: `s${i}` });
    await forgetSteps(ada.at(now), { project: "shop" });
    const patterns = async (who: Person, project: string) => (await workflowPatterns(who.at(now), { project, limit: 10 })).length;
    expect([await patterns(ada, "shop"), await patterns(ada, "site"), await patterns(grace, "shop")]).toEqual([0, 1, 1]);
  });
});
