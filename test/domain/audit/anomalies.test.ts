import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type AuditEvent, failedKeysFromAddress, failedKeysOfTeam, findings, type KnownUses, massDelete, massExport, quietMs,
} from "../../../src/domain/audit/anomalies.ts";

const minute = 60_000;
const nobodyKnown: KnownUses = new Map();
let nextId = 1;
const event = (action: string, at: number, rest: Partial<AuditEvent> = {}): AuditEvent => ({
  id: nextId++, at, action, teamId: "t", userId: "u", subject: null, count: null, client: null, address: null, country: null, ...rest,
});
const times = (count: number, make: (i: number) => AuditEvent): AuditEvent[] => Array.from({ length: count }, (_, i) => make(i));
const rulesOf = (events: AuditEvent[], known = nobodyKnown, after = 0): string[] => findings(events, after, known).map(({ rule }) => rule);

describe("failed keys [A14]", () => {
  const failed = (at: number, rest: Partial<AuditEvent> = {}) => event("authenticate.unknown", at, rest);

  test("one fewer than the threshold is nothing, the threshold is told once", () => {
    const { failures, withinMs } = failedKeysOfTeam;
    expect(rulesOf(times(failures - 1, (i) => failed(i)))).toEqual([]);
    expect(findings(times(failures + 5, (i) => failed(i)), 0, nobodyKnown)).toMatchObject([{ rule: "failed-keys", teamId: "t", subject: "t", at: failures - 1, details: { failures, minutes: 10 } }]);
    expect(rulesOf(times(failures, (i) => failed((i * withinMs) / (failures - 1)))), "spread wider than the window").toEqual([]);
  });

  test("what goes on is told again after the quiet", () => {
    const burst = (from: number) => times(failedKeysOfTeam.failures, (i) => failed(from + i));
    expect(findings([...burst(0), ...burst(quietMs - minute), ...burst(2 * quietMs)], 0, nobodyKnown).map(({ at }) => at)).toEqual([9, 2 * quietMs + 9]);
  });

  test("expired keys, tokens and two teams' mistakes do not add up", () => {
    for (const action of ["authenticate.expired", "authenticate.token"]) expect(rulesOf(times(100, (i) => event(action, i, { address: "a" })))).toEqual([]);
    expect(rulesOf(times(12, (i) => failed(i, { teamId: i % 2 ? "t" : "s" })))).toEqual([]);
  });

  test("from one address: told to the teams whose keys were tried, to nobody's when there were none", () => {
    const { failures } = failedKeysFromAddress;
    const tried = times(failures, (i) => failed(i, { address: "a", teamId: i === 3 ? "s" : i === 4 ? "t" : null }));
    expect(findings(tried, 0, nobodyKnown)).toMatchObject([
      { rule: "failed-keys-from-address", teamId: "s", subject: "a" }, { rule: "failed-keys-from-address", teamId: "t", subject: "a" },
    ]);
    expect(findings(times(failures, (i) => failed(i, { address: "a", teamId: null })), 0, nobodyKnown)).toMatchObject([{ teamId: null, subject: "a" }]);
    expect(rulesOf(times(failures, (i) => failed(i, { address: `a${i % 2}`, teamId: null })))).toEqual([]);
  });
});

describe("mass export and mass delete [A14]", () => {
  test.each([
    ["mass-export", "memory.export", massExport.memories], ["mass-delete", "memory.erase", massDelete.memories], ["mass-delete", "memory.archive", massDelete.memories],
  ])("%s: %s counts memories, not calls, of one person in one team", (rule, action, most) => {
    expect(findings([event(action, 1, { count: most })], 0, nobodyKnown)).toMatchObject([{ rule, subject: "u", teamId: "t", details: { memories: most } }]);
    expect(rulesOf([event(action, 1, { count: most - 1 }), event(action, 2, { count: 1 })])).toEqual([rule]);
    expect(rulesOf([event(action, 1, { count: most - 1 })])).toEqual([]);
    expect(rulesOf([event(action, 1, { count: most - 1 }), event(action, 1 + massExport.withinMs, { count: 1 })])).toEqual([]);
    expect(rulesOf([event(action, 1, { count: most - 1 }), event(action, 2, { count: 1, userId: "other" })])).toEqual([]);
    expect(rulesOf([event(action, 1, { count: most - 1 }), event(action, 2, { count: 1, teamId: "other" })])).toEqual([]);
  });

  test("erasing and archiving add up; what expires does not count", () => {
    expect(rulesOf([event("memory.erase", 1, { count: 60 }), event("memory.archive", 2, { count: 60 })])).toEqual(["mass-delete"]);
    expect(rulesOf([event("memory.erase", 1, { count: 5_000, userId: "system" })])).toEqual([]);
  });
});

describe("a key or grant from somewhere new [A14]", () => {
  const used = (at: number, client: string | null, country: string | null, subject = "k") => event("key.use", at, { client, country, subject, address: "a" });
  const known: KnownUses = new Map([["k", { clients: new Set(["cursor"]), countries: new Set(["PT"]) }]]);

  test("the first use is nothing new; a client or country beside the known ones is, once", () => {
    expect(rulesOf([used(1, "cursor", "PT", "fresh")])).toEqual([]);
    expect(findings([used(1, "cursor", "PT"), used(2, "vim", "PT"), used(3, "vim", "BR"), used(4, "vim", "BR")], 0, known)).toMatchObject([
      { rule: "new-client", subject: "k", value: "vim", at: 2, details: { address: "a" } }, { rule: "new-country", subject: "k", value: "BR", at: 3 },
    ]);
  });

  test("what no country is known of says nothing about countries; no name is a name", () => {
    expect(rulesOf([used(1, "cursor", null)], known)).toEqual([]);
    expect(rulesOf([used(1, "a", null, "x"), used(2, "a", "PT", "x")])).toEqual([]);
    expect(findings([used(1, null, "PT")], 0, known)).toMatchObject([{ rule: "new-client", value: "unnamed" }]);
  });
});

test("an alert in one look is the same in many: in whatever steps the entries are judged [A14]", () => {
  const failures = fc.array(fc.integer({ min: 0, max: 40 * minute }), { minLength: 1, maxLength: 60 }).map((instants) =>
    instants.sort((a, b) => a - b).map((at, i) => ({ ...event("authenticate.unknown", at), id: i + 1 })));
  fc.assert(fc.property(failures, fc.integer({ min: 1, max: 20 }), (events, step) => {
    const whole = findings(events, 0, nobodyKnown);
    const told: number[] = [];
    for (let after = 0; after < events.length; after += step) {
      // As the store does with what is like an alert that was raised shortly before.
      for (const { at } of findings(events.slice(0, after + step), after, nobodyKnown)) if (!told.some((earlier) => earlier > at - quietMs)) told.push(at);
    }
    expect(told).toEqual(whole.map(({ at }) => at));
    const crossed = events.filter(({ at, id }) => events.filter((other) => other.id <= id && other.at > at - failedKeysOfTeam.withinMs).length >= failedKeysOfTeam.failures);
    expect(whole.length > 0).toBe(crossed.length > 0);
    if (crossed[0]) expect(whole[0]?.at).toBe(crossed[0].at);
  }));
});
