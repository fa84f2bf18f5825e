import { DomainError } from "../errors.ts";
import type { Credential } from "./principal.ts";

/** A browser that somebody left open must not become a way in that lasts, nor the end of an account or a team. */
export const freshSignInMs = 10 * 60_000;

/**
 * Every change of the ways in, keys that last or administer, and what cannot be taken back ask for a sign-in of the last ten
 * minutes: a session lives for weeks, and whoever finds it open or copies its cookie is not its person.
 *
 * @throws FRESH_SIGN_IN_REQUIRED
 */
export function requireFreshSignIn(signedInAt: number, now: number): void {
  if (signedInAt > now - freshSignInMs) return;
  throw new DomainError("FRESH_SIGN_IN_REQUIRED", `You signed in more than ${freshSignInMs / 60_000} minutes ago, and this is only for somebody who just has.`, {
    hint: "Sign in again at /sign-in?again and repeat the request.",
  });
}

/** The same of a principal. A key has nothing to sign in with: it proves itself by its secret at every call. */
export function requireFreshCredential(credential: Credential, now: number): void {
  if (credential.kind === "web-session") requireFreshSignIn(credential.signedInAt, now);
}

export const needsFreshSignIn = (error: unknown): boolean => error instanceof DomainError && error.code === "FRESH_SIGN_IN_REQUIRED";
