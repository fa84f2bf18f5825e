import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callsPerBlock, Gate } from "../../src/session/gate.ts";
import { type Admission, RateLimit } from "../../src/session/rate-limit.ts";

const minute = 60_000;
const start = Date.UTC(2026, 10, 21);

const admitted = (limit: RateLimit, times: number, now: number, key = "key"): Admission[] => Array.from({ length: times }, () => limit.admit(key, now));
const count = (admissions: Admission[]): number => admissions.filter((admission) => admission.admitted).length;

describe("the limit of one key [S17] [A14]", () => {
  test("a busy start may make 120 requests, and no more for the rest of the minute", () => {
    const limit = new RateLimit();
    expect(count(admitted(limit, 130, start))).toBe(120);
    expect(count(admitted(limit, 10, start + minute - 1))).toBe(0);
    expect(limit.admit("key", start + minute).admitted).toBe(true);
  });

  test("who never stops asking gets 100 a minute and little more: the burst is not there every minute", () => {
    const limit = new RateLimit();
    let served = 0;
    const minutes = 30;
    for (let at = 0; at < minutes * minute; at += 250) served += count(admitted(limit, 1, start + at));
    expect(served).toBeGreaterThanOrEqual(100 * minutes);
    expect(served).toBeLessThanOrEqual(110 * minutes);
  });

  test("the burst comes back after a quiet minute", () => {
    const limit = new RateLimit();
    admitted(limit, 130, start);
    expect(count(admitted(limit, 130, start + 2 * minute))).toBe(120);
  });

  test("one key's requests do not count against another's", () => {
    const limit = new RateLimit();
    admitted(limit, 200, start, "busy");
    expect(limit.admit("quiet", start).admitted).toBe(true);
  });

  test("a busy key is not held up until tomorrow when the server's clock is set back by a day", () => {
    const limit = new RateLimit();
    admitted(limit, 130, start + 24 * 60 * minute);
    expect(count(admitted(limit, 130, start))).toBe(120);
    expect(limit.admit("key", start + minute).admitted).toBe(true);
  });

  test("Retry-After says when the next place is free, to the second", () => {
    const limit = new RateLimit();
    admitted(limit, 120, start);
    expect(limit.admit("key", start + 20_500)).toEqual({ admitted: false, retryAfterSeconds: 40 });
  });
});

/** Gaps between requests: hundreds of one pace, from bursts at one instant to idling, with pauses of up to minutes between them. */
const stretch = fc.tuple(fc.constantFrom(0, 5, 100, 400, 700, 2_000), fc.integer({ min: 1, max: 200 }), fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })));
const gaps = fc
  .array(fc.tuple(stretch, fc.integer({ min: 0, max: 2 * minute })), { minLength: 1, maxLength: 6, size: "max" })
  .map((stretches) => stretches.flatMap(([[pace, length, random], pause]) => [pause, ...[...random.take(length)].map((part) => Math.round(part * pace))]));

describe("the limit against a brute-force count, over any arrival of requests [S17] [A14]", () => {
  test("never more than 120 in any 60 s, never refused below 100 in the last 60 s, and Retry-After is enough", () => {
    let refusals = 0;
    fc.assert(
      fc.property(gaps, fc.array(fc.constantFrom(1, 1, 1, 10), { minLength: 1, maxLength: 5 }), (steps, costs) => {
        const limit = new RateLimit();
        let served: number[] = [];
        const inWindow = (now: number): number => (served = served.filter((at) => at > now - minute)).length;
        let now = start;
        for (const [n, step] of steps.entries()) {
          now += step;
          const cost = costs[n % costs.length] as number;
          const serve = (): void => void Array.from({ length: cost }, () => served.push(now));
          const before = inWindow(now);
          const answer = limit.admit("key", now, cost);
          if (answer.admitted) {
            serve();
            expect(before + cost).toBeLessThanOrEqual(120);
            continue;
          }
          refusals += 1;
          expect(before + cost).toBeGreaterThan(100);
          expect(answer.retryAfterSeconds).toBeGreaterThanOrEqual(1);
          expect(answer.retryAfterSeconds).toBeLessThanOrEqual(60);
          // Who waits that long, and asks again, is let in.
          now += answer.retryAfterSeconds * 1_000;
          expect(limit.admit("key", now, cost).admitted).toBe(true);
          serve();
        }
      }),
      { numRuns: 200 },
    );
    expect(refusals).toBeGreaterThan(0);
  });
});

describe("limits beyond that of one key", () => {
  const who = (credentialId: string) => ({ credentialId, teamId: "t" });
  const charged = async (gate: Gate, credentialId: string, calls: number, cost = 1): Promise<number> => {
    let passed = 0;
    for (let n = 0; n < calls; n += 1) if (!(await gate.charge(who(credentialId), cost, start))) passed += 1;
    return passed;
  };

  test("all keys of a person together may do what a person may", async () => {
    const gate = new Gate(undefined);
    const passed = [];
    for (const key of ["a", "b", "c", "d"]) passed.push(await charged(gate, key, 130));
    expect(passed).toEqual([120, 120, 120, 0]);
    expect(await gate.charge(who("e"), 1, start)).toEqual({ message: expect.stringContaining("this person made more than 300"), retryAfterSeconds: 60 });
  });

  test("a call counts for what it costs, and one that costs too much takes nothing", async () => {
    const gate = new Gate(undefined);
    expect([await charged(gate, "a", 2, 60), await charged(gate, "a", 1)]).toEqual([2, 0]);
    const other = new Gate(undefined);
    expect([await charged(other, "a", 1, 70), await charged(other, "a", 1, 60), await charged(other, "a", 50)]).toEqual([1, 0, 50]);
  });

  test("a team's calls are bought in blocks, also by calls side by side, and refused when there are no more", async () => {
    const bought: string[] = [];
    const team = { limit: async ({ key }: { key: string }) => ({ success: bought.push(key) <= 4 }) };
    const gate = new Gate(team);
    await Promise.all(Array.from({ length: callsPerBlock * 2 }, (_, n) => gate.charge(who(n % 2 ? "a" : "b"), 1, start)));
    expect(bought).toEqual(["t", "t"]);
    expect(await charged(gate, "c", 1, 50)).toBe(0);
    // What a refused call would have cost is there for others.
    expect(await charged(gate, "c", callsPerBlock * 2)).toBe(callsPerBlock * 2);
    expect(await gate.charge(who("d"), 1, start)).toEqual({ message: expect.stringContaining("this team"), retryAfterSeconds: 60 });
    // Calls that were not made in their minute are lost.
    expect(await gate.charge(who("d"), 1, start + minute)).toBeDefined();
  });
});
