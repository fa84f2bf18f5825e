/** Mail domains (`@example.com`, not what is below them) and addresses (`ada@example.org`), in lower case. */
export type AllowList = readonly string[];

/** ASCII only: what other letters become in lower case may be a letter of somebody else's domain (`K`, the sign of kelvin). */
export const inLowerCase = (address: string): string => address.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** One local part, one domain: of an address with more signs in it, others may read another domain than we do. */
const plainAddress = /^[^\s@"]+(@[^\s@"]+)$/;

/** Whether one of these addresses, which the issuer has verified, is on the list. Without a list everybody is. */
export const isAllowed = (allow: AllowList | undefined, verified: readonly string[]): boolean =>
  allow === undefined ||
  verified.some((address) => {
    const [whole, domain] = plainAddress.exec(inLowerCase(address)) ?? [];
    return whole !== undefined && domain !== undefined && (allow.includes(whole) || allow.includes(domain));
  });
