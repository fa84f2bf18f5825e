import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isDue, startCron } from "../../src/launcher/cron.ts";

describe("isDue", () => {
  // Friday, 20 November 2026, 14:30 UTC. Cloudflare counts the days of the week from Sunday = 1.
  const at = new Date(Date.UTC(2026, 10, 20, 14, 30));
  test.each([
    ["* * * * *", true],
    ["30 14 * * *", true],
    ["*/15 * * * *", true],
    ["*/7 * * * *", false],
    ["0,30 * * * *", true],
    ["10-40/10 * * * *", true],
    ["10-29 * * * *", false],
    ["30 0-13 * * *", false],
    ["30 14 20 11 *", true],
    ["30 14 21 * *", false],
    ["30 14 * * 6", true],
    ["30 14 * * 1", false],
  ])("%s: %s", (expression, due) => {
    expect(isDue(expression, at)).toBe(due);
  });

  test.each(["* * * *", "* * * * MON", "@daily", "x * * * *"])("refuses %s instead of never firing it", (expression) => {
    expect(() => isDue(expression, at)).toThrow();
  });
});

describe("startCron", () => {
  beforeEach(() => vi.useFakeTimers({ now: Date.UTC(2026, 10, 20, 14, 29, 50) }));
  afterEach(() => vi.useRealTimers());

  test("fires at the start of each minute until it is stopped", async () => {
    const fired: string[] = [];
    const cron = startCron(["* * * * *", "31 * * * *"], async (expression, at) => void fired.push(`${expression} ${at.toISOString().slice(14, 19)}`), () => undefined);

    await vi.advanceTimersByTimeAsync(9_000);
    expect(fired).toEqual([]);
    await vi.advanceTimersByTimeAsync(2 * 60_000);
    expect(fired).toEqual(["* * * * * 30:00", "* * * * * 31:00", "31 * * * * 31:00"]);
    cron.stop();
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect(fired).toHaveLength(3);
  });

  test("does not overtake a run that takes longer than a minute, and goes on after one that failed", async () => {
    const log: string[] = [];
    let running = 0;
    let started = 0;
    const cron = startCron(
      ["* * * * *"],
      async () => {
        started += 1;
        running += 1;
        expect(running).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 90_000));
        running -= 1;
        throw new Error("no space left");
      },
      (level, message) => log.push(`${level}: ${message}`),
    );

    await vi.advanceTimersByTimeAsync(4 * 60_000);
    cron.stop();

    expect(started).toBe(2);
    expect(log[0]).toBe("error: The scheduled work (* * * * *) failed: no space left");
  });
});
