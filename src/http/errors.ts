import type { ErrorCode } from "../domain/errors.ts";

/** Error form of the memory-server document, section 12, for answers that no tool gives. */
export const errorBody = (code: string, message: string, requestId: string) => ({
  error: { code, message, timestamp: new Date().toISOString(), request_id: requestId },
});

/** `challenge`: what a client can do about it, as `WWW-Authenticate` says it. */
export const unauthorized = (message: string, requestId: string, challenge: string): Response =>
  Response.json(errorBody("INVALID_SESSION", message, requestId), { status: 401, headers: { "www-authenticate": challenge } });

export const keyChallenge = 'Bearer realm="omnimemory"';

export const noCredential = (requestId: string, challenge: string): Response =>
  unauthorized("Send your API key as Authorization: Bearer omn_….", requestId, challenge);

/** One text for every reason: an answer must not reveal which keys exist. */
export const invalidCredential = (requestId: string, challenge: string): Response =>
  unauthorized("The API key or access token is not valid. It may be mistyped, expired or revoked.", requestId, challenge);

/** HTTP statuses of the domain's errors. */
export const statusOf = {
  INVALID_SESSION: 401,
  MEMORY_NOT_FOUND: 404,
  NOT_FOUND: 404,
  PERMISSION_DENIED: 403,
  FRESH_SIGN_IN_REQUIRED: 403,
  PROVIDER_ERROR: 502,
  VALIDATION_ERROR: 400,
  RATE_LIMIT_EXCEEDED: 429,
  // Not 507: a client may repeat what a 5xx answers, and this stays refused until somebody makes room.
  QUOTA_EXCEEDED: 403,
  CONFLICT: 409,
  STORAGE_FULL: 507,
  INTERNAL_ERROR: 500,
} as const satisfies Record<ErrorCode, number>;
