import { isPlaceholder } from "./placeholders.ts";
import { callsItPin } from "./secret-names.ts";

/** `alpha2`, `read:v2`, `i18n:pull`: a name, unless it is called a secret. */
export const isNumbered = (value: string): boolean => /^[A-Z]{0,2}[a-z]+(?:[A-Z][a-z]+|[-_:.][A-Za-z]+){0,5}[-_:.]?[vV]?\d[kKmMbB]?$|^(?=.*:)(?:(?:^|[-_:./])(?:[a-z]+\d?|[a-z]\d\d?[a-z]))+$/.test(value);

/** Letters alone, and not a key of capitals. */
export const isWord = /^(?!\p{Lu}{12})\p{L}*$/u;

/** Calls, escapes and arrows. */
const sourceText = /^[{<]|\w\(|\)[.;,)]|^[.)]|\\|=>/;
const numbered = /Base(?:32|58|62|64)|[UuIi]+nt(?:8|16|32|64)|Float(?:32|64)|D1|OAuth2|[Ss]ha(?:1|256|512)|Utf(?:8|16)|Http2|K8s|Web3/;
/** A type or function that has a number in its name. */
const isNamed = (value: string): boolean => numbered.test(value) && /^[a-z]*(?:[A-Z][a-z]+)*$/.test(value.replace(numbered, "X").replace(/^X|X/, ""));

