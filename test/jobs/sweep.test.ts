import { createScheduledController, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { minuteOf, sweep, type MaintenancePorts } from "../../src/domain/memories/sweep.ts";
import worker from "../../src/index.ts";
import { runScheduled } from "../../src/jobs/scheduled.ts";
import { commits, day, deliver, hour, minute, newTeam, now, services, sisterOf, type Person, type Team } from "../support/team.ts";

let team: Team;
let ada: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

type OutboxRow = { memory_id: string; op: string; swept: number };

const outbox = async (): Promise<OutboxRow[]> =>
  (await env.SHARD_0.prepare("SELECT memory_id, op, swept FROM outbox WHERE team_id = ? ORDER BY seq").bind(team.id).all<OutboxRow>()).results;

const eraseOnly = (...doomed: Awaited<ReturnType<Person["keep"]>>[]) => commits.erase(ada.principal, ada.at(now), doomed);

/** A minute that is not this team's turn to be verified. */
const notItsTurn = (at = now): number => (Math.floor(at / minute) % 60 === minuteOf(team.id) ? at + minute : at);
const itsTurn = (at = now): number => Math.floor(at / hour) * hour + minuteOf(team.id) * minute;

describe("the sweep makes good what failed in between [S14] [S15]", () => {
  test("an index that missed changes follows, without anybody searching", async () => {
    await ada.keep("known", "a heron by the lake");
    await ada.commitOnly("a heron by the river");
    await ada.commitOnly("a public heron", { visibility: "public" });
    const sister = await sisterOf(team);

    await runScheduled(services, notItsTurn());

    expect(await team.index.stats(team.ref)).toMatchObject({ documents: 3 });
    expect(await sister.owner.search("heron")).toEqual(["a public heron"]);
  });

  test("an erasure that the organization's index missed is followed there, too", async () => {
    const memory = await ada.keep("menu", "gazpacho", { visibility: "public" });
    await eraseOnly(memory);
    await runScheduled(services, notItsTurn());
    const texts = await runInDurableObject(team.organizationIndex, (_, state) => state.storage.sql.exec("SELECT body FROM docs").toArray());
    expect(texts).toEqual([]);
    expect((await team.index.stats(team.ref)).documents).toBe(0);
  });

  test("the outbox is trimmed to what an index still has to hear; tombstones stay for those that come back late", async () => {
    const memory = await ada.keep("a", "one");
    await ada.keep("b", "two");
    await eraseOnly(memory);
    expect((await outbox()).map(({ op }) => op)).toEqual(["upsert", "upsert", "erase"]);

    await sweep(services.maintenance, notItsTurn());
    expect(await outbox()).toEqual([{ memory_id: memory.id, op: "erase", swept: 1 }]);

    // An index from a backup of before the erasure still learns of it.
    await deliver(ada.principal, [{ ...memory, seq: memory.seq + 100 }]);
    expect((await team.index.stats(team.ref)).documents).toBe(2);
    await runInDurableObject(team.index, (_, state) => {
      state.storage.sql.exec("UPDATE sources SET applied = 0");
    });
    await evictDurableObject(team.index);
    expect(await ada.search("one two")).toEqual(["two"]);
    expect((await team.index.stats(team.ref)).documents).toBe(1);
  });

  test("tombstones go after thirty days", async () => {
    await eraseOnly(await ada.keep("a", "one"));
    await sweep(services.maintenance, notItsTurn(now + 29 * day));
    expect(await outbox()).toHaveLength(1);
    await ada.commitOnly("two", {}, now + 31 * day);
    await sweep(services.maintenance, notItsTurn(now + 31 * day));
    expect(await outbox()).toEqual([]);
  });

  test("a quiet team is left alone: nothing new, nothing to follow", async () => {
    await ada.keep("a", "one");
    await sweep(services.maintenance, notItsTurn());
    const mine = (await services.maintenance.store.teamsWithOutbox("SHARD_0")).filter(({ teamId }) => teamId === team.id);
    expect(mine).toEqual([]);
  });

  test("answers to idempotency keys are remembered for a week", async () => {
    const call = { key: "k", idempotencyKey: "i" };
    await ada.remember("one", call);
    // The last minute of the week, or the one after it.
    await sweep(services.maintenance, notItsTurn(now + 7 * day - minute));
    expect((await ada.remember("one", call, now + 7 * day)).replayed).toBe(true);
    await sweep(services.maintenance, notItsTurn(now + 7 * day + minute));
    expect(await ada.remember("one", call, now + 7 * day + minute)).toMatchObject({ replayed: false, outcome: "unchanged" });
  });

  test("expired memories of many teams are purged, more of them than one batch takes in the next minute", async () => {
    const sister = await sisterOf(team);
    await sister.owner.keep("brief", "gone", { expiresAt: now + hour });
    const records = Array.from({ length: 600 }, (_, n) => ({ key: `k.${n}`, content: `c${n}`, expires_at: new Date(now + 10 * day).toISOString() }));
    expect((await ada.call("omn_import_memories", { memories: records })).structured).toMatchObject({ created: 600 });
    await ada.keep("lasting", "stays");

    await sweep(services.maintenance, notItsTurn(now + 10 * day));
    await sweep(services.maintenance, notItsTurn(now + 10 * day + minute));

    const left = await env.SHARD_0.prepare("SELECT count(*) AS n FROM memories WHERE team_id IN (?, ?)").bind(team.id, sister.id).first<{ n: number }>();
    expect(left?.n).toBe(1);
    expect(await team.index.stats(team.ref)).toMatchObject({ documents: 1 });
    expect((await sister.index.stats(sister.ref)).documents).toBe(0);
  });
});

describe("the sweep verifies each index once an hour [S15]", () => {
  test("and rebuilds one that misses rows, at its own minute and at no other", async () => {
    await ada.keep("a", "a heron");
    await team.settle();
    await runInDurableObject(team.index, (_, state) => {
      state.storage.sql.exec("DELETE FROM fresh");
    });
    await evictDurableObject(team.index);
    await sweep(services.maintenance, notItsTurn());
    expect(await ada.search("heron")).toEqual([]);
    await sweep(services.maintenance, itsTurn());
    expect(await ada.search("heron")).toEqual(["a heron"]);
  });

  test("the organization's, too: one that was dropped has its public memories again", async () => {
    await ada.keep("a", "a public heron", { visibility: "public" });
    const sister = await sisterOf(team);
    await sweep(services.maintenance, notItsTurn());
    await runInDurableObject(team.organizationIndex, (_, state) => state.storage.deleteAll());
    await evictDurableObject(team.organizationIndex);
    await sweep(services.maintenance, itsTurn());
    expect(await sister.owner.search("heron")).toEqual(["a public heron"]);
  });

  test("an index ahead of the truth, as after the database was set back, is rebuilt, and hears of what is written then", async () => {
    await ada.keep("a", "a heron");
    await ada.keep("b", "written after the backup");
    await env.SHARD_0.batch([
      env.SHARD_0.prepare("DELETE FROM memories WHERE team_id = ? AND key = 'b'").bind(team.id),
      env.SHARD_0.prepare("DELETE FROM outbox WHERE team_id = ?").bind(team.id),
      env.SHARD_0.prepare("UPDATE counters SET seq = 1 WHERE team_id = ?").bind(team.id),
    ]);
    await sweep(services.maintenance, itsTurn());
    expect(await team.index.stats(team.ref)).toMatchObject({ documents: 1, appliedSeq: 1 });
    await ada.keep("c", "a stork");
    expect((await ada.search("heron stork backup")).sort()).toEqual(["a heron", "a stork"]);
  });
});

describe("one team's trouble [S14]", () => {
  test("does not stop the others, and is reported without any text of a memory", async () => {
    await ada.commitOnly("a heron by the river");
    const other = await newTeam();
    await other.owner.commitOnly("a stork by the river");
    const report = vi.fn();
    const ports: MaintenancePorts = {
      ...services.maintenance,
      index: {
        ...services.maintenance.index,
        follow: (place, seq) => (place.teamId === team.id ? Promise.reject(new Error("the index is away")) : services.maintenance.index.follow(place, seq)),
        verify: (place) => services.maintenance.index.verify(place),
      },
      report,
    };
    await sweep(ports, notItsTurn());
    expect((await other.index.stats(other.ref)).documents).toBe(1);
    expect((await team.index.stats(team.ref)).documents).toBe(0);
    expect(report).toHaveBeenCalledWith("sweep.follow", expect.objectContaining({ message: "the index is away" }));
    expect(await outbox(), "what was not followed waits for the next sweep").toHaveLength(1);
    await sweep(services.maintenance, notItsTurn(now + minute));
    expect((await team.index.stats(team.ref)).documents).toBe(1);
  });

  test("and a shard that is away does not stop the sweep either", async () => {
    await ada.keep("brief", "gone", { expiresAt: now + hour });
    await ada.commitOnly("a heron by the river");
    const { store, index, teams, vectors } = services.maintenance;
    const away = (): never => {
      throw new Error("the shard is away");
    };
    const report = vi.fn();
    const ports: MaintenancePorts = {
      teams, vectors, report,
      index: { purge: away, follow: (...args) => index.follow(...args), verify: (...args) => index.verify(...args) },
      store: {
        expired: (...which) => store.expired(...which),
        teamsWithOutbox: away,
        trimOutbox: away,
        dropIdempotencyBefore: away,
        dropPreventionBefore: away,
      },
    };
    await sweep(ports, itsTurn(now + 2 * hour));
    expect(report.mock.calls.map(([event]) => event)).toEqual(expect.arrayContaining(["sweep.purge", "sweep.expire", "sweep.outbox"]));
    expect(await team.index.stats(team.ref), "its hourly check was made all the same").toMatchObject({ documents: 2 });
    expect(await ada.listed(now + 2 * hour)).toEqual(["a heron by the river"]);
  });

  test("the Worker's cron trigger runs the sweep", async () => {
    await ada.commitOnly("a heron by the river");
    await worker.scheduled(createScheduledController({ scheduledTime: notItsTurn(), cron: "* * * * *" }));
    expect((await team.index.stats(team.ref)).documents).toBe(1);
  });
});
