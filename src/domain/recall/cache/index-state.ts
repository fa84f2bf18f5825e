/** What the team's object and its organization's say of themselves; true of the instant when they were asked. */
export interface IndexState {
  /** Equal to an earlier one only if nothing changed since that the principal may find. */
  generation: string;
  /** Encrypts copies of what the principal is shown (`sealed-copy.ts`); another one as soon as they lose anything of it. */
  copyKey: string;
}

/**
 * A change concerning a memory that the index itself does not hold, for those who see this visibility key (`visibilityKeyOf`).
 */
export interface VisibilityChange {
  visibilityKey: string;
  memoryId: string;
}
