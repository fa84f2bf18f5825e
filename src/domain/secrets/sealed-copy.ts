import { decrypt, encrypt, importKey } from "./aes-gcm.ts";

const utf8 = new TextEncoder();

/**
 * A copy of memory text outside of the truth: a kept answer, or a message that a client may ask for again. It is encrypted
 * with a key that only the indexes hold. They replace it when text is erased, becomes secret or reaches fewer people, so
 * that every copy from before is unreadable at once, wherever it lies (crypto-shredding: NIST SP 800-88, section 2.6).
 */
export async function sealCopy(copyKey: string, about: string, text: string): Promise<string> {
  return encrypt(await keyOf(copyKey), about, new Uint8Array(utf8.encode(text)));
}

/** `undefined` when the key was replaced since, or the copy is of something else. */
export async function openCopy(copyKey: string, about: string, sealed: string): Promise<string | undefined> {
  const plain = await decrypt(await keyOf(copyKey), about, sealed);
  return plain && new TextDecoder().decode(plain);
}

/** The same with the key as it is by then; `undefined` while nobody knows it. */
export const copiesWith = (copyKey: () => Promise<string | undefined>) => ({
  seal: async (about: string, text: string): Promise<string | undefined> => {
    const key = await copyKey();
    return key && sealCopy(key, about, text);
  },
  open: async (about: string, sealed: string): Promise<string | undefined> => {
    const key = await copyKey();
    return key && openCopy(key, about, sealed);
  },
});

const keyOf = async (copyKey: string): Promise<CryptoKey> => importKey(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8.encode(copyKey))));
