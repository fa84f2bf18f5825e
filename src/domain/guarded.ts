/** Does one part of scheduled work; what fails is reported, and the other parts go on. */
export async function guarded(ports: { report(event: string, error: unknown): void }, event: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    ports.report(event, error);
  }
}
