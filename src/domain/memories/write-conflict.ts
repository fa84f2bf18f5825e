/** Another writer was first: the version or the key is taken. Nothing was written; read again. */
export class WriteConflict extends Error {}
