/** How long work is gathered: a write for each read would cost more than the read. */
const gatherMs = 1_000;

/** Runs `work` once for all calls within a second. What is lost when the object dies before is nothing that was promised. */
export function coalesce(work: () => void): () => void {
  let scheduled = false;
  return () => {
    if (scheduled) return;
    scheduled = true;
    setTimeout(() => {
      scheduled = false;
      work();
    }, gatherMs);
  };
}
