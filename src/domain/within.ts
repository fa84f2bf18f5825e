/** What comes in time; `undefined` when nothing did. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
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

/** @throws Late when nothing came in time; the work goes on unheard */
export async function inTime<T>(ms: number, work: Promise<T>): Promise<T> {
  const done = await within(ms, work.then((value) => ({ value })));
  if (!done) throw new Late(`No answer within ${ms} ms`);
  return done.value;
}

export class Late extends Error {}
