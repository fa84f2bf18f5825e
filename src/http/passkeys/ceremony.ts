import * as z from "zod";
import { fromBase64url, toBase64url } from "../../domain/secrets/base64url.ts";
import type { Passkey, ProvenPasskey } from "../../domain/tenancy/passkeys.ts";
import type { Person } from "../../domain/tenancy/sign-in-store.ts";
import { algorithms } from "./cose-key.ts";
import { type Expected, verifyRegistration, verifyUse } from "./webauthn.ts";

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

/** The name and origin of the site: browsers bind passkeys to its name, and signatures to its origin. */
export interface Site {
  origin: string;
  id: string;
}

export const siteOf = (origin: string): Site => ({ origin, id: new URL(origin).hostname });

const rpName = "OmniMemory";
const timeout = 60_000;
const newChallenge = (): string => toBase64url(crypto.getRandomValues(new Uint8Array(32)));
const expectedOf = (site: Site, challenge: string): Expected => ({ origin: site.origin, rpId: site.id, challenge });

/** `PublicKeyCredentialCreationOptionsJSON` (WebAuthn Level 3, section 5.1.8). */
export function registrationOptions(site: Site, person: Person, known: readonly Passkey[]) {
  return {
    challenge: newChallenge(),
    rp: { name: rpName, id: site.id },
    user: { id: toBase64url(new TextEncoder().encode(person.userId)), name: person.name, displayName: person.name },
    pubKeyCredParams: algorithms.map((alg) => ({ alg, type: "public-key" })),
    timeout,
    attestation: "none",
    excludeCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports, type: "public-key" })),
    // Discoverable, so that nobody types a name; verified, so that the device alone is not enough.
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
  };
}

/** The new key, if the answer proves one for this challenge. */
export async function provenRegistration(site: Site, challenge: string, answer: z.output<typeof registrationAnswer>["credential"]): Promise<ProvenPasskey | undefined> {
  if (answer.id !== answer.rawId) return undefined;
  const proof = await orNothing(verifyRegistration(expectedOf(site, challenge), answer.id, answer.response));
  return proof && { credentialId: proof.id, publicKey: toBase64url(proof.publicKey), counter: proof.counter, transports: answer.response.transports, backedUp: proof.backedUp };
}

/** `PublicKeyCredentialRequestOptionsJSON`. No list of credentials: it would reveal who has any. */
export function authenticationOptions(site: Site) {
  return { rpId: site.id, challenge: newChallenge(), timeout, userVerification: "required" };
}

/** The passkey's new counter and backup state, if the answer proves its use for this challenge. */
export async function provenUse(
  site: Site,
  challenge: string,
  passkey: Passkey,
  answer: z.output<typeof authenticationAnswer>["credential"],
): Promise<{ counter: number; backedUp: boolean } | undefined> {
  if (answer.id !== answer.rawId || answer.id !== passkey.credentialId) return undefined;
  return orNothing(useOf(site, challenge, passkey, answer.response));
}

async function useOf(site: Site, challenge: string, passkey: Passkey, { userHandle, ...response }: z.output<typeof authenticationAnswer>["credential"]["response"]): Promise<{ counter: number; backedUp: boolean }> {
  if (userHandle != null && new TextDecoder().decode(fromBase64url(userHandle)) !== passkey.userId) throw new Error("a key of another person");
  return verifyUse(expectedOf(site, challenge), { publicKey: fromBase64url(passkey.publicKey), counter: passkey.counter }, response);
}

/** What a browser sent wrongly is an answer like any other, which the audit notes. */
const orNothing = <Proof>(checking: Promise<Proof>): Promise<Proof | undefined> => checking.catch(() => undefined);
