import { sha256Hex } from "../hash.ts";
import { newToken, tokenHashOf } from "./web-session.ts";

export type AttemptKind = "upstream" | "passkey-registration" | "passkey-authentication" | "way-back" | "link";

export interface Attempt {
  tokenHash: string;
  kind: AttemptKind;
  data: Record<string, unknown>;
  createdAt: number;
  expiresAt: number;
}

export interface AttemptStore {
  insertAttempt(attempt: Attempt): Promise<void>;
  /** In the place of `replaced`. `false` when there are `maxOpen` of this kind, or a hundredth of that with the `source` of its data: strangers may begin them without end. */
  insertAttemptBelow(attempt: Attempt, replaced: string | undefined, maxOpen: number): Promise<boolean>;
  /** Without taking it. */
  readAttempt(tokenHash: string, kind: AttemptKind, now: number): Promise<Attempt | undefined>;
  /** Takes it: of two who ask, one gets it. */
  takeAttempt(tokenHash: string, kind: AttemptKind, now: number): Promise<Attempt | undefined>;
}

/** Time enough to find a second factor. */
export const attemptMs = 10 * 60_000;

/** Only the browser that holds the token finishes an attempt, once. */
export async function beginAttempt(attempts: AttemptStore, kind: AttemptKind, data: Record<string, unknown>, now: number): Promise<string> {
  const token = newToken();
  await attempts.insertAttempt({ tokenHash: await sha256Hex(token), kind, data, createdAt: now, expiresAt: now + attemptMs });
  return token;
}

export async function takeAttempt(attempts: AttemptStore, kind: AttemptKind, token: string | undefined, now: number): Promise<Record<string, unknown> | undefined> {
  const tokenHash = await tokenHashOf(token);
  return tokenHash === undefined ? undefined : (await attempts.takeAttempt(tokenHash, kind, now))?.data;
}
