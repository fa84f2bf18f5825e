import { invalid } from "../errors.ts";
import type { MemoryState } from "./memory-fields.ts";

/** @throws VALIDATION_ERROR where no instant lies between the bounds: such a memory would never hold. */
export function requireValidity({ validFrom, validTo }: Pick<MemoryState, "validFrom" | "validTo">): void {
  if (validFrom === null || validTo === null || validFrom < validTo) return;
  throw invalid("valid_to is not later than valid_from.", "Give a valid_to after valid_from, or leave one of them out: that end is open then.");
}
