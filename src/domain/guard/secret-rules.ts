import { isPlaceholder, isStandIn } from "./placeholders.ts";
import { isAboutOne } from "./secret-assignments.ts";
import { entropyOf, isKey, isMadeUp, isMixed, isPassphrase, isUnmistakable } from "./secret-shapes.ts";

/** Places where a secret stands: in addresses, headers, options of commands, calls, and sentences of who gets in with what. */
interface SecretRule {
  kind: string;
  /** Its last group that matched is the value, otherwise all of it. */
  form: RegExp;
  /** Whether a value there is a secret. Left out: any is. */
  is?: (value: string, match: RegExpMatchArray) => boolean;
  /** What the text says somewhere. Left out: anything. */
  near?: RegExp;
}

const isSaid = (value: string): boolean => !isStandIn(value);
const aboutLicences = /licen[cs]e|lizenz|licencia|activat|aktivier|serial|\bkey\b|schlüssel|许可|授权|序列号|激活|注册码|ライセンス|シリアル|キー/i;
export const aboutSeeds = /seed(?!s\b)|semilla|cartera|portefeuille|graine|钱包|recovery|\bwords\b|metamask|recuperación|récupération|wiederherstell|復元|mnemonic|wallet|bitcoin|crypto|wörter|mots|palabras|phrase|助记词|词|リカバリー|シード|単語|ニーモニック/i;

