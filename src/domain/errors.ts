/**
 * Error codes of the memory-server document, section 12, plus NOT_FOUND (of what is no memory), CONFLICT (optimistic versions, features B row 2), QUOTA_EXCEEDED, STORAGE_FULL
 * and FRESH_SIGN_IN_REQUIRED (pages and REST by a browser).
 */
export const errorCodes = [
  "INVALID_SESSION",
  "MEMORY_NOT_FOUND",
  "NOT_FOUND",
  "PERMISSION_DENIED",
  "FRESH_SIGN_IN_REQUIRED",
  "PROVIDER_ERROR",
  "VALIDATION_ERROR",
  "RATE_LIMIT_EXCEEDED",
  "QUOTA_EXCEEDED",
  "CONFLICT",
  "STORAGE_FULL",
  "INTERNAL_ERROR",
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/**
 * The only error a caller sees. `message` says what is wrong, `hint` how to repair the call;
 * both are written by us, never copied from a dependency.
 */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; details?: Record<string, unknown> } = {}) {
    super(message);
    this.name = "DomainError";
    this.code = code;
    this.hint = options.hint;
    this.details = options.details;
  }
}

export const invalid = (message: string, hint?: string, details?: Record<string, unknown>): DomainError =>
  new DomainError("VALIDATION_ERROR", message, { ...(hint ? { hint } : {}), ...(details ? { details } : {}) });

export const unknownCursor = (): DomainError => invalid("The cursor is not one that this server gave.", "Pass next_cursor of the page before, unchanged, or leave it out.");

/** `fresh`: what a new key is for. */
export const usedIdempotencyKey = (fresh: string): DomainError =>
  invalid("This idempotency key was used before with different content.", `Use a new idempotency_key for ${fresh}; repeat a call only with exactly the same arguments.`);

export const forbidden = (message: string, hint?: string): DomainError =>
  new DomainError("PERMISSION_DENIED", message, hint ? { hint } : {});

/** Of a memory; of everything else, such as a team or a session, the next. */
export const noMemory = (what: string, hint?: string): DomainError =>
  new DomainError("MEMORY_NOT_FOUND", what, hint ? { hint } : {});

export const noMemoryWithId = (id: string | number, hint = "List or search to find its id."): DomainError => noMemory(`There is no memory with the id ${id}.`, hint);

export const notFound = (what: string, hint?: string): DomainError =>
  new DomainError("NOT_FOUND", what, hint ? { hint } : {});

export const storageFull = (): DomainError =>
  new DomainError("STORAGE_FULL", "The server's storage is full. Nothing was stored; what is there can be read.", {
    hint: "Whoever runs the server frees room on its disk; then do the same again.",
  });

/** SQLite and D1 say it in words only, somewhere along the chain of causes. */
const fullWords = /SQLITE_FULL|database or disk is full|exceeded maximum (?:DB|database) size/i;

/** The error as a caller sees it; undefined for a fault, which is only logged. */
export function asDomainError(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return error;
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (fullWords.test(cause.message)) return storageFull();
  return undefined;
}
