import * as z from "zod";
import { fromBase64url, toBase64url } from "../../domain/secrets/base64url.ts";
import { algorithms, firstItem, importCoseKey } from "./cose-key.ts";

/**
 * The checks of WebAuthn Level 3, sections 7.1 and 7.2, for passkeys of one site whose attestation nobody asks for. The statement of an
 * authenticator that sends one nevertheless is not read: with "none" in its place the same key would be taken.
 */
export interface Expected {
  origin: string;
  rpId: string;
  challenge: string;
}

export interface NewCredential {
  id: string;
  /** COSE. */
  publicKey: Uint8Array;
  counter: number;
  backedUp: boolean;
}

/** @throws when the answer proves no new key for this challenge */
export async function verifyRegistration(expected: Expected, id: string, answer: { clientDataJSON: string; attestationObject: string }): Promise<NewCredential> {
  checkClientData(expected, "webauthn.create", fromBase64url(answer.clientDataJSON));
  const { value: attestation } = firstItem(fromBase64url(answer.attestationObject));
  const bytes: unknown = attestation instanceof Map ? attestation.get("authData") : undefined;
  if (!(bytes instanceof Uint8Array)) throw new Error("no authenticator data");
  const { backedUp, counter } = await checkAuthenticatorData(expected, bytes);
  const { credentialId, publicKey } = attestedCredential(bytes);
  if (toBase64url(credentialId) !== id) throw new Error("another credential");
  // A key that verifies nothing would lock its person out.
  await importCoseKey(publicKey);
  return { id, publicKey, counter, backedUp };
}

/** @throws when the answer does not prove a use of this key for this challenge */
export async function verifyUse(
  expected: Expected,
  credential: { publicKey: Uint8Array; counter: number },
  answer: { clientDataJSON: string; authenticatorData: string; signature: string },
): Promise<{ counter: number; backedUp: boolean }> {
  const clientData = fromBase64url(answer.clientDataJSON);
  checkClientData(expected, "webauthn.get", clientData);
  const authenticatorData = fromBase64url(answer.authenticatorData);
  const { counter, backedUp } = await checkAuthenticatorData(expected, authenticatorData);
  const verifies = await importCoseKey(credential.publicKey);
  const signed = Uint8Array.from([...authenticatorData, ...(await sha256(clientData))]);
  if (!(await verifies(fromBase64url(answer.signature), signed))) throw new Error("signed by another key");
  // An authenticator that counts never goes back: this is a copy of it.
  if ((counter > 0 || credential.counter > 0) && counter <= credential.counter) throw new Error("a counter that went back");
  return { counter, backedUp };
}

const clientDataShape = z.object({ type: z.string(), challenge: z.string(), origin: z.string(), crossOrigin: z.boolean().optional(), topOrigin: z.string().optional() });

function checkClientData({ origin, challenge }: Expected, type: string, bytes: Uint8Array): void {
  const data = clientDataShape.parse(JSON.parse(new TextDecoder().decode(bytes)));
  if (data.type !== type) throw new Error("an answer of another kind");
  if (data.challenge !== challenge) throw new Error("an answer to another challenge");
  if (data.origin !== origin) throw new Error("an answer for another origin");
  // No page of ours may be framed.
  if (data.crossOrigin || data.topOrigin !== undefined) throw new Error("an answer from within another site's page");
}

const flag = { present: 0x01, verified: 0x04, backupEligible: 0x08, backedUp: 0x10, attested: 0x40, extensions: 0x80 };
/** Digest of the site's id, flags, counter (section 6.1). */
const headLength = 37;

async function checkAuthenticatorData({ rpId }: Expected, bytes: Uint8Array): Promise<{ counter: number; backedUp: boolean }> {
  if (bytes.length < headLength) throw new Error("authenticator data end too early");
  const digest = await sha256(Uint8Array.from(new TextEncoder().encode(rpId)));
  if (digest.some((byte, at) => bytes[at] !== byte)) throw new Error("an answer for another site");
  const flags = flagsOf(bytes);
  if ((flags & flag.present) === 0 || (flags & flag.verified) === 0) throw new Error("nobody was recognized");
  const backedUp = (flags & flag.backedUp) !== 0;
  if (backedUp && (flags & flag.backupEligible) === 0) throw new Error("a backup of what has none");
  return { counter: viewOf(bytes).getUint32(33), backedUp };
}

/** Section 6.5.1: 16 bytes of the authenticator's model, the credential's id, its key; extensions may follow, and nothing else. */
function attestedCredential(bytes: Uint8Array): { credentialId: Uint8Array; publicKey: Uint8Array } {
  const flags = flagsOf(bytes);
  if ((flags & flag.attested) === 0) throw new Error("no credential");
  const idFrom = headLength + 18;
  const idEnd = idFrom + viewOf(bytes).getUint16(idFrom - 2);
  if (idEnd - idFrom > 1_023 || idEnd > bytes.length) throw new Error("an id that is too long");
  const { value: key, end: keyEnd } = firstItem(bytes, idEnd);
  if (!(key instanceof Map) || !algorithms.includes(key.get(3) as number)) throw new Error("a key that was not asked for");
  const end = (flags & flag.extensions) === 0 ? keyEnd : firstItem(bytes, keyEnd).end;
  if (end !== bytes.length) throw new Error("bytes after the authenticator data");
  return { credentialId: bytes.slice(idFrom, idEnd), publicKey: bytes.slice(idEnd, keyEnd) };
}

const flagsOf = (bytes: Uint8Array): number => bytes[32] ?? 0;
const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const sha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