/** Of all four classes, which nothing else is that people write. */
const isOfGenerator = /^(?=[^\d]*\d)(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=.*[!#$%&*?@^~+=])[\w!#$%&*?@^~+=]{8,24}$/;

/** `Otter.lake.31`: words and a number that somebody put together; of those with dashes only what ends in the number, as `Level-3-Support` does not. */
export const isComposed = (value: string): boolean =>
  /^(?=\P{Lu}*\p{Lu})(?=\D*\d)(?:(?:\p{Lu}?\p{Ll}{2,}\d?|\d{1,4})(?:[_.+&~]|-(?=\D+_)|$)){3,}|^(?:\p{Lu}?\p{Ll}{2,}-){2,}\d{1,4}$/u.test(value) && /\p{Lu}/u.test(value) && !/release|version|sprint|build|team|windows|office|guest|(?:^|[-_.])(?:net|lab|lock|web|host|node|support|floor)(?![a-z])|[-.](?:19|20)\d\d$|\.(?:com|net|org|pdf|docx|xlsx|zip|csv|txt|png|jpg|md)$/i.test(value);

/** Not a word, a name, a measure or a date. */
export function isPasswordLike(value: string): boolean {
  // The last are names with a hash at the end.
  if (sourceText.test(value) || isNamed(value) || /^[a-z\d]+(?:-[a-z\d]+){0,4}-(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7,10}$|^(?:[Cc]trl|[Cc]md|[Aa]lt|[Ss]hift|[Mm]eta)[+-]|^[Xx]-[A-Za-z]|^[0-9A-F]{16}$/.test(value)) return false;
  if (isComposed(value)) return true;
  // An image and the commit it was built from.
  if (/^[a-z][a-z\d./-]*:(?:[0-9a-f]{7,8}|[0-9a-f]{12}|[0-9a-f]{40})$/.test(value)) return false;
  // What is assigned is looked at by its name; a path, a public key or a fingerprint is none.
  if (value.length < 6 || isPlaceholder(value) || /^(?:19|20)\d\d-|^[A-Z]+-\d+,|^AAAA|^0x|^(?:[\da-f]{2}:){5}|\d{4}-\d\d-\d\d|^SHA\d+:|^ssh-|:\d+:\d+$|[[\]]|^#[0-9a-f]{3,8}$|^[0-9a-f]{6,12}$|^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}/i.test(value)) return false;
  if (/^[a-z][\w.-]*@[a-z][a-z\d.-]*$|^(?:[a-z_.-]{2,}|[A-Z_]{3,}|[a-z]+[A-Z][a-zA-Z]{3,})=(?![!*+?&%@])/.test(value)) return false;
  if (/^\p{L}{3,}(?:[-._]\p{L}{3,}){3,}$/u.test(value)) return !/[-_](?:the|and|for|und|der|die)[-_]/.test(value);
  if (/^(?:[\w.+-]+@[\w-]+\.\w+|[\w.-]+\.(?:[a-z]{2,4}|json|yaml|html|toml|local|internal?)|[\w-]+(?:\.[\w-]+)+\.(?:[a-z]{2,6}|internal|example|localdomain))(?:[:/].*)?$/i.test(value)) return false;
  if (isKey(value) && value.length >= 16) return true;
  if (isOfGenerator.test(value)) return true;
  const words = value.match(/\p{L}{3,}/gu) ?? [];
  if (!/\d/.test(value)) return /[!$%&*+=?#@^~]/.test(value.slice(1)) && words.length > 0 && /[\p{L}][!$%&*+=?#@^~]+[\p{L}]/u.test(value) && !/[()[\]{}/\\]/.test(value);
  return /\p{L}{2,}|(?:\p{L}\d+){3}|(?:\p{L}\d+){2}[!*#?&%@+-]/u.test(value) && !known.test(value) && !identifier.test(value) && !/^[([{]|[(){}]|^\p{L}+\/|\/\p{L}+\//u.test(value);
}

/** Letters, digits and signs mixed as no name is. */
export const isUnmistakable = (value: string): boolean =>
  isComposed(value) || (value.length >= 8 && /\d/.test(value) && /\p{L}{2}|(?:\p{L}\d){3}/u.test(value) && !/^[\p{L}-]+[.:/]|[:/\\]|^[0-9a-f-]+$|\.\d+\.|^[a-z]+(?:-[a-z\d]+)+$/u.test(value) && (/[!$%&?#~+=@^*]/.test(value) || /\p{Ll}\d+\p{Ll}|\p{Ll}\p{Lu}|(?:\p{L}\d){3}/u.test(value) || /^(?=.*\p{Ll})(?=.*\p{Lu}).*\p{L}\d+\p{L}/u.test(value) || /^\p{Lu}\p{Ll}{3,}(?:-\p{Lu}?\p{Ll}{3,})+-\d\d$|^\p{L}{4,}(?!-(?:19|20)\d\d$)[_-]?\d{3,6}[!?.+#*_-]?$|^\p{L}{5,}\d\d[!?.+#*_-]?$/u.test(value) || (/^[A-Za-z\d]{4}(?:-[A-Za-z\d]{4}){2,}$/.test(value) && (/[a-z].*-[A-Z]{4}|(?:\d[a-z]|[a-z]\d).*-.*(?:\d[a-z]|[a-z]\d)/.test(value)) || /^(?=.*\p{Lu})(?=.*\p{Ll})(?:[^-_.]*[-_.])*?[^-_.]*\p{L}\d[-_.].*\p{L}\d$|^\p{Lu}\p{Ll}{4,}_\d\d$/u.test(value))));

/** Names of standards, products, tickets, hosts and the like. */
const known =
  /^(?:(?:hmac|pbkdf2|hkdf|ecdsa|rsa)[-_]sha-?\d[\d/-]*|v\d{1,3}(?:[._-][\w.-]*|(?:alpha|beta|rc)\d*)?|[a-z]{1,3}\d{1,2}|\d{4}-\d\d-\d\d.*|(?:sha|aes|rsa|md|utf|base|oauth|argon|ipv|http|tls|ssl|rs|hs|es|ed|node|python|php|java|web|log|iso|rfc|ed|windows|win|office|apache|bsd|l?gpl|mpl|x|h|mp|debian|ubuntu|postgres|mysql|redis|room|raum|gen|iphone|pixel|port|level|tier|phase|sprint|week|kw|day|step|version|build|rev|issue|pr|ticket|chapter|section|page|line|row|node|server|host|web|db|srv|vm|nas|printer|team|chrome|firefox|safari|edge|fedora|android|ios|macos|angular|react|vue|django|rails|spring|typescript|outlook|excel|sap|oracle|mongo(?:db)?|kafka)[-_ ]?\d[\d._-]*[a-z]{0,3}\d?(?:-(?:gcm|cbc|sha\d+|bit))?|(?:us|eu|ap|sa|ca|me|af|cn|il|asia|europe|australia)-[a-z]+-?\d{1,2}[a-z]?|\d+(?:st|nd|rd|th|x|h|m|s|ms|min|kb|mb|gb|tb|px|pt|k|days?|bit|-bit|-digit|-char\w*|stellig\w*)|\d+[-/.]\d+.*|[A-Za-z]+20\d\d|[a-z]+-\d|[A-Z]\d{2,4}-[A-Za-z]+|[a-z]+\.[a-z]+\d?(?:\(\))?)$/i;
/** A ticket, a model, a standard. */
const identifier = /^[A-Z]{1,6}-?\d{1,6}(?:-\d{1,4}|-[A-Z])?[A-Za-z]?$|^[A-Z]{2,6}-\d{1,6}[!?]$|^[a-z]+-\d{1,2}$|^[a-z]{1,3}-\d{3,4}$|_[2m]fa$|^[a-z]{1,3}[-_][A-Z\d]{3,8}$|^(?:id|idx|pk|fk|login|last|max|min)_\w+$/;
export const isDate = (value: string): boolean => /^(?:19|20)\d\d$/.test(value) || /^(?:19|20)\d\d-?[01]\d-?[0-3]\d$/.test(value);

/** A token of the right form that says itself that it is none. */
export const isMadeUp = (token: string): boolean => /x{5,}|\*{3,}|\.{3}|…|(?<!\.)example|placeholder|your|redacted|0{10,}|1234567890abcdef/i.test(token) || new Set(token.slice(-12)).size <= 3;

export const isPin = (value: string, name: string): boolean => /^[*#]?\d(?:[ -]?\d){3,7}[*#]?$/.test(value) && name.search(callsItPin) >= 0;

/** Letters and digits mixed, or signs between letters. */
export const isMixed = (value: string): boolean => /\d/.test(value) ? /[\p{L}]/u.test(value) || /[^\w\s]/.test(value) : /^\P{L}*\p{L}.*[^\p{L}\s.,:;'’/-]|[\p{Ll}]\p{Lu}.*\p{Lu}|\p{L}+(?:[-_.]\p{L}+){2,}/u.test(value);

/** Some words in a row. */
export const isPassphrase = (value: string): boolean => /^(?:\p{Lu}\p{Ll}{2,}-){3}\d\d$/u.test(value) || (/^\p{L}{3,}(?:[-.]\p{L}{3,}){3,}$/u.test(value) && !ofCode.test(value) && !/[-.](?:the|and|for|und|der|die|com|org|net|local|intern)(?![\p{L}])/u.test(value));
export const ofCode = /(?:^|[-._])(?:pass|cred|secret|token|key|config|data|auth|server|client|user|system|admin|module|util|service|sign|role|based|backed|only|spring|test|value|name|node|api)/i;

/** Words that are joined as no name of code is. */
export const isChain = (value: string): boolean => /^\p{L}{2,}(?:[-_]\p{L}{2,}){2,}$/u.test(value) && !ofCode.test(value) && !isPlaceholder(value);

export function isPassword(value: string, quotes: number): boolean {
  if (/^\{[^}]*\}$/.test(value)) return false;
  if (isPassphrase(value) || /^\d{9,63}$|^\p{Lu}\p{L}{3,}(?:19|20)\d\d$/u.test(value)) return true;
  if (value.length < 4 || isPlaceholder(value)) return false;
  if (isMixed(value)) return !/^[\w-]+\([^)]*\)/.test(value) && !known.test(value) && !isNamed(value);
  return quotes > 0 && value.length >= 5;
}

export function isKey(value: string): boolean {
  if (value.length < 12 || /\s/.test(value) || isPlaceholder(value)) return false;
  return /\d/.test(value) && /[A-Za-z]/.test(value) && entropyOf(value) > 2.8;
}

/** Long, and of no order: neither a hash nor a name. */
export const isRandomKey = (value: string): boolean => value.length >= 24 && isKey(value) && /^(?=.*[a-z])(?=.*[A-Z])[A-Za-z\d+/_-]+={0,2}$/.test(value) && entropyOf(value) > 4;

/** Shannon, in bits a character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
