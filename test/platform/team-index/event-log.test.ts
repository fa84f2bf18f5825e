import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import type { TeamEvent } from "../../../src/domain/events/team-event.ts";
import { EventLog } from "../../../src/platform/team-index/event-log.ts";
import { newTeam } from "../../support/team.ts";

const eventOf = (audience: string): TeamEvent => ({ kind: "stored", at: 0, audience, memoryIds: [], actorId: "ada", tool: "vitest", requestId: "" });

test("the log keeps the last 10,000 events, and says where some since the one named are gone [A14]", async () => {
  const team = await newTeam();
  const ada = team.owner.principal;
  await runInDurableObject(team.index, async (_, { storage }) => {
    const log = new EventLog(storage.sql, { tell: async () => false, later: () => undefined });
    const start = (await log.read(ada, undefined, 0)).last;
    log.add([eventOf("")]);
    const first = (await log.read(ada, start, 0)).last;
    for (let i = 0; i < 99; i += 1) log.add(Array.from({ length: 100 }, () => eventOf("somebody else")));
    expect(await log.read(ada, first, 0)).toEqual({ events: [], last: first, hasGap: false });
    for (let i = 0; i < 20; i += 1) log.add(Array.from({ length: 100 }, () => eventOf("somebody else")));
    const later = await log.read(ada, first, 0);
    expect([later.events, later.hasGap, later.last > first]).toEqual([[], true, true]);
    log.add([eventOf("")]);
    const next = await log.read(ada, later.last, 0);
    expect([next.events.length, next.hasGap]).toEqual([1, false]);
    expect(storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM team_events").one().n).toBeLessThanOrEqual(11_001);
  });
});

test("who begins to watch anew is told, though an answer from before says only then that nobody watched [A14]", async () => {
  const team = await newTeam();
  await runInDurableObject(team.index, async (_, { storage }) => {
    const asked = Promise.withResolvers<boolean>();
    const told: string[] = [];
    let answered: Promise<unknown> = Promise.resolve();
    const log = new EventLog(storage.sql, { tell: (userId) => (told.push(userId) === 1 ? asked.promise : Promise.resolve(true)), later: (work) => (answered = work) });
    log.watch("ada", 1);
    log.add([eventOf("")]);
    log.watch("ada", 2);
    asked.resolve(false);
    await answered;
    log.add([eventOf("")]);
    expect(told).toEqual(["ada", "ada"]);
  });
});
