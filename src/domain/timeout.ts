/** The work's value, or `undefined` when it takes longer than `ms`. */
export async function tryWithTimeout<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let stop: () => void = () => undefined;
  const late = new Promise<undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    stop = () => clearTimeout(timer);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    stop();
  }
}

/** @throws TimeoutError when the work takes longer than `ms`; the work goes on, but nobody waits for it */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  const done = await tryWithTimeout(ms, work.then((value) => ({ value })));
  if (!done) throw new TimeoutError(`No answer within ${ms} ms`);
  return done.value;
}

export class TimeoutError extends Error {}
