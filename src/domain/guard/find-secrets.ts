import { type Finding, outermost } from "./finding.ts";
import { isPlaceholder, isStandIn } from "./placeholders.ts";
import { callsItPin, callsItSecret, isChosen, mayCallIt, passwords, secretNames } from "./secret-names.ts";
import { secretForms } from "./secret-forms.ts";

const quoted = `"([^"\\n]{3,300})"|'([^'\\n]{3,300})'|\`([^\`\\n]{3,300})\`|“([^”\\n]{3,300})”|„([^“”\\n]{3,300})[“”]|«\\s?([^»\\n]{3,300}?)\\s?»|「([^」\\n]{3,300})」|『([^』\\n]{3,300})』`;
const bare = `([^\\s"'\`,;，。、；）)（(「」“”<>|]{3,300})`;
/** `name: value`, `name = "value"`, `<name>value</name>`, `define('NAME', 'value')`. */
const assigned = new RegExp(`((?:${secretNames})[\\w-]{0,30})["'\`)\\]]{0,3}[ \\t]{0,3}(?:=>|:=|==?|[:：＝→>]|\\((?=["'])|,(?=\\s*["'])|[ \\t]value=|</key>\\s*<string>|:[ \\t]*\\n[ \\t]*-[ ])[ \\t]{0,3}(?:(?:buffer\\.from|b64decode|bytes\\.fromhex|atob|\\[\\]byte|bytes|string|str|secret|securestring|new [a-z.]{1,20})\\()?(?:${quoted}|${bare})`, "gu");
const isCall = /^\(/;
/** Names of what is about a secret. */
const about = /(?:name|ref|ids?|type|path|file|dir|url|uri|endpoint|length|len|count|limits?|size|max|min|expiry|expires|expires_in|expiration|ttl|age|policy|field|label|hint|header|class|store|manager|provider|env|var|arn|version|rotation|reset|prefix|format|hash|digest|strength|rules?|usage|budget|cost|price|window|bucket|scopes?|alg|algorithm)$/i;
const stem = new RegExp(`^.*(?:${secretNames})`, "u");

const urlWithPassword = /\b[a-z][a-z0-9+.-]{1,30}:(?:[a-z]+:){0,2}\/{0,2}[^\s:/@'"`<>]{0,100}[:/]([^\s/@'"`<>]{3,200}@?)@[^\s'"`<>]+/gi;
const header = /\b(?:authorization|x-api-key|x-auth-token|x-access-token|api-key|private-token|cookie)["'`]?\s{0,3}[:=]\s{0,3}["'`]?(?:[A-Za-z-]{2,12} |session=)?\s{0,2}([A-Za-z0-9+/=_.~-]{12,})/gi;
const bearer = /\bbearer\s+([A-Za-z0-9+/=_.~-]{16,})/gi;
const userOption = /(?:^|\s)(?:-u|--user)\s+["']?[\w.@-]+:([^\s"']{4,})/g;
/** SQL: `identified by 'x'`, `password 'x'`. */
const statement = /\b(?:identified (?:with \w+ )?by|password)\s+'([^'\n]{4,})'/gi;
/** `host:port:database:user:password`, as `.pgpass` has it. */
const passwordLine = /^[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w.*-]+:[\w.*-]+:(\S{5,})$/gm;
const pipedPassword = /\b(?:echo|printf)\s+["']?([^"'\s|]{5,})["']?\s*\|\s*(?:sudo -S|docker login|passwd|cryptsetup|openssl)|<\(printf\s+["']?([^"'\s)]{5,})|<<<\s*["']?([^"'\s]{8,})|\s-U\s+["']?[^\s"'%]+%([^\s"']{4,})/g;
const passwordArgument = /\bnet user \S+ (\S{5,})|\bhtpasswd -\w*b\w*(?: -\w+)* \S+ \S+ (\S{5,})|\bredis-cli[^\n]{0,60} (?:-a|AUTH) (\S{5,})|\brequirepass (\S{5,})|\b-pass pass:(\S{5,})/gi;
const walletKey = /(?:private|wallet|signer|secret|privée|privat|私钥|秘密)[^\n]{0,40}?\b(0x[0-9a-f]{64}|[0-9a-f]{64})\b/gi;
const parameter = /[?&](?:token|key|secret|appid|api_?key|access_token|password|pwd|auth|sig)=([^&\s"'`]{12,})/gi;
/** `login / password`. */
const pair = /(?<![\w./])(?:(?:admin|root|sysadmin|administrator)\s?\/\s?|(?:[\w.-]{1,64}@[\w.-]{1,100}|[\p{L}][\p{L}\w.]{2,30}) \/{1,2} |[\w.-]{1,64}@[\w.-]{1,60}, )([^\s,;|]{6,60})/gu;
/** `login: user:password`. */
const namedPair = /(?:basic[- ]auth|log ?[io]n|credentials|zugang|zugangsdaten|identifiants?|credenciales|账号|認証)[^\n]{0,48}?\s[\w.-]{2,32}:([^\s,;:/]{8,60})/gi;
/** `auth("user", "password")`. */
const login = /\b(?:auth\w*|login|client|connect)\s?=?\s?\(["'][\w.@-]{0,40}["'],\s?["']([^"'\n]{6,80})["']/gi;
/** `NAME=…` in a file of settings: long and random. */
const setting = /^[ \t]*(?:export )?([A-Z][A-Z0-9_]{2,40})=["']?((?=\w*[a-z])(?=\w*[A-Z])(?=\w*\d)[\w-]{32,})["']?$/gm;
/** A word as a password: in quotation marks; at the end of what is said, or of a line that is called so. */
const word = "(\\p{Ll}{4,20})";
const wordPassword = new RegExp(`(?:${passwords}|wi-?fi|wlan|codewort)[^\\n.:="“„«「]{0,40}?(?:(?<!\\p{L})(?:is|was|reads|lautet|ist|est|es|c['’]est)(?: (?:still|now|just|simply|noch|jetzt|einfach|encore|toujours|maintenant|todavía|ahora))?|[:：]|是|は) ?["'“„«「] ?${word} ?["'”“»」]|(?:${passwords})[^\\n.:="]{0,40}? (?:is|was|lautet)(?: (?:still|now|noch|jetzt))? ${word}(?=[,;.!](?:\\s|$)|$)|(?:${passwords}) ${word}(?=, (?:all|in) (?:lower|small)|, alles klein|, tout en min|, todo en min)|^[^\\n{}()<>=:]{0,40}(?:${passwords})[:：] ?${word}[.!]?$`, "gmu");
/** What may be said of a password. */
const isState = /(?:ed|ing|able|ible|[^st]al|ive|[aio]ry|ic|ful|less|ly|ten|ent|ant|word|wort|é|és|ad[oa]|id[oa]|que)$|^(?:unique|fresh|right|secret|current|input|default|reset|text|lost|left|not|enough|ready|there|here|stale|fine|safe|gone|secure|good|done|over|simple|complex|never|again|below|above|taken|given|falsch|richtig|sicher|leer|nein|keine|siehe|name|file|ours|this|that|also)$/;
const spokenOption = /ConvertTo-SecureString\s+["']([^"'\n]{4,})["']|(?<![\w/:])\/user:\S+[ \t]+([^\s/"']{5,})|snmp-server community\s+(\S{5,})/gi;
const passwordOption = /(?:^|\s)(?:-[pPawk]|add-authtoken|wandb login|--api-key|--key|--password|--passphrase|--pass|--token|--secret)(?:[ =]|(?<=-p))(?:"([^"\n]{5,})"|'([^'\n]{5,})'|([^\s"']{5,}))/g;
const seedWords = /(?<![a-z])((?:[a-z]{3,8}[ ,]+){11,23}[a-z]{3,8})(?![a-z])/g;
const aboutSeeds = /seed|recovery|\bwords\b|metamask|recuperación|récupération|wiederherstell|復元|mnemonic|wallet|bitcoin|crypto|wörter|mots|palabras|phrase|助记词|词|リカバリー|シード|単語|ニーモニック/i;
const functionWord = /\b(?:the|and|that|with|for|what|does|was|are|you|this|have|from|not|but|est|les|des|pour|que|los|las|para|der|die|und|den|mit|ist|nicht)\b/;
const introduced = /^.*?\b(?:are|lauten|sind|sont|son)[ ,]+/;
/** More words than a seed has are a list of something; few of a seed's are the same. */
const isSeed = (words: readonly string[], rest: string): boolean => new Set(words).size > 6 && !(words.length === 24 && /^[ ,]+[a-z]{2,}/.test(rest));
const seedCharacters = /(?<!\p{sc=Han})(?:\p{sc=Han}{1,2}[ 、，,]){11,23}\p{sc=Han}{1,2}(?!\p{sc=Han})/gu;
const awsSecret = /(?<![A-Za-z0-9/+=])(?=[A-Za-z0-9/+]*[a-z])(?=[A-Za-z0-9/+]*[A-Z])(?=[A-Za-z0-9/+]*\d)([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/g;
const aboutLicences = /licen[cs]e|lizenz|licencia|serial|\bkey\b|schlüssel|许可|授权|序列号|激活|注册码|ライセンス|シリアル|キー/i;
/** As Google and Apple give them to one app each. */
const appPassword = /(?:pass(?:word)?|passwort|kennwort|mot de passe|mdp|contraseña|密码|パスワード)[^\n]{0,48}?(?<![a-z])([a-z]{4}(?:-[a-z]{4}){3}|[a-z]{4}(?: [a-z]{4}){3})(?![a-z])/gi;
const licence = /(?<![A-Z0-9-])(?:(?:[A-Z0-9]{5}-){3,5}[A-Z0-9]{5}|(?:[A-Z0-9]{4}-){3,5}[A-Z0-9]{4})(?![A-Z0-9-])/g;

/** In characters: at most a word stands between. */
const direct = 12;
const linked = /(?:\bis|\bwas|\breads|lautet|heißt|ist|est|es|:|=|auf|to|は|是)(?:\s+(?:now|still|always|jetzt|noch|immer|désormais|ahora|siempre))?\s*["'„“«「]?\s*$/i;
const isSaid = /^\S?\s+(?:is|ist|est|es)\s/;
/** In characters: what is called a secret stands soon after the word that calls it so, or just before. */
const [after, before] = [72, 24];
/** Runs of Latin letters, digits and signs. */
const run = /[!-~\u00a1-\u024f]{4,200}/g;
const wordsInARow = /(?:pass ?phrases?|kennsatz|frase|phrase)[^\n.:]{0,40}(?::| is| ist| lautet| est| es) ((?:[a-z]{3,9} ){3,5}[a-z]{3,9})(?=[,.;!]|$)/gm;
const notInARow = /\b(?:\w+(?:ed|ing|ly)|when|only|must|never|than)\b/;
const quotation = new RegExp(quoted, "gu");
/** A combination of a safe, or a long key in groups of four. */
const digitGroups = /(?<![\d.+-])(?:\d{2}(?:[ -]\d{2}){2,3}|\d{4}(?: \d{4}){3,5})(?![\d:-]|\.\d)/g;
const atKeypad = /^\S?\s(?:at|on|into) the (?:key|pin|panel|alarm|door)|^ gets you (?:in|through)|^\s?[をと]押/;
const strongBox = /\bsafe\b|tresor|coffre|caja fuerte|保险[箱柜]|金庫/i;
/** What follows is a number of something. */
const counted = /(?:users?|id|port|nr\.?|no\.?|room|raum|benutzer|用户|ユーザー)\s*[:=#]?\s*$/i;

const publicBlock = /-----BEGIN (?:[A-Z0-9]+ )*(?:PUBLIC KEY|CERTIFICATE|SIGNATURE|MESSAGE)(?: BLOCK| REQUEST)?-----[\s\S]{0,20000}?-----END [A-Z0-9 ]{3,40}-----/g;

/** Finds credentials: those of a known form, and what the text calls one. */
export function findSecrets(text: string): Finding[] {
  const found: Finding[] = [];
  const add = (kind: string, start: number, value: string): void => void found.push({ kind, start, end: start + value.length });
  for (const [kind, form] of secretForms) for (const match of text.matchAll(form)) if (!isMadeUp(match[0])) add(kind, match.index, match[0]);
  const addGroup = (kind: string, form: RegExp, is: (value: string, match: RegExpMatchArray) => boolean): void => {
    for (const match of text.matchAll(form)) {
      const value = match.slice(1).findLast((group) => group !== undefined) ?? match[0];
      if (is(value, match)) add(kind, match.index + match[0].lastIndexOf(value), value);
    }
  };
  const lowered = inLowerCase(text);
  assigned.lastIndex = 0;
  for (let match = assigned.exec(lowered); match; match = assigned.exec(lowered)) {
    // The value of one name may be the next one: `key="Password" value="…"`.
    assigned.lastIndex = match.index + (match[1] as string).length;
    const value = match.slice(2).find((group) => group !== undefined) as string;
    const start = match.index + match[0].lastIndexOf(value);
    const said = text.slice(start, start + value.length);
    const name = (match[1] as string).replace(stem, "").replace(/^[_-]/, "");
    if (!about.test(name) && (isKey(said) || (isChosen.test(match[1] as string) && !isCall.test(match[0].slice((match[1] as string).length)) && isPassword(said, match[0].endsWith(value) ? 0 : 1)) || isPin(said, match[1] as string))) add("password or key", start, said);
  }
  if (isChosen.test(lowered) || /wi-?fi|wlan|codewort/.test(lowered)) for (const match of lowered.matchAll(wordPassword)) {
    const value = match.slice(1).find((group) => group !== undefined) as string;
    if (!isPlaceholder(value) && !isState.test(value)) add("password", match.index + match[0].lastIndexOf(value), value);
  }
  addGroup("password in a URL", urlWithPassword, (value) => (isPassphrase(value) || !isPlaceholder(value)) && !/^\d{1,5}$/.test(value));
  addGroup("authorization header", header, isKey);
  addGroup("authorization header", bearer, isKey);
  addGroup("password", userOption, (value) => !isStandIn(value));
  for (const form of [statement, passwordLine, pipedPassword, passwordArgument]) addGroup("password", form, (value) => !isStandIn(value) && !value.startsWith("$"));
  addGroup("wallet key", walletKey, (value) => !isMadeUp(value));
  addGroup("authorization header", parameter, isKey);
  addGroup("password", spokenOption, (value) => !isStandIn(value));
  addGroup("password", passwordOption, (value) => isPassphrase(value) || (isMixed(value) && !isPlaceholder(value)));
  addGroup("password", login, (value) => !isStandIn(value) && (isUnmistakable(value) || isKey(value)));
  addGroup("password", namedPair, (value) => !isStandIn(value) && isUnmistakable(value));
  addGroup("password or key", setting, (value, match) => !about.test(match[1] as string) && entropyOf(value) > 4.2);
  addGroup("password", pair, (value, match) => !isStandIn(value) && (isUnmistakable(value) || (/^(?:admin|root)/i.test(match[0].trim()) && /\d/.test(value) && /\p{L}{2}/u.test(value))));
  if (aboutSeeds.test(text)) {
    addGroup("seed phrase", seedCharacters, () => true);
    for (const { index, 0: whole } of text.matchAll(seedWords)) {
      const value = whole.replace(introduced, "");
      const words = value.split(/[ ,]+/);
      if (words.length >= 12 && isSeed(words, text.slice(index + whole.length)) && !functionWord.test(value)) add("seed phrase", index + whole.length - value.length, value);
    }
  }
  if (aboutLicences.test(text)) addGroup("licence key", licence, (value) => /\d/.test(value) && /[A-Z]/.test(value));
  addGroup("app password", appPassword, (value) => value.split(/[- ]/).some((group) => /^[^aeiouy]+$|[qxjz]/.test(group)));
  if (/aws|amazon|secret|s3|akia/i.test(text)) addGroup("AWS secret key", awsSecret, (value) => entropyOf(value) > 4.2 && !isMadeUp(value));
  found.push(...calledSecret(text, lowered));
  const open = [...text.matchAll(publicBlock)].map(({ index, 0: { length } }) => [index, index + length] as const);
  return outermost(found.filter(({ start, end }) => !open.some(([from, to]) => from <= start && end <= to)));
}

/** Each letter in its place, which `toLowerCase` alone does not promise. */
const inLowerCase = (text: string): string => text.replaceAll(/[A-ZÀ-ÖØ-Þ]+/g, (capitals) => capitals.toLowerCase());

/** What stands near a word such as "password" and looks like one. */
function calledSecret(text: string, lowered: string): Finding[] {
  const placesOf = (words: RegExp) => [...lowered.matchAll(words)].map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
  const [cues, pins, hints] = [placesOf(callsItSecret), placesOf(callsItPin), placesOf(mayCallIt)];
  if (cues.length + pins.length + hints.length === 0 && !strongBox.test(text) && !/[をと]押|gets you/.test(text)) return [];
  const follows = (places: typeof cues, start: number, reach: number): boolean => places.some((cue) => start >= cue.end && start - cue.end <= reach);
  const isNear = (places: typeof cues, start: number, end: number, reach = after): boolean =>
    follows(places, start, reach) || places.some((cue) => end <= cue.start && cue.start - end <= before && !/[.\n]/.test(text.slice(end, cue.start)));
  const found: Finding[] = [];
  if (callsItCodes.test(text)) for (const { index, 0: { length } } of text.matchAll(oneTimeCode)) if (isNear(cues, index, index + length, 160)) found.push({ kind: "recovery code", start: index, end: index + length });
  for (const { index, 0: whole } of text.matchAll(run)) {
    const [, lead = "", value = ""] = /^([("'`“„«[{<*,:;=>-]*)(.*?)(?:[)"'`”“»\]}<>.,:;]|\*\*)*$/s.exec(whole) ?? [];
    // `SameSite=Strict`: a word that another name has.
    if (/^[A-Za-z][A-Za-z_-]{2,}=[A-Za-z]+$/.test(value)) continue;
    const start = index + lead.length;
    const end = start + value.length;
    const isNamedOtherwise = /(?:commit|trace|request|checksum|sha|digest|image|build|revision|sheet|doc|file|folder|id|hash)[:=]?\s*["']?$/i.test(text.slice(Math.max(0, start - direct), start));
    const isCalled = (follows(cues, start, direct) || (isSaid.test(text.slice(end, end + direct)) && cues.some((cue) => cue.start >= end && cue.start - end <= before)) || (follows(cues, start, after) && linked.test(text.slice(Math.max(0, start - direct), start)))) && (/^\p{L}{3,}(?:[-.]\p{L}{3,}){3,}$|^\d{9,63}$/u.test(value) || (!isPlaceholder(value) && /^\p{L}{4,}(?:19|20)\d\d$|^\p{L}{3,}(?:-\p{L}{2,}){2,}$/u.test(value)));
    const isIt = isCalled || (isPassphrase(value) && isNear(hints, start, end, 24)) || (!isNamedOtherwise && isPasswordLike(value) && (isNear(cues, start, end) || (isUnmistakable(value) && (isNear(hints, start, end, 60) || cues.some((cue) => cue.start >= end && cue.start - end <= 40))))) || (/^[*#]?\d(?:[ -]?\d){3,7}[*#]?$/.test(value) && (!isDate(value) || follows(pins, start, 4)) && (follows(pins, start, 40) || atKeypad.test(text.slice(end, end + 16))) && (/[*#]/.test(value) || !counted.test(text.slice(Math.max(0, start - direct), start))));
    if (isIt) found.push({ kind: "password or key", start, end });
  }
  for (const { index, 0: value } of text.matchAll(digitGroups)) {
    const isLong = value.length > 14;
    if (isLong ? follows(cues, index, 24) : (follows(pins, index, 24) || strongBox.test(text.slice(Math.max(0, index - 48), index))) && !isDate(value)) found.push({ kind: "password or key", start: index, end: index + value.length });
  }
  for (const { index, 0: whole, 1: value = "" } of text.matchAll(wordsInARow)) if (!functionWord.test(value) && !notInARow.test(value)) found.push({ kind: "passphrase", start: index + whole.length - value.length, end: index + whole.length });
  for (const match of text.matchAll(quotation)) {
    const value = match.slice(1).find((group) => group !== undefined) as string;
    const start = match.index + match[0].indexOf(value);
    const isPhrase = /^[\p{L}\d]+(?: [\p{L}\d]+){3,}$/u.test(value) && !/correct horse|mot de passe|password/i.test(value) && /phrase|pass|kennwort|wörter/i.test(text.slice(Math.max(0, start - 60), start));
    if (isPhrase && isNear(cues, start, start + value.length, 40)) found.push({ kind: "passphrase", start, end: start + value.length });
  }
  return found;
}

/** Calls, escapes and arrows. */
const sourceText = /^[{<]|\w\(|\)[.;,)]|^[.)]|\\|=>/;
const numbered = /Base(?:32|58|62|64)|[UuIi]+nt(?:8|16|32|64)|Float(?:32|64)|D1|OAuth2|[Ss]ha(?:1|256|512)|Utf(?:8|16)|Http2|K8s|Web3/;
/** A type or function that has a number in its name. */
const isNamed = (value: string): boolean => numbered.test(value) && /^(?:[A-Z]?[a-z]{2,})*$/.test(value.replace(numbered, "X").replace(/^X|X/, ""));

/** Not a word, a name, a measure or a date. */
function isPasswordLike(value: string): boolean {
  if (sourceText.test(value) || isNamed(value)) return false;
  // What is assigned is looked at by its name; a path, a public key or a fingerprint is none.
  if (value.length < 6 || isPlaceholder(value) || /^(?:19|20)\d\d-|^AAAA|^SHA\d+:|^ssh-|:\d+:\d+$|[[\]]|^#[0-9a-f]{3,8}$|^[0-9a-f]{6,12}$|^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}/i.test(value)) return false;
  if (/^[a-z][\w.-]*@[a-z][a-z\d.-]*$|^(?:[a-z_.-]{2,}|[A-Z_]{3,}|[a-z]+[A-Z][a-zA-Z]{3,})=/.test(value)) return false;
  if (/^\p{L}{3,}(?:[-._]\p{L}{3,}){3,}$/u.test(value)) return !/[-_](?:the|and|for|und|der|die)[-_]/.test(value);
  if (/^(?:[\w.+-]+@[\w-]+\.\w+|[\w.-]+\.(?:[a-z]{2,4}|json|yaml|html|toml|local|intern)|[\w-]+(?:\.[\w-]+)+\.(?:[a-z]{2,6}))(?:[:/].*)?$/i.test(value)) return false;
  if (isKey(value) && value.length >= 16) return true;
  const words = value.match(/\p{L}{3,}/gu) ?? [];
  if (!/\d/.test(value)) return /[!$%&*+=?#@^~]/.test(value.slice(1)) && words.length > 0 && /[\p{L}][!$%&*+=?#@^~]+[\p{L}]/u.test(value) && !/[()[\]{}/\\]/.test(value);
  return /\p{L}{2,}/u.test(value) && !known.test(value) && !identifier.test(value) && !/^[([{]|[(){}]|^\p{L}+\/|\/\p{L}+\//u.test(value);
}

/** Letters, digits and signs mixed as no name is. */
const isUnmistakable = (value: string): boolean =>
  value.length >= 8 && /\d/.test(value) && /\p{L}{2}/u.test(value) && !/^[\p{L}-]+[.:/]|[:/\\]|^[0-9a-f-]+$|\.\d+\.|^[a-z]+(?:-[a-z\d]+)+$/u.test(value) && (/[!$%&?#~+=_@^*]/.test(value) || /\p{Ll}\d+\p{Ll}|\p{Ll}\p{Lu}/u.test(value) || /^(?=.*\p{Ll})(?=.*\p{Lu}).*\p{L}\d+\p{L}/u.test(value) || /^\p{L}{4,}\d{3,6}[!?.+#*_-]?$|^\p{L}{5,}\d\d[!?.+#*_-]?$/u.test(value));

/** Names of standards, products, tickets, hosts and the like. */
const known =
  /^(?:v\d[\w.-]*|[a-z]{1,3}\d{1,2}|\d{4}-\d\d-\d\d.*|(?:sha|aes|rsa|md|utf|base|oauth|argon|ipv|http|tls|ssl|rs|hs|es|ed|node|python|php|java|web|log|iso|rfc|ed|windows|win|office|x|h|mp|debian|ubuntu|postgres|mysql|redis|room|raum|gen|iphone|pixel|port|level|tier|phase|sprint|week|kw|day|step|version|build|rev|issue|pr|ticket|chapter|section|page|line|row|node|server|host|web|db|srv|vm|nas|printer|team)[-_ ]?\d[\d._-]*[a-z]{0,3}\d?(?:-(?:gcm|cbc|sha\d+|bit))?|(?:us|eu|ap|sa|ca|me|af|cn|il|asia|europe|australia)-[a-z]+-?\d{1,2}[a-z]?|\d+(?:st|nd|rd|th|x|h|m|s|ms|min|kb|mb|gb|tb|px|pt|k|days?|bit|-bit|-digit|-char\w*|stellig\w*)|\d+[-/.]\d+.*|[A-Za-z]+20\d\d|[a-z]+-\d|[A-Z]\d{2,4}-[A-Za-z]+|[a-z]+\.[a-z]+\d?(?:\(\))?)$/i;
/** A ticket, a model, a standard. */
const identifier = /^[A-Z]{1,6}-?\d{1,6}$|^[A-Z]{2,6}-\d{1,6}[!?]$/;
const callsItCodes = /(?:backup|recovery|rescue|emergency|one-time|two-step)[ -]?codes?|(?:wiederherstellungs|notfall|backup)codes?|codes? de (?:secours|récupération)|códigos? de (?:respaldo|recuperación)|恢复码|备份码|备用码|恢復碼|備用碼|(?:復旧|リカバリー|バックアップ)コード/i;
const oneTimeCode = /(?<![\w-])(?:(?=[a-z]*\d|[\w-]*[- ]?\w*\d|[a-z]{5}-[a-z]{5}(?![\w-]))[a-z0-9]{4,8}(?:[- ][a-z0-9]{4,8}){1,4}|\d{8})(?![\w-])/g;
const isDate = (value: string): boolean => /^(?:19|20)\d\d$/.test(value) || /^(?:19|20)\d\d-?[01]\d-?[0-3]\d$/.test(value);

/** A token of the right form that says itself that it is none. */
const isMadeUp = (token: string): boolean => /x{5,}|\*{3,}|\.{3}|…|example|placeholder|your|redacted|0{10,}|1234567890abcdef/i.test(token) || new Set(token.slice(-12)).size <= 3;

const isPin = (value: string, name: string): boolean => /^[*#]?\d(?:[ -]?\d){3,7}[*#]?$/.test(value) && name.search(callsItPin) >= 0;

/** Letters and digits mixed, or signs between letters. */
const isMixed = (value: string): boolean => /\d/.test(value) ? /[\p{L}]/u.test(value) || /[^\w\s]/.test(value) : /[\p{L}].*[^\p{L}\s.,:;'’/-]|[\p{Ll}]\p{Lu}.*\p{Lu}|\p{L}+(?:[-_.]\p{L}+){2,}/u.test(value);

/** Some words in a row. */
const isPassphrase = (value: string): boolean => /^(?:\p{Lu}\p{Ll}{2,}-){3}\d\d$/u.test(value) || (/^\p{L}{3,}(?:[-.]\p{L}{3,}){3,}$/u.test(value) && !ofCode.test(value) && !/[-.](?:the|and|for|und|der|die|com|org|net|local|intern)(?![\p{L}])/u.test(value));
const ofCode = /pass|secret|token|key|config|data|auth|server|client|user|system|admin|module|util|service|spring|test|value|name|node|api/i;

function isPassword(value: string, quotes: number): boolean {
  if (/^\{[^}]*\}$/.test(value)) return false;
  if (isPassphrase(value)) return true;
  if (value.length < 4 || isPlaceholder(value)) return false;
  if (isMixed(value)) return !/^[\w-]+\([^)]*\)/.test(value) && !known.test(value);
  return quotes > 0 && value.length >= 5;
}

function isKey(value: string): boolean {
  if (value.length < 12 || /\s/.test(value) || isPlaceholder(value)) return false;
  return /\d/.test(value) && /[A-Za-z]/.test(value) && entropyOf(value) > 2.8;
}

/** Shannon, in bits a character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
