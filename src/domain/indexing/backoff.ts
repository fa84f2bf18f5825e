const second = 1_000;
const minute = 60 * second;

/** ms to wait after so many failures in a row: doubles each time, up to `most`. */
export const backoff = ({ first, most }: { first: number; most: number }, failures: number): number =>
  Math.min(most, first * 2 ** Math.min(failures - 1, 30));

/** A provider that is away is mostly back within seconds; after a long outage, work goes on within five minutes. */
export const stageRetry = { first: 2 * second, most: 5 * minute };

/** A provider mostly refuses the same text again; one that was repaired gets it within the hour. */
export const memoryRetry = { first: minute, most: 60 * minute };
