import * as z from "zod";
import { sha256Hex } from "../hash.ts";
import { decrypt, encrypt, importKey } from "../secrets/aes-gcm.ts";
import { sourceOf } from "./audit-entry.ts";
import { type AttemptStore, attemptMs } from "./sign-in-attempts.ts";
import type { Person } from "./sign-in-store.ts";
import { newToken, tokenHashOf } from "./web-session.ts";

/** Far longer than any request of a client that means well. */
export const maxWayBackLength = 16_384;
/** Anybody who is not signed in may begin one; past so many a sign-in ends on the account page. */
const maxOpen = 5_000;

/** The page to which a person returns after signing in. */
export interface WayBack {
  path: string;
  /** The person it belongs to, if somebody was signed in: nobody else continues what they began. */
  userId?: string | undefined;
}

const stored = z.object({ sealed: z.string() });
const wayBack = z.object({ path: z.string(), userId: z.string().optional() });

/**
 * Keeps a way back for the browser that will hold the token that is answered, in the place of the one that it had. The path
 * may hold the token of an invitation, so it is encrypted with a key that only this browser's token gives.
 */
export async function keepWayBack(attempts: AttemptStore, way: WayBack, replacedToken: string | undefined, now: number, address?: string): Promise<string | undefined> {
  if (way.path.length > maxWayBackLength) return undefined;
  const token = newToken();
  const sealed = await encrypt(await keyOf(token), about, new Uint8Array(new TextEncoder().encode(JSON.stringify(way))));
  const attempt = { tokenHash: await sha256Hex(token), kind: "way-back", data: { sealed, source: sourceOf(address) }, createdAt: now, expiresAt: now + attemptMs } as const;
  return (await attempts.insertAttemptBelow(attempt, await tokenHashOf(replacedToken), maxOpen)) ? token : undefined;
}

/** The way back of this person, if the browser has one; a look at it leaves it there. */
export async function readWayBack(attempts: AttemptStore, token: string | undefined, person: Pick<Person, "userId">, now: number): Promise<string | undefined> {
  return opened(token, person, (tokenHash) => attempts.readAttempt(tokenHash, "way-back", now));
}

/** The same, once. Whoever signs in instead of the person who began it has ended it. */
export async function takeWayBack(attempts: AttemptStore, token: string | undefined, person: Pick<Person, "userId">, now: number): Promise<string | undefined> {
  return opened(token, person, (tokenHash) => attempts.takeAttempt(tokenHash, "way-back", now));
}

async function opened(
  token: string | undefined,
  { userId }: Pick<Person, "userId">,
  find: (tokenHash: string) => Promise<{ data: unknown } | undefined>,
): Promise<string | undefined> {
  const tokenHash = await tokenHashOf(token);
  const attempt = tokenHash === undefined ? undefined : await find(tokenHash);
  if (token === undefined || attempt === undefined) return undefined;
  const plain = await decrypt(await keyOf(token), about, stored.parse(attempt.data).sealed);
  const way = wayBack.parse(JSON.parse(new TextDecoder().decode(plain)));
  return way.userId === undefined || way.userId === userId ? way.path : undefined;
}

const about = "omnimemory/way-back/1";

/** Not the digest under which the token is found. */
async function keyOf(token: string): Promise<CryptoKey> {
  return importKey(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${about}:${token}`))));
}
