import type { Timed } from "./client.ts";

export interface Probe {
  run: () => Promise<Timed>;
}

export interface Summary {
  samples: number;
  p50: number;
  p95: number;
  perSecond: number;
  bytes: number;
}

/** Nearest rank. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * fraction) - 1)] ?? Number.NaN;
}

export function summarise(samples: readonly Timed[], elapsedMs?: number): Summary {
  const times = samples.map((sample) => sample.ms);
  const total = elapsedMs ?? times.reduce((sum, ms) => sum + ms, 0);
  return {
    samples: samples.length,
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    perSecond: (samples.length * 1000) / total,
    bytes: percentile(samples.map((sample) => sample.bytes), 0.5),
  };
}

export interface InterleaveOptions {
  samples: number;
  warmUp: number;
  /** Calls of one probe in a row before the next probe's turn. */
  block?: number;
}

/**
 * Takes turns between the probes in short blocks, first and last block being the first probe's. Whatever else
 * the machine does meanwhile hits numerator and denominator of a ratio alike.
 */
export async function interleave<Name extends string>(
  probes: Record<Name, Probe>,
  { samples, warmUp, block = 20 }: InterleaveOptions,
): Promise<Record<Name, Timed[]>> {
  const names = Object.keys(probes) as Name[];
  const taken = Object.fromEntries(names.map((name) => [name, [] as Timed[]])) as Record<Name, Timed[]>;
  for (const name of names) {
    for (let i = 0; i < warmUp; i += 1) await probes[name].run();
  }
  const take = async (name: Name): Promise<void> => {
    for (let i = 0; i < block; i += 1) taken[name].push(await probes[name].run());
  };
  for (let done = 0; done < samples; done += block) {
    for (const name of names) await take(name);
  }
  await take(names[0] as Name);
  return taken;
}
