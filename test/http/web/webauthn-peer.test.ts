import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import fc from "fast-check";
import { expect, test } from "vitest";
import { provenRegistration, provenUse } from "../../../src/http/passkeys/ceremony.ts";
import { Authenticator, base64url, type Scheme } from "./authenticator.ts";

const site = { id: "localhost", origin: "http://localhost" };
const userId = "u-1";
const challenge = base64url(Uint8Array.from({ length: 32 }, (_, i) => i));
const expected = { expectedChallenge: challenge, expectedOrigin: site.origin, expectedRPID: site.id, requireUserVerification: true };
const user = { id: base64url(new TextEncoder().encode(userId)) };

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));

/** One bit of one field turned, or its end cut off. */
const damages = fc.record({ field: fc.constantFrom("clientDataJSON", "attestationObject", "authenticatorData", "signature"), at: fc.nat(), bit: fc.nat(7), cut: fc.boolean() }, { noNullPrototype: true });
type Damage = typeof damages extends fc.Arbitrary<infer T> ? T : never;

function damaged(credential: any, { field, at, bit, cut }: Damage): any {
  if (credential.response[field] === undefined) return credential;
  const bytes = bytesOf(credential.response[field]);
  const index = at % bytes.length;
  bytes[index]! ^= 1 << bit;
  return { ...credential, response: { ...credential.response, [field]: base64url(cut ? bytes.subarray(0, index) : bytes) } };
}

const passkeyOf = (key: { credentialId: string; publicKey: string; counter: number; transports: string[]; backedUp: boolean }) => ({ ...key, userId, name: "x", createdAt: 0, lastUsedAt: null });

test.each(["ES256", "EdDSA", "RS256"] satisfies Scheme[])("registrations and uses with %s that @simplewebauthn/server refuses are refused, and what it takes undamaged is taken [A13]", async (scheme) => {
  const device = await Authenticator.make(scheme);
  const created: any = await device.create({ challenge, rp: { id: site.id }, user });
  const ours = await provenRegistration(site, challenge, created);
  const theirs = await verifyRegistrationResponse({ response: created, ...expected });
  expect(theirs.verified).toBe(true);
  expect(ours).toEqual({ credentialId: theirs.registrationInfo?.credential.id, publicKey: base64url(theirs.registrationInfo!.credential.publicKey), counter: 0, transports: ["internal"], backedUp: false });

  const used: any = await device.get({ challenge, rpId: site.id });
  const credential = { id: ours!.credentialId, publicKey: bytesOf(ours!.publicKey), counter: 0 };
  expect(await provenUse(site, challenge, passkeyOf(ours!), used)).toEqual({ counter: 1, backedUp: false });
  expect((await verifyAuthenticationResponse({ response: used, ...expected, credential })).verified).toBe(true);

  await fc.assert(fc.asyncProperty(damages, async (damage) => {
    const use = damaged(used, damage);
    const good = await verifyAuthenticationResponse({ response: use, ...expected, credential }).then(({ verified }) => verified, () => false);
    if (!good) expect(await provenUse(site, challenge, passkeyOf(ours!), use)).toBeUndefined();

    // Attestations are not read here: what the library refuses and this takes differs in nothing else.
    const registration = damaged(created, damage);
    const taken = await provenRegistration(site, challenge, registration);
    const read = await verifyRegistrationResponse({ response: registration, ...expected }).then(({ registrationInfo }) => registrationInfo, () => undefined);
    if (taken && read) expect([taken.credentialId, taken.publicKey, taken.counter]).toEqual([read.credential.id, base64url(read.credential.publicKey), read.credential.counter]);
    if (taken && !read) expect(damage.field).toBe("attestationObject");
  }), { numRuns: 300 });
});
