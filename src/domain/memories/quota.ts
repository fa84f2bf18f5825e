import { DomainError } from "../errors.ts";
import { grouped } from "./fields.ts";

/** How much a team may store. */
export interface TeamQuota {
  maxMemories: number;
  /** Text in memories, all their versions and links. */
  maxBytes: number;
}

/** A shard holds 10 GB, of which vectors and indexes take more than the text. */
export const defaultQuota: TeamQuota = { maxMemories: 250_000, maxBytes: 2 * 1024 ** 3 };

export interface StorageUse {
  memories: number;
  bytes: number;
}

/** In whole percent: exact numbers would reveal how much colleagues keep in private. */
export interface QuotaUse extends TeamQuota {
  memoriesPercent: number;
  bytesPercent: number;
}

export function quotaUse({ maxMemories, maxBytes }: TeamQuota, use: StorageUse): QuotaUse {
  const percent = (used: number, most: number): number => Math.floor((100 * used) / most);
  return { maxMemories, maxBytes, memoriesPercent: percent(use.memories, maxMemories), bytesPercent: percent(use.bytes, maxBytes) };
}

const makeRoom =
  "Erase memories that nobody needs (forgetting in mode erase takes their history along; archiving gives no room), or ask the operator of this server for a larger quota.";

/** The write did not fit; `use` is what the team stores without it. */
export function quotaExceeded({ maxMemories, maxBytes }: TeamQuota, { memories, bytes }: StorageUse): DomainError {
  return new DomainError(
    "QUOTA_EXCEEDED",
    `The team's storage has no room for this: it holds ${grouped(memories)} of at most ${grouped(maxMemories)} memories and, history included, ${grouped(bytes)} of at most ${grouped(maxBytes)} bytes.`,
    { hint: `${makeRoom} Nothing was written.`, details: { memories, max_memories: maxMemories, bytes, max_bytes: maxBytes } },
  );
}

/** The same in the middle of an import, whose first records are stored already. */
export function afterStored(error: unknown, stored: number): unknown {
  if (!(error instanceof DomainError) || error.code !== "QUOTA_EXCEEDED" || stored === 0) return error;
  const hint = `${makeRoom} The first ${stored} records are stored; import the same data again then, which leaves those as they are.`;
  return new DomainError(error.code, error.message, { hint, details: { ...error.details, stored } });
}
