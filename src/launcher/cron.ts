import type { Logger } from "./log.ts";
import { messageOf } from "./start-failure.ts";

const minuteMs = 60_000;

/** Minute, hour, day of month, month, day of week in UTC; numbers, `*`, lists, ranges and steps, as Cloudflare reads them. */
export function isDue(expression: string, at: Date): boolean {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== 5) throw new Error(`not a cron expression: ${expression}`);
  const now = [at.getUTCMinutes(), at.getUTCHours(), at.getUTCDate(), at.getUTCMonth() + 1, at.getUTCDay() + 1];
  return fields.every((field, index) => field.split(",").some((part) => covers(part, now[index] ?? 0, index < 2 ? 0 : 1)));
}

function covers(part: string, value: number, first: number): boolean {
  const match = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part);
  if (!match) throw new Error(`not supported in a cron expression here: ${part}`);
  const [, low, high, step] = match;
  const from = low === undefined ? first : Number(low);
  const to = high === undefined ? (low === undefined || step !== undefined ? Number.POSITIVE_INFINITY : from) : Number(high);
  return value >= from && value <= to && (value - from) % Number(step ?? 1) === 0;
}

/**
 * Cloudflare fires cron triggers; locally the launcher does, at the start of each minute. A run that takes longer than its
 * minute is not overtaken by the next one.
 */
export function startCron(expressions: readonly string[], fire: (cron: string, at: Date) => Promise<void>, log: Logger): { stop: () => void } {
  const running = new Set<string>();
  let timer: NodeJS.Timeout;

  const tick = (at: Date): void => {
    for (const cron of expressions) {
      if (running.has(cron) || !isDue(cron, at)) continue;
      running.add(cron);
      fire(cron, at)
        .catch((error: unknown) => log("error", `The scheduled work (${cron}) failed: ${messageOf(error)}`))
        .finally(() => running.delete(cron));
    }
    wait();
  };

  const wait = (): void => {
    const next = (Math.floor(Date.now() / minuteMs) + 1) * minuteMs;
    timer = setTimeout(() => tick(new Date(next)), next - Date.now());
  };

  for (const cron of expressions) isDue(cron, new Date());
  wait();
  return { stop: () => clearTimeout(timer) };
}
