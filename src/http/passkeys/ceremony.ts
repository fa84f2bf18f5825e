import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import * as z from "zod";
import type { Passkey, ProvenPasskey } from "../../domain/tenancy/passkeys.ts";
import type { Person } from "../../domain/tenancy/sign-in-store.ts";

/** The state of a ceremony that is kept until the browser answers. */
export const registrationState = z.object({ challenge: z.string(), userId: z.string() });
export const authenticationState = z.object({ challenge: z.string() });

const base64url = z.string().max(16_384).regex(/^[A-Za-z0-9_-]*$/);
const credential = { id: base64url.min(1), rawId: base64url.min(1), type: z.literal("public-key"), authenticatorAttachment: z.string().nullish(), clientExtensionResults: z.record(z.string(), z.unknown()) };

/** As browsers write it with `toJSON` (WebAuthn Level 3 section 5.1). */
export const registrationAnswer = z.object({
  name: z.string().max(200),
  credential: z.object({
    ...credential,
    response: z.object({ clientDataJSON: base64url, attestationObject: base64url, transports: z.array(z.string().max(32)).max(10).default([]) }),
  }),
});

export const authenticationAnswer = z.object({
  credential: z.object({
    ...credential,
    response: z.object({ clientDataJSON: base64url, authenticatorData: base64url, signature: base64url, userHandle: base64url.nullish() }),
  }),
});

/** Loaded when a passkey is first used: its parsers of certificates take time at start-up that most requests never need. */
const webauthn = () => import("@simplewebauthn/server");

/** The name and origin of the site: browsers bind passkeys to its name, and signatures to its origin. */
export interface Site {
  origin: string;
  id: string;
}

export const siteOf = (origin: string): Site => ({ origin, id: new URL(origin).hostname });

const rpName = "OmniMemory";
/** ES256, EdDSA, RS256: what authenticators have, and nothing weaker. */
const algorithms = [-7, -8, -257];
const verified = { requireUserVerification: true } as const;
const toBase64url = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const fromBase64url = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));

export async function registrationOptions(site: Site, person: Person, known: readonly Passkey[]) {
  const { generateRegistrationOptions } = await webauthn();
  return generateRegistrationOptions({
    rpName,
    rpID: site.id,
    userName: person.name,
    userDisplayName: person.name,
    userID: Uint8Array.from(new TextEncoder().encode(person.userId)),
    attestationType: "none",
    excludeCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    // Discoverable, so that nobody types a name; verified, so that the device alone is not enough.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: algorithms,
  });
}

/** The new key, if the answer proves one for this challenge. */
export async function provenRegistration(site: Site, challenge: string, answer: z.output<typeof registrationAnswer>["credential"]): Promise<ProvenPasskey | undefined> {
  const { verifyRegistrationResponse } = await webauthn();
  const proof = await orNothing(verifyRegistrationResponse({
    // Checked by zod above; the library's type has no `undefined` beside its optional fields.
    response: answer as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    supportedAlgorithmIDs: algorithms,
    ...verified,
  }));
  if (!proof?.verified) return undefined;
  const { credential, credentialBackedUp } = proof.registrationInfo;
  return { credentialId: credential.id, publicKey: toBase64url(credential.publicKey), counter: credential.counter, transports: answer.response.transports, backedUp: credentialBackedUp };
}

export async function authenticationOptions(site: Site) {
  const { generateAuthenticationOptions } = await webauthn();
  // No list of credentials: it would reveal who has any.
  return generateAuthenticationOptions({ rpID: site.id, userVerification: "required", allowCredentials: [] });
}

/** The passkey's new counter and backup state, if the answer proves its use for this challenge. */
export async function provenUse(
  site: Site,
  challenge: string,
  passkey: Passkey,
  answer: z.output<typeof authenticationAnswer>["credential"],
): Promise<{ counter: number; backedUp: boolean } | undefined> {
  const { userHandle } = answer.response;
  if (userHandle != null && new TextDecoder().decode(fromBase64url(userHandle)) !== passkey.userId) return undefined;
  const { verifyAuthenticationResponse } = await webauthn();
  const proof = await orNothing(verifyAuthenticationResponse({
    response: answer as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    credential: { id: passkey.credentialId, publicKey: fromBase64url(passkey.publicKey), counter: passkey.counter },
    ...verified,
  }));
  return proof?.verified ? { counter: proof.authenticationInfo.newCounter, backedUp: proof.authenticationInfo.credentialBackedUp } : undefined;
}

/** The library throws at what a browser sent wrongly: an answer like any other, which the audit notes. */
const orNothing = <Proof>(checking: Promise<Proof>): Promise<Proof | undefined> => checking.catch(() => undefined);
