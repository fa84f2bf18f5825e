import type { Principal } from "../tenancy/principal.ts";
import type { Memory } from "./memory.ts";
import type { MemoryWrite, MemoryWriter, WriteContext } from "./memory-store.ts";

/** Rows of one transaction: their JSON must stay below D1's 2 MB for a parameter. */
export const maxBatchBytes = 1_500_000;
/** At most what a memory takes there: columns of JSON are quoted twice, and the names of all columns come beside them. */
const bytesOf = (memory: Memory): number => 2 * new TextEncoder().encode(JSON.stringify(memory)).byteLength + 500;

/** As many changes as there are, in transactions that D1 takes: each is written whole, and those before a failure stay. @throws WriteConflict */
export async function commitAll(writer: Pick<MemoryWriter, "commit">, principal: Principal, write: WriteContext, writes: readonly MemoryWrite[]): Promise<void> {
  let batch: MemoryWrite[] = [];
  let room = maxBatchBytes;
  for (const one of writes) {
    const bytes = bytesOf(one.memory);
    if (bytes > room && batch.length > 0) {
      await writer.commit(principal, write, batch);
      [batch, room] = [[], maxBatchBytes];
    }
    batch.push(one);
    room -= bytes;
  }
  if (batch.length > 0) await writer.commit(principal, write, batch);
}
