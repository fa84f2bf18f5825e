/** Another writer was first: the version or the key is taken. Nothing was written; read again. */
export class WriteConflict extends Error {}

/** Memories of the same readers state what was to be stored. Nothing was written. */
export class SaidAlready extends Error {
  readonly ids: readonly string[];

  constructor(ids: readonly string[]) {
    super("memories say this already");
    this.ids = ids;
  }
}
