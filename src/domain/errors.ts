/**
 * Error codes of the memory-server document, section 12, plus CONFLICT (optimistic versions, features B row 2), QUOTA_EXCEEDED, STORAGE_FULL
 * and FRESH_SIGN_IN_REQUIRED (pages and REST by a browser).
 */
export const errorCodes = [
  "INVALID_SESSION",
  "MEMORY_NOT_FOUND",
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
 * The only error a caller sees. `message` says what is wrong, `mend` how to repair the call;
 * both are written by us, never copied from a dependency.
 */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly mend: string | undefined;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, options: { mend?: string; details?: Record<string, unknown> } = {}) {
    super(message);
    this.name = "DomainError";
    this.code = code;
    this.mend = options.mend;
    this.details = options.details;
  }
}

export const invalid = (message: string, mend?: string, details?: Record<string, unknown>): DomainError =>
  new DomainError("VALIDATION_ERROR", message, { ...(mend ? { mend } : {}), ...(details ? { details } : {}) });

export const forbidden = (message: string, mend?: string): DomainError =>
  new DomainError("PERMISSION_DENIED", message, mend ? { mend } : {});

export const notFound = (what: string, mend?: string): DomainError =>
  new DomainError("MEMORY_NOT_FOUND", what, mend ? { mend } : {});

export const storageFull = (): DomainError =>
  new DomainError("STORAGE_FULL", "The server's storage is full. Nothing was stored; what is there can be read.", {
    mend: "Whoever runs the server frees room on its disk; then do the same again.",
  });

/** SQLite and D1 say it in words only, somewhere along the chain of causes. */
const fullWords = /SQLITE_FULL|database or disk is full|exceeded maximum (?:DB|database) size/i;

/** What a caller is told of an error; undefined for a fault, of which they are told nothing. */
export function asDomainError(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return error;
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (fullWords.test(cause.message)) return storageFull();
  return undefined;
}
