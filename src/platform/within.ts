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
