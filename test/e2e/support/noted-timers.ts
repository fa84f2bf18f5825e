/** How long each timer of this Worker was set for, ms, in order: what it waits for, on however slow a machine. Emptied by whoever reads it. */
export const notedTimers: number[] = [];

const real = globalThis.setTimeout;
globalThis.setTimeout = ((run: () => void, ms: number, ...rest: []) => {
  notedTimers.push(ms);
  return real(run, ms, ...rest);
}) as typeof globalThis.setTimeout;
