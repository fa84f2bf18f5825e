import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { keepSecrets, rotateDataKey } from "../../src/domain/secrets/rotation.ts";
import { forgetSteps } from "../../src/domain/workflows/own-steps.ts";
import { recordSteps } from "../../src/domain/workflows/record-steps.ts";
import { purge } from "../../src/platform/d1/maintenance-store.ts";
import { anyText } from "../domain/memories/arbitrary.ts";
import { newTeam, services, type Team } from "../support/team.ts";

interface Step {
  act: "store" | "update" | "hide" | "show" | "archive" | "restore" | "erase" | "expire" | "import" | "link" | "unlink" | "rotate" | "seal" | "account" | "work" | "forget";
  which: number;
  other: number;
  text: string;
}

const text = anyText.map((value) => `${value.trim() || "x"} ${crypto.randomUUID()}`).filter((value) => value.isWellFormed() && !value.includes("\0"));
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    act: fc.constantFrom<Step["act"][]>("store", "store", "store", "update", "update", "hide", "show", "archive", "restore", "erase", "expire", "import", "link", "link", "unlink", "rotate", "seal", "account", "work", "work", "forget"),
    which: fc.nat(5),
    other: fc.nat(5),
    text,
  }),
  { minLength: 4, maxLength: 14 },
);

const bytesOf = (value: unknown): number => (value === null ? 0 : new TextEncoder().encode(String(value)).byteLength);
const sum = (rows: Record<string, unknown>[], columns: string[]): number => rows.flatMap((row) => columns.map((column) => bytesOf(row[column]))).reduce((a, b) => a + b, 0);

/** What the team stores, counted from the rows themselves. */
async function stored({ id }: Team): Promise<{ memories: number; bytes: number }> {
  const rows = async (sql: string) => (await env.SHARD_0.prepare(sql).bind(id).all()).results;
  const memories = await rows("SELECT key, content, value, summary, namespace, tags, keywords, metadata, related_files, nullif(citations, '[]') AS citations, compressed FROM memories WHERE team_id = ?");
  const versions = await rows("SELECT state FROM versions WHERE team_id = ?");
  const links = await rows("SELECT source_id, target_id, type, reason FROM memory_links WHERE team_id = ? AND origin = 'explicit'");
  const steps = await rows("SELECT command, trail FROM workflow_steps WHERE team_id = ?");
  return { memories: memories.length, bytes: [memories, versions, links, steps].map((found) => sum(found, Object.keys(found[0] ?? {}))).reduce((a, b) => a + b, 0) };
}

const counted = ({ id }: Team) => env.SHARD_0.prepare("SELECT memories, bytes FROM counters WHERE team_id = ?").bind(id).first();

async function take(team: Team, { act, which, other, text }: Step): Promise<void> {
  const { owner } = team;
  const [key, second] = [`key.${which}`, `key.${other}`];
  const { results } = await env.SHARD_0.prepare("SELECT id, version FROM memories WHERE team_id = ? AND key = ?").bind(team.id, key).all<{ id: string; version: number }>();
  const [present] = results;
  switch (act) {
    case "store": return void (await owner.call("omn_store_memory", { key, content: text, allow_duplicate: true, metadata: { tags: [`t${other}`], note: text.slice(0, 50), ...(other === 0 ? { sensitivity: "secret" } : {}) } }));
    case "update": return void (await owner.call("omn_update_memory", { key, content: text, summary: text.slice(0, 30), metadata: { tags: [], more: other } }));
    case "hide": return void (await owner.call("omn_update_memory", { key, metadata: { sensitivity: "secret" } }));
    case "show": return void (await owner.call("omn_update_memory", { key, metadata: { sensitivity: "normal" } }));
    case "archive": return void (await owner.call("delete_memory", { key }));
    case "restore": return void (present && (await owner.call("omn_update_memory", { id: present.id, archived: false })));
    case "erase": {
      const preview = await owner.call("omn_forget_memory", { key, mode: "erase" });
      return void (await owner.call("omn_forget_memory", { key, mode: "erase", confirm: preview.structured["confirm"] }));
    }
    case "expire": return void (present && (await purge(env.SHARD_0, team.id, Date.now(), [{ ...present, visibility: "private" }], "expiry")));
    case "import": {
      const history = [1, 2].map((version) => ({ version, at: "2026-01-01", actor_id: "x", tool: "t", action: "create", state: { key: `in.${which}`, content: `${text} ${version}` } }));
      return void (await owner.call("omn_import_memories", { memories: [{ key: `in.${which}`, content: text, version: 3, history }, { key, content: text }] }));
    }
    case "link": return void (await owner.call("omn_update_memory", { key, links: [{ to: second, type: "extends", reason: text.slice(0, 40) }] }));
    case "unlink": return void (await owner.call("omn_update_memory", { key, unlink: [{ to: second }] }));
    case "rotate": return void (await rotateDataKey({ principal: owner.principal, now: Date.now(), tenants: services.tenants, secrets: services.secrets }).catch(() => undefined));
    case "seal": return void (await keepSecrets(services.secrets, Date.now, Date.now() + 5_000));
    case "work": return void (await recordSteps(owner.at(Date.now()), { learns: true, project: key, session: undefined, steps: Array.from({ length: 1 + other }, () => ({ command: `run ${text}`, success: true, durationMs: 1 })) }));
    case "forget": return void (await forgetSteps(owner.at(Date.now()), { project: key }));
    case "account": return void (await services.erasure.store.blankPrivateVersions("SHARD_0", owner.id));
  }
}

test("what counts against a team's quota is what is there, after any history of writes, sealing and erasure", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const team = await newTeam();
      await team.owner.call("omn_store_memory", { key: "key.0", content: "the first" });
      for (const step of history) {
        await take(team, step);
        expect(await counted(team), JSON.stringify(step)).toEqual(await stored(team));
      }
      const ref = { teamId: team.id, organizationId: team.organizationId, shard: "SHARD_0" };
      while (await services.erasure.store.eraseRows(ref));
      expect([await counted(team), await stored(team)], "an erased team has no counters").toEqual([null, { memories: 0, bytes: 0 }]);
    }),
    { numRuns: 25 },
  );
}, 120_000);
