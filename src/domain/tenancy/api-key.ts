import { sha256Hex } from "../hash.ts";
import { randomBase62 } from "../ids.ts";

/**
 * API keys read `omn_<keyid>_<secret>` (omnimemory document, Security): the key id is the primary key of
 * the record, the secret has 190 bits and is stored only as SHA-256. Random secrets need no slow hash.
 */
export interface ApiKeyParts {
  keyId: string;
  secret: string;
}

const pattern = /^omn_([0-9A-Za-z]{16})_([0-9A-Za-z]{32})$/;

/** `digits`: 48 that nobody else knows; in hex they leave the secret 128 bits. */
export function newApiKey(digits = randomBase62(48)): ApiKeyParts & { token: string } {
  const [keyId, secret] = [digits.slice(0, 16), digits.slice(16, 48)];
  return { keyId, secret, token: formatApiKey({ keyId, secret }) };
}

export const formatApiKey = ({ keyId, secret }: ApiKeyParts): string => `omn_${keyId}_${secret}`;

export function parseApiKey(token: string): ApiKeyParts | undefined {
  const match = pattern.exec(token);
  return match ? { keyId: match[1] as string, secret: match[2] as string } : undefined;
}

/** The stored form of a key: SHA-256 of its secret, lower-case hex. */
export const hashSecret = sha256Hex;

/** Compares two hex digests of equal length without leaking where they differ. */
export function equalDigests(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i += 1) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
