/** Said where a secret would stand, and names that stand for one. */
const standIn =
  /<[^<>]*>|^\*\.\w|^ENC\[|\{[a-z_]\w{1,20}\}|^pk_(?:live|test)_|\$\{|\{\{|%\(|(?<![\w%])%[sd](?!\w)|\$\(|\.\.\.|…|x{4,}|\*{3,}|•{3,}|•|_{4,}|#{4,}|0{8,}|1234567890|^\$\w|^@\w+$|process\.env|import\.meta|os\.(?:environ|getenv)|getenv|\bENV\b|secrets?\.[A-Za-z]|secretsmanager|vault:|op:\/\/|ssm:|arn:|\bkeyring\b|(?:^|[-_= ])(?:your|my|the|some|dein|deine|mein|votre|mon|tu|su)[-_ ]|example|changeme|change[-_]me|change[-_]this|placeholder|redacted|masked|dummy|sample|(?<![A-Za-z\d])(?:fake|todo|tbd|none|null)(?![A-Za-z\d])|insert|replace|undefined|hidden|removed|omitted|geheim|beispiel|ejemplo|exemple|示例|例|填写|ここに|入力/i;
/** What code says of a secret without holding one. */
const code = /^[\w$.]+\(|^(?:new|await|async|function|return|this|self|ctx|req|request|config|env|options|params|args|settings|props|user|data|body)\b[.[]|=>|;$|^[a-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+(?:\(.*)?$|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|^[a-z]+(?:_[a-z]+){1,5}$|^[a-z]+(?:[A-Z][a-z]+)+$|^[\w-]+\/[\w./-]+$|^[A-Z][a-z]+(?:\.[a-z_]+){2,}$|^\.{0,2}\/|^~\/|^https?:\/\/(?:[^@]*$|[^/@]*\/)/;
/** Kinds of values, and other words that follow a name such as `password` without being one. */
const plain = new Set(
  `password passwd pwd pass pw passwort kennwort passphrase secret token string str text number boolean bool int uuid bytes varchar char any object required optional mandatory hashed encrypted salted rotated
  expired expires invalid valid wrong correct missing empty blank set unset reset forgotten stored saved kept shared known unknown strong weak long short same different bearer basic
  digest oauth jwt true false yes no admin root user username login default test testing local localhost auto random generated prompt input hidden visible email credentials
  authentication authorization argon2 argon2id bcrypt scrypt pbkdf2 sha256 sha-256 sha512 hmac base64 aes-256 aes256 rs256 es256 hs256 md5 utf-8 utf8 oauth2 totp otp 2fa mfa sso
  1password bitwarden keepass lastpass vault`.split(/\s+/),
);
const measures = /^(?:\d+-(?:second|minute|hour|day|week|month|year|token|char(?:acter)?|digit|bit|byte|word|line)s?|[\w.-]+:\d{2,5}|\d+(?:[.,]\d+)*(?:%|[a-zµ]{0,3}|\s?(?:chars?|characters|min(?:utes?)?|days?|hours?|zeichen|stunden|tage|minuten|tokens?))?|v?\d+(?:\.\d+)+[\w.-]*|\d{4}-\d\d(?:-\d\d)?(?:T[\d:.]+Z?)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}|RFC\s?\d+|#\d+|q[1-4]|\d+(?:th|st|nd|rd))$/i;

export const isStandIn = (value: string): boolean => standIn.test(value) || new Set(value).size <= 2;

/** A ticket. */
const ticket = /^[A-Z]{2,10}-\d+$/;

/** Letters of both cases and digits in no order that code or a path has. */
const isRandom = (value: string): boolean => /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z\d+/=]{20,}$/.test(value) && (value.match(/[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]/g)?.length ?? 0) >= value.length / 5;

/** Whether a value only stands where a secret would, or says something about one. */
export const isPlaceholder = (value: string): boolean =>
  standIn.test(value) || (code.test(value) && !isRandom(value)) || plain.has(value.toLowerCase()) || measures.test(value) || ticket.test(value) || new Set(value).size <= 2;