export const secretRules: readonly SecretRule[] = [
  { kind: "password in a URL", form: /\b[a-z][a-z0-9+.-]{1,30}:(?:\/\/(?:[^\s:/@'"`<>]{0,100}:|(?=[A-Za-z\d_-]{20,200}@))|(?:[a-z]+:){0,2}[^\s:/@'"`<>]{1,100}[:/])([^\s/'"`<>]{3,200})@[^\s'"`<>@]+/gi, is: (value) => (isPassphrase(value) || /^\d{9,}$/.test(value) || !isPlaceholder(value)) && !/^\d{1,5}$/.test(value) },
  { kind: "authorization header", form: /\b(?:authorization|x-[a-z-]{0,20}(?:key|token|auth)|api-key|private-token|cookie)["'`\])]{0,3}\s{0,3}[:=]\s{0,3}["'`]?(?:[A-Za-z-]{2,12} |[\w.-]{0,30}(?:sess\w{0,10}|sid|auth|token|jwt|login)=)?\s{0,2}([A-Za-z0-9+/=_.~%-]{12,})|(?:^|\s)(?:-b|--?cookie)\s+["']?[\w.-]{1,40}=([^\s"';]{12,})/gi, is: isKey },
  { kind: "authorization header", form: /\bbearer\s+([A-Za-z0-9+/=_.~-]{16,})/gi, is: isKey },
  { kind: "password", form: /(?:^|\s)(?:-u|--(?:user|auth|basic-auth|proxy-user|creds|credentials))[ =]\s{0,3}["']?[\w.@-]+:([^\s"']{4,})/g, is: isSaid },
  // SQL: `identified by 'x'`, `password 'x'`.
  { kind: "password", form: /\b(?:identified (?:with \w+ )?by|password)(?:\s+|\()'([^'\n]{4,})'/gi, is: (value) => isSaid(value) && !value.startsWith("$") },
  // `host:port:database:user:password`, as `.pgpass` has it.
  { kind: "password", form: /(?:^|[ \t])[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w.*-]+:[\w.*-]+:(\S{5,})$/gm, is: (value) => isSaid(value) && !/^(?:[\da-f]{2}:){2}/i.test(value) && !value.startsWith("$") },
  { kind: "password", form: /\b(?:echo|printf)\s+["']?([^"'\s|]{5,})["']?\s*\|\s*(?:sudo -S|docker login|passwd|cryptsetup|openssl)|<\(printf\s+["']?([^"'\s)]{5,})|<<<\s*["']?([^"'\s]{8,})|\s-U\s+["']?[^\s"'%]+%([^\s"']{4,})/g, is: (value) => isSaid(value) && !value.startsWith("$") },
  { kind: "password", form: /\bnet user \S+ (\S{5,})|\bhtpasswd -\w{0,9}b\w{0,9}(?: -\w+)* \S+ \S+ (\S{5,})|\bredis-cli[^\n]{0,60} (?:-a|AUTH) (\S{5,})|\b(?:requirepass|rootpw|bindpw) (\S{5,})|\b-pass pass:(\S{5,})|\bsnmp\w+ [^\n]{0,40}?-c (?!public|private)(\S{5,})|\s\/p(?:ass(?:word)?)?:([^\s=]{5,})(?=\s|$)|\blftp -u \w+,(\S{5,})/gi, is: (value) => isSaid(value) && !value.startsWith("$") },
  { kind: "wallet key", form: /(?:private|wallet|signer|secret|seed|privée|privat|私钥|秘密)[^\n]{0,40}?\b(0x[0-9a-f]{64}|[0-9a-f]{64})\b/gi, is: (value) => !isMadeUp(value) },
  { kind: "authorization header", form: /[?&](?:t|code|token|key|secret|appid|api_?key|access_token|password|pwd|auth|sig)=([^&\s"'`)\]]{12,})/gi, is: isKey },
  { kind: "password in a URL", form: /[?&;](?:password|passwd|pwd|pass)=([^&\s"'`;<>]{5,})/gi, is: (value) => !isPlaceholder(value) },
  // `The value in X-Access is …`.
  { kind: "authorization header", form: /\b(?:x-[a-z-]{2,30}|[a-z]+-auth)[^\n.]{0,40}? (?:is|=|as|value) ["'`]?([\w+/=.~-]{16,})/gi, is: (value, [whole]) => isKey(value) && !/etag|[- ]id|trace|hash|digest/i.test(whole) },
  // Of a stream.
  { kind: "stream key", form: /\brtmps?:\/\/[^\s"']{1,100}\/([\w-]{16,})/gi, is: isKey },
  { kind: "password", form: /ConvertTo-SecureString\s+["']([^"'\n]{4,})["']|(?<![\w/:])\/user:\S+[ \t]+([^\s/"']{5,})|snmp-server community\s+(\S{5,})/gi, is: isSaid },
  { kind: "password", form: /(?:^|\s)(?:-[pPawk]|add-authtoken|wandb login|--api-key|--key|--?[a-z][\w-]{0,20}(?:password|passphrase|passwd|pwd|pass|token|secret)|--(?:password|passphrase|pass|token|secret))(?:[ =]|(?<=-p))(?:"([^"\n]{5,})"|'([^'\n]{5,})'|([^\s"']{5,}))/g, is: (value, [whole]) => isPassphrase(value) || ((isMixed(value) || (/\S \S+ \S/.test(value) && /pass/.test(whole))) && !isPlaceholder(value)) },
  // `auth("user", "password")`.
  { kind: "password", form: /(?:auth|(?:sign|log)_?in|client|conn|connect(?:ion)?|connexion|conectar|anmelden|verbinden|credentials?|ftp|smtp|imap|ssh|ldap|sql|sequelize|session|user)\w{0,12}\s?=?\s?\((?:[\w.]{1,30},\s?)?(?:["'][\w.@-]{0,60}["'],\s?){1,3}["']([^"'\n]{6,80})["']/gi, is: (value) => isSaid(value) && (isUnmistakable(value) || (isKey(value) && !/^[a-z]+(?:[-.:/ ][a-z\d]+)+$/.test(value))) },
  // `sign(payload, "…")`.
  { kind: "password or key", form: /\b(?:sign|verify|(?:create_?)?hmac(?:\.new)?|createcipheriv)\((?:[\w.]{1,30}|["'][\w-]{1,20}["']),\s?b?["']([^"'\n]{12,100})["']/gi, is: isKey },
  // `login: user:password`.
  { kind: "password", form: /(?:basic|user|log ?[io]n|credentials|zugang|zugangsdaten|identifiants?|credenciales|账号|認証)[^\n]{0,48}?\s[\w.-]{2,32}:([^\s,;:/]{8,60})/gi, is: (value) => isSaid(value) && (isPassphrase(value) || isUnmistakable(value)) },
  // `NAME=…` in a file of settings: long and random.
  { kind: "password or key", form: /^[ \t]*(?:export )?([A-Z][A-Z0-9_]{2,40})=["']?((?=\w*[a-z])(?=\w*[A-Z])(?=\w*\d)[\w-]{32,})["']?$/gm, is: (value, [, name = ""]) => !isAboutOne.test(name) && entropyOf(value) > 4.2 },
  // `login / password`.
  { kind: "password", form: /(?<![\w./])(?:(?:admin|root|sysadmin|administrator)\s?\/\s?|(?:[\w.-]{1,64}@[\w.-]{1,100}|[\p{L}][\p{L}\w.]{2,30}) \/{1,2} |[\w.-]{1,64}@[\w.-]{1,60}(?:, (?:then )?| (?:(?:with|mit|avec|con|and|und) )?))([^\s,;|]{6,60})/gu, is: (value, [whole]) => isSaid(value) && (isPassphrase(value) || isUnmistakable(value) || (/^(?:admin|root)/i.test(whole.trim()) && /\d/.test(value) && /\p{L}{2}/u.test(value))), near: /@| \/{1,2} |(?:admin|root|administrator)\s?\// },
  { kind: "seed phrase", form: /(?<!\p{sc=Han})(?:\p{sc=Han}{1,2}[ 、，,]){11,23}\p{sc=Han}{1,2}(?!\p{sc=Han})/gu, near: aboutSeeds },
  { kind: "licence key", form: /(?<![A-Z0-9-])(?:(?:[A-Z0-9]{5}-){3,5}[A-Z0-9]{5}|(?:[A-Z0-9]{4}-){3,5}[A-Z0-9]{4})(?![A-Z0-9-])/g, is: (value) => /\d/.test(value) && /[A-Z]/.test(value), near: aboutLicences },
  // Nothing else looks like this one.
  { kind: "licence key", form: /(?<![A-Z0-9-])(?:[A-Z0-9]{4,5}[ -]){4}[A-Z0-9]{4,5}(?![A-Z0-9-])/g, is: (value) => /[G-Z]/.test(value) && value.split(/[ -]/).filter((group) => /\d/.test(group) && /[A-Z]/.test(group)).length > 2 },
  // As Google and Apple give them to one app each.
  { kind: "app password", form: /(?:pass(?:word)?|passwort|kennwort|mot de passe|mdp|contraseña|密码|パスワード)[^\n]{0,48}?(?<![a-z])([a-z]{4}(?:-[a-z]{4}){3}|[a-z]{4}(?: [a-z]{4}){3})(?![a-z])/gi, is: (value) => value.split(/[- ]/).some((group) => /^[^aeiouy]+$|[qxjz]/.test(group)) },
  { kind: "one-time password secret", form: /(?<![A-Z2-7]{4} )\b(?:[A-Z2-7]{4} ){3,}[A-Z2-7]{4}\b/g, near: /2fa|otp|authenticator|seed/i },
  { kind: "AWS secret key", form: /(?<![A-Za-z0-9/+=])(?=[A-Za-z0-9/+]*[a-z])(?=[A-Za-z0-9/+]*[A-Z])(?=[A-Za-z0-9/+]*\d)([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/g, is: (value) => entropyOf(value) > 4.2 && !isMadeUp(value), near: /aws|amazon|secret|s3|akia/i },
];
