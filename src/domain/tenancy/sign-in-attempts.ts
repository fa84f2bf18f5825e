import { sha256Hex } from "../hash.ts";
import { newToken, tokenHashOf } from "./web-session.ts";

export type AttemptKind = "upstream" | "passkey-registration" | "passkey-authentication";

export interface Attempt {
  tokenHash: string;
  kind: AttemptKind;
  data: Record<string, unknown>;
  createdAt: number;
  expiresAt: number;
}

export interface AttemptDirectory {
  insertAttempt(attempt: Attempt): Promise<void>;
  /** Takes it: of two who ask, one gets it. */
  takeAttempt(tokenHash: string, kind: AttemptKind, now: number): Promise<Attempt | undefined>;
}

/** Time enough to find a second factor. */
export const attemptMs = 10 * 60_000;

/** What was begun is finished in the browser that holds the token, once. */
export async function beginAttempt(attempts: AttemptDirectory, kind: AttemptKind, data: Record<string, unknown>, now: number): Promise<string> {
  const token = newToken();
  await attempts.insertAttempt({ tokenHash: await sha256Hex(token), kind, data, createdAt: now, expiresAt: now + attemptMs });
  return token;
}

export async function takeAttempt(attempts: AttemptDirectory, kind: AttemptKind, token: string | undefined, now: number): Promise<Record<string, unknown> | undefined> {
  const tokenHash = await tokenHashOf(token);
  return tokenHash === undefined ? undefined : (await attempts.takeAttempt(tokenHash, kind, now))?.data;
}
