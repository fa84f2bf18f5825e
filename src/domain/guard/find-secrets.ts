import { type Finding, outermost } from "./finding.ts";
import { isPlaceholder, isStandIn } from "./placeholders.ts";
import { verbatim } from "../verbatim.ts";
import { callsItPin, callsItSecret, isChosen, mayCallIt, opensByDigits, otherCodes, otherKeys, recoveryCodes, secretNames } from "./secret-names.ts";
import { secretForms } from "./secret-forms.ts";
import { secretsOfLists } from "./secret-lists.ts";
import { entropyOf, isDate, isKey, isMadeUp, isMixed, isNumbered, isPassphrase, isPassword, isPasswordLike, isPin, isRandomKey, isUnmistakable, isWord, ofCode } from "./secret-shapes.ts";
import { readsAsSentence, wordsCalledSecret } from "./secret-words.ts";

const quoted = `"([^"\\n]{3,300})"|'([^'\\n]{3,300})'|\`([^\`\\n]{3,300})\`|“([^”\\n]{3,300})”|„([^“”\\n]{3,300})[“”]|«\\s?([^»\\n]{3,300}?)\\s?»|「([^」\\n]{3,300})」|『([^』\\n]{3,300})』`;
const bare = `([^\\s"'\`,;，。、；）)（(「」“”<>|]{3,300})`;
/** `name: value`, `name = "value"`, `<name>value</name>`, `define('NAME', 'value')`. */
const assigned = new RegExp(`((?:${secretNames})[\\w-]{0,30})["'\`)\\]]{0,3}[ \\t]{0,3}(?:=>|:=|==?|[:：＝→>]|\\((?=["'])|,(?=\\s*["'])|[ \\t]value=|</key>\\s*<string>|:[ \\t]*\\n[ \\t]*-[ ]|\\.(?:type|fill|send_?keys|set_?value|val)\\((?=["']))[ \\t]{0,3}(?:(?:buffer\\.from|b64decode|bytes\\.fromhex|atob|\\[\\]byte|bytes|string|str|secret|securestring|new [a-z.]{1,20})\\()?(?:${quoted}|${bare})`, "gu");
const isCall = /^\(/;
/** Names of what is about a secret. */
const about = /(?:name|ref|ids?|type|path|file|dir|url|uri|endpoint|length|len|count|limits?|size|max|min|expiry|expires|expires_in|expiration|ttl|age|policy|field|label|hint|header|class|store|manager|provider|env|var|arn|version|rotation|reset|prefix|format|hash|digest|strength|rules?|usage|budget|cost|price|window|bucket|scopes?|alg|algorithm|alias|encryption|mode|driver|backend|plugin|service|table|column|attribute|map|list|handler|order|by|board|minute|timeout|port|interval|iz(?:er|ation))$/i;
/** `keyboard`, `tokenizer`: a longer word. */
const isOther = (name: string): boolean => /^(?:keys?|tokens?|pass|pins?)[a-z]{3,}/.test(name) && !/^(?:keys?|tokens?|pass|pins?)(?:word|wort|wd|phrase|code|pass|value|string|secret|hex|plain|data|store)/.test(name);
const ofOtherKey = new RegExp(`(?:${otherKeys})[ _-]$`);
const stem = new RegExp(`^.*(?:${secretNames})`, "u");

const urlWithPassword = /\b[a-z][a-z0-9+.-]{1,30}:(?:\/\/(?:[^\s:/@'"`<>]{0,100}:|(?=[A-Za-z\d_-]{20,200}@))|(?:[a-z]+:){0,2}[^\s:/@'"`<>]{1,100}[:/])([^\s/'"`<>]{3,200})@[^\s'"`<>@]+/gi;
const header = /\b(?:authorization|x-[a-z-]{0,20}(?:key|token|auth)|api-key|private-token|cookie)["'`\])]{0,3}\s{0,3}[:=]\s{0,3}["'`]?(?:[A-Za-z-]{2,12} |[\w.-]{0,30}(?:sess\w{0,10}|sid|auth|token|jwt|login)=)?\s{0,2}([A-Za-z0-9+/=_.~%-]{12,})|(?:^|\s)(?:-b|--?cookie)\s+["']?[\w.-]{1,40}=([^\s"';]{12,})/gi;
const bearer = /\bbearer\s+([A-Za-z0-9+/=_.~-]{16,})/gi;
const userOption = /(?:^|\s)(?:-u|--(?:user|auth|basic-auth|proxy-user|creds|credentials))[ =]\s{0,3}["']?[\w.@-]+:([^\s"']{4,})/g;
/** SQL: `identified by 'x'`, `password 'x'`. */
const statement = /\b(?:identified (?:with \w+ )?by|password)(?:\s+|\()'([^'\n]{4,})'/gi;
/** `host:port:database:user:password`, as `.pgpass` has it. */
const passwordLine = /(?:^|[ \t])[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w.*-]+:[\w.*-]+:(\S{5,})$/gm;
const pipedPassword = /\b(?:echo|printf)\s+["']?([^"'\s|]{5,})["']?\s*\|\s*(?:sudo -S|docker login|passwd|cryptsetup|openssl)|<\(printf\s+["']?([^"'\s)]{5,})|<<<\s*["']?([^"'\s]{8,})|\s-U\s+["']?[^\s"'%]+%([^\s"']{4,})/g;
const passwordArgument = /\bnet user \S+ (\S{5,})|\bhtpasswd -\w*b\w*(?: -\w+)* \S+ \S+ (\S{5,})|\bredis-cli[^\n]{0,60} (?:-a|AUTH) (\S{5,})|\b(?:requirepass|rootpw|bindpw) (\S{5,})|\b-pass pass:(\S{5,})|\bsnmp\w+ [^\n]{0,40}?-c (?!public|private)(\S{5,})|\s\/p(?:ass(?:word)?)?:([^\s=]{5,})(?=\s|$)|\blftp -u \w+,(\S{5,})/gi;
const walletKey = /(?:private|wallet|signer|secret|seed|privée|privat|私钥|秘密)[^\n]{0,40}?\b(0x[0-9a-f]{64}|[0-9a-f]{64})\b/gi;
const parameter = /[?&](?:t|code|token|key|secret|appid|api_?key|access_token|password|pwd|auth|sig)=([^&\s"'`)\]]{12,})/gi;
const passwordParameter = /[?&;](?:password|passwd|pwd|pass)=([^&\s"'`;<>]{5,})/gi;
/** Of a stream. */
const streamKey = /\brtmps?:\/\/[^\s"']{1,100}\/([\w-]{16,})/gi;
/** `login / password`. */
const pair = /(?<![\w./])(?:(?:admin|root|sysadmin|administrator)\s?\/\s?|(?:[\w.-]{1,64}@[\w.-]{1,100}|[\p{L}][\p{L}\w.]{2,30}) \/{1,2} |[\w.-]{1,64}@[\w.-]{1,60}(?:, | (?:(?:with|mit|avec|con|and|und) )?))([^\s,;|]{6,60})/gu;
/** `user:password@host`, without a scheme. */
const atHost = /(?:^|\s)[\w.-]{2,30}:([^\s:@/"'`]{6,60})@(?:tcp\(|[\w-]+\.\w)/g;
/** What lets somebody in. */
const enteredWith = /(?:(?:lets? \p{L}{2,6}|gets? \p{L}*) in with|get into (?:\p{L}+ ){1,4}with|(?:opens?|unlocks?|secured|locked|protected|encrypted|gets? on it|opened)(?: it| them)? (?:with|by)|enters(?= \S+ (?:when|at|as) )|accède\p{L}* avec|(?:verrouillé|protégé|chiffré)e?s? (?:par|avec)|(?:abren?|accede|protegid[oa]s?) con|tecleando|(?:öffnet|entsperrt|geschützt|verschlüsselt) mit) ["'`„“«]?([^\s,;"'`”“»]{5,60})/gu;
/** `as ada with …`. */
const asUser = /(?:(?<!\p{L})(?:as|als|comme|como|user|benutzer|utilisateur|usuario)|(?:log ?in|sign in|anmelden|connecter|entra|accede)\p{L}* (?:with|mit|avec|con)|用) ?[\w.@-]{2,40} (?:with|using|mit|avec|con|and|und|et|y|和) ?["'`„“«]?([^\s,;"'`”“»]{6,60})/giu;
/** `login: user:password`. */
const namedPair = /(?:basic|user|log ?[io]n|credentials|zugang|zugangsdaten|identifiants?|credenciales|账号|認証)[^\n]{0,48}?\s[\w.-]{2,32}:([^\s,;:/]{8,60})/gi;
/** `auth("user", "password")`. */
const login = /(?:auth|(?:sign|log)_?in|client|conn|connect(?:ion)?|connexion|conectar|anmelden|verbinden|credentials?|ftp|smtp|imap|ssh|ldap|sql|sequelize|session|user)\w{0,12}\s?=?\s?\((?:[\w.]{1,30},\s?)?(?:["'][\w.@-]{0,60}["'],\s?){1,3}["']([^"'\n]{6,80})["']/gi;
/** `sign(payload, "…")`. */
const signing = /\b(?:sign|verify|(?:create_?)?hmac(?:\.new)?|createcipheriv)\((?:[\w.]{1,30}|["'][\w-]{1,20}["']),\s?b?["']([^"'\n]{12,100})["']/gi;
/** `NAME=…` in a file of settings: long and random. */
const setting = /^[ \t]*(?:export )?([A-Z][A-Z0-9_]{2,40})=["']?((?=\w*[a-z])(?=\w*[A-Z])(?=\w*\d)[\w-]{32,})["']?$/gm;
const spokenOption = /ConvertTo-SecureString\s+["']([^"'\n]{4,})["']|(?<![\w/:])\/user:\S+[ \t]+([^\s/"']{5,})|snmp-server community\s+(\S{5,})/gi;
const passwordOption = /(?:^|\s)(?:-[pPawk]|add-authtoken|wandb login|--api-key|--key|--?[a-z][\w-]{0,20}(?:password|passphrase|passwd|pwd|pass|token|secret)|--(?:password|passphrase|pass|token|secret))(?:[ =]|(?<=-p))(?:"([^"\n]{5,})"|'([^'\n]{5,})'|([^\s"']{5,}))/g;
const seedWords = /(?<![a-z])((?:[a-z]{3,8}[ ,]+){11,23}[a-z]{3,8})(?![a-z])/g;
const aboutSeeds = /seed(?!s\b)|semilla|cartera|portefeuille|graine|钱包|recovery|\bwords\b|metamask|recuperación|récupération|wiederherstell|復元|mnemonic|wallet|bitcoin|crypto|wörter|mots|palabras|phrase|助记词|词|リカバリー|シード|単語|ニーモニック/i;
const introduced = /^.*?\b(?:are|lauten|sind|sont|son)[ ,]+/;
/** More words than a seed has are a list of something; few of a seed's are the same. */
const isSeed = (words: readonly string[], rest: string): boolean => new Set(words).size > 6 && !(words.length === 24 && /^[ ,]+[a-z]{2,}/.test(rest));
const seedCharacters = /(?<!\p{sc=Han})(?:\p{sc=Han}{1,2}[ 、，,]){11,23}\p{sc=Han}{1,2}(?!\p{sc=Han})/gu;
const awsSecret = /(?<![A-Za-z0-9/+=])(?=[A-Za-z0-9/+]*[a-z])(?=[A-Za-z0-9/+]*[A-Z])(?=[A-Za-z0-9/+]*\d)([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/g;
const aboutLicences = /licen[cs]e|lizenz|licencia|serial|\bkey\b|schlüssel|许可|授权|序列号|激活|注册码|ライセンス|シリアル|キー/i;
/** As Google and Apple give them to one app each. */
const appPassword = /(?:pass(?:word)?|passwort|kennwort|mot de passe|mdp|contraseña|密码|パスワード)[^\n]{0,48}?(?<![a-z])([a-z]{4}(?:-[a-z]{4}){3}|[a-z]{4}(?: [a-z]{4}){3})(?![a-z])/gi;
const licence = /(?<![A-Z0-9-])(?:(?:[A-Z0-9]{5}-){3,5}[A-Z0-9]{5}|(?:[A-Z0-9]{4}-){3,5}[A-Z0-9]{4})(?![A-Z0-9-])/g;

/** Nothing else looks like this one. */
const fiveByFive = /(?<![A-Z0-9-])(?:[A-Z0-9]{5}-){4}[A-Z0-9]{5}(?![A-Z0-9-])/g;

/** In characters: at most a word stands between. */
const direct = 12;
const linked = /(?:\bis|\bwas|\breads|lautet|heißt|ist|est|es|:|=|auf|(?<!\b(?:hop|jump|ssh|connect|over|log ?in|go|switch|tunnel) )to|は|是)(?:\s+(?:now|still|always|jetzt|noch|immer|désormais|ahora|siempre))?\s*["'„“«「]?\s*$/i;
const isSaid = /^\S?\s+(?:is|ist|est|es|as|als|comme|como)\s|^\s?[是がは为]/;
/** In characters: what is called a secret stands soon after the word that calls it so, or just before. */
const [after, before] = [72, 24];
/** Between what is opened and the digits that open it. */
const joined = new RegExp(verbatim`(?:[:=：]|(?<!\p{L})(?:is|was|with|needs?|wants?|chose|takes|asks for|behind|numbers?|nummer|then|dann|puis|luego|plus|und|code|to|ist|lautet|mit|auf|braucht man|est|faire|mettre|avec|es|con|pon|el|le)|requires?|en \p{L}+ant|\p{L}+ando|['’](?:s|est)|は|是|成|为|用|加)\s*["'„“«「]?$`, "iu");
/** Runs of Latin letters, digits and signs. */
const run = /[!-~\u00a1-\u024f]{4,200}/g;
/** A combination of a safe, or a long key in groups of four. */
const digitGroups = /(?<![\d.+-])(?:\d{2}(?:[ -]\d{2}){2,3}|\d{4}(?: \d{4}){3,5}|\d{3} \d{3})(?![\d:-]|[., ]\d)/g;
const atKeypad = /^\S?\s(?:at|on|into) the (?:key|pin|panel|alarm|door)|^,? gets you (?:in|through)|^,? (?:\p{L}+ ){1,3}(?:hash|pound|star|asterisk|bell|enter|raute|stern|dièse|étoile|almohadilla|asterisco|touche|tecla|green|red|grün|rot)(?!\p{L})|^ (?:entsperr|tipp|eingeb|drück|wähl|ge?öffne|unlock|open|ouvre|déverrouill|abre|desbloque|auf(?=[.,!]|$))|^\s?[，、]?(?:再按|然后按|加井号|登录)|^\s?[をと]押|^\s?(?:と\p{L}{1,8})?で(?:解除|開|入|ログイン)/iu;
/** `1234 is the PIN`. */
const namedAfter = new RegExp(verbatim`^ \((?:pin|code|puk)|^\S?(?: (?:is|was|ist|war|est|es) \p{L}+ |\s?[がは是])[^.,;\n。，、]{0,24}?(?:pin|puk|passcode|(?<!(?:${otherCodes}) )code(?! (?:${otherCodes}))|código(?! (?:postal|de (?:error|área)))|combinati|kombination|geheimzahl|暗証|密码|口令)`, "iu");
/** `you need 1234 for the door`. */
const [isNeeded, isForIt] = [/(?:need|requires?|use|brauch\p{L}*|faut|usa) $/iu, /^ (?:for|at|on|to|für|am|an|pour|para|en|à) /];
/** `Pump 1074 opens at …`: the number of a thing. */
const [numberOf, opens] = [/(?<!(?:and|then|code|number|und|dann|et|puis|luego|that|dass|que|[^\p{L}]y))(?<=\p{L}{2}) $/iu, /^ (?:unlock|open|ouvre|abre|öffne)/u];
const generated = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[!#$%&*?@^~])(?!.*%[\dA-F]{2})[\w!#$%&*?@^~+=-]{9,23}\w$/;
const mayBeGenerated = /\w[!#$%&*?@^~]\w/;
/** Digits in words. */
const number = "(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)";
const spelt = new RegExp(verbatim`(?<!\p{L})(?:${number}[ ,-]{1,2}){3,7}${number}(?!\p{L})|[零〇一二三四五六七八九]{4,8}`, "giu");
const network = /wi-?fi|wlan|hotspot|voucher/i;
const nearKeypad = /\d[#*]?,? ?(?:opens|unlocks|gets you|followed by|then|[をと]押|[とで])/;
/** `1200 mm`, `1200 cars`. */
const measured = /^ ?(?:[ckm]?m|[mk]?g|[mk]?w|v|n|m?s|[mg]?hz|px|[kmg]b|euros?|yen|%|[€$]|[毫]?[秒米]|[分天回行人个件元円]|文字|(?:second|minute|hour|day|time|char(?:acter)?|line|row|user|entrie|op|request|call|item|point|token|heure|jour|ligne|segundo|minuto|hora|día|línea)s?|people|sekunden|minuten|stunden|tagen?|zeichen|zeilen|nutzer|einträge|(?:a|per|pro|par|por) (?:year|month|week|day|jahr|monat|mois|mes))(?![\p{L}'’])/iu;
/** `1200 cars`. */
const ofMany = /^ (?!is|was|as|this|its|since|plus|always|puis|opens|unlocks)\p{Ll}{2,}s(?!\p{L})/u;
const strongBox = /\bsafe\b|tresor|coffre|caja fuerte|保险[箱柜]|金庫/i;
/** What follows is a number of something, unless that is what has the number. */
const ownNumber = /(?:hat|has|a|tiene|mit|with|avec|con) (?:die|der|the|le|el) \p{L}+ $/iu;
const counted = /(?:users?|product|produkt|produit|producto|电话|電話|id|port|nr\.?|no\.?|(?<!\p{L}|(?:pin|code|secret)[ -])(?:n[uú]mero|num[eé]ro|nummer|number)|room|raum|benutzer|issue|ticket|errors?|fehler|erreur|pages?|seite|lines?|steps?|gate|flight|bus|zimmer|unit|hausnummer|order|invoice|rechnung|auftrag|case|bug|build|长度|超时|端口|次数|内[線线]|分机|ext(?:ension)?\.?|durchwahl|poste|用户|ユーザー|エラー)\s*[:=#]?\s*$/iu;

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
    if (!about.test(name) && !isOther(text.slice(match.index, match.index + (match[1] as string).length)) && !(match[1] === "key" && (/^[a-z]+(?:-[a-z\d]+)+$/.test(said) || ofOtherKey.test(lowered.slice(Math.max(0, match.index - 14), match.index)))) && (isKey(said) || (isChosen.test(match[1] as string) && !isCall.test(match[0].slice((match[1] as string).length)) && isPassword(said, match[0].endsWith(value) ? 0 : 1) && !(said.includes(" ") && readsAsSentence(value))) || isPin(said, match[1] as string))) add("password or key", start, said);
  }
  addGroup("password in a URL", urlWithPassword, (value) => (isPassphrase(value) || /^\d{9,}$/.test(value) || !isPlaceholder(value)) && !/^\d{1,5}$/.test(value));
  addGroup("authorization header", header, isKey);
  addGroup("authorization header", bearer, isKey);
  addGroup("password", userOption, (value) => !isStandIn(value));
  for (const form of [statement, passwordLine, pipedPassword, passwordArgument]) addGroup("password", form, (value) => !isStandIn(value) && !value.startsWith("$"));
  addGroup("wallet key", walletKey, (value) => !isMadeUp(value));
  addGroup("authorization header", parameter, isKey);
  addGroup("password in a URL", passwordParameter, (value) => !isPlaceholder(value));
  addGroup("stream key", streamKey, isKey);
  addGroup("password", spokenOption, (value) => !isStandIn(value));
  addGroup("password", passwordOption, (value) => isPassphrase(value) || (isMixed(value) && !isPlaceholder(value)));
  addGroup("password", login, (value) => !isStandIn(value) && (isUnmistakable(value) || (isKey(value) && !/^[a-z]+(?:[-.:/ ][a-z\d]+)+$/.test(value))));
  addGroup("password or key", signing, isKey);
  addGroup("password", asUser, (value) => isPasswordLike(value.replace(/[.:!?]+$/, "")) && /\p{L}[^\p{L}]*\d|\d[^\p{L}]*\p{L}/u.test(value));
  addGroup("password", enteredWith, (value) => {
    const said = value.replace(/[.:!?)]+$/, "");
    return isPasswordLike(said) && (!isNumbered(said) || /_.*_/.test(said));
  });
  addGroup("password", atHost, (value) => !isStandIn(value) && isUnmistakable(value));
  addGroup("password", namedPair, (value) => !isStandIn(value) && (isPassphrase(value) || isUnmistakable(value)));
  addGroup("password or key", setting, (value, match) => !about.test(match[1] as string) && entropyOf(value) > 4.2);
  addGroup("password", pair, (value, match) => !isStandIn(value) && (isPassphrase(value) || isUnmistakable(value) || (/^(?:admin|root)/i.test(match[0].trim()) && /\d/.test(value) && /\p{L}{2}/u.test(value))));
  if (aboutSeeds.test(text)) {
    addGroup("seed phrase", seedCharacters, () => true);
    for (const { index, 0: whole } of text.matchAll(seedWords)) {
      const value = whole.replace(introduced, "");
      const words = value.split(/[ ,]+/);
      if (words.length >= 12 && isSeed(words, text.slice(index + whole.length)) && !readsAsSentence(value)) add("seed phrase", index + whole.length - value.length, value);
    }
  }
  if (aboutLicences.test(text)) addGroup("licence key", licence, (value) => /\d/.test(value) && /[A-Z]/.test(value));
  else addGroup("licence key", fiveByFive, (value) => value.split("-").filter((group) => /\d/.test(group) && /[A-Z]/.test(group)).length > 2);
  addGroup("app password", appPassword, (value) => value.split(/[- ]/).some((group) => /^[^aeiouy]+$|[qxjz]/.test(group)));
  if (/aws|amazon|secret|s3|akia/i.test(text)) addGroup("AWS secret key", awsSecret, (value) => entropyOf(value) > 4.2 && !isMadeUp(value));
  found.push(...wordsCalledSecret(lowered), ...calledSecret(text, lowered));
  const open = [...text.matchAll(publicBlock)].map(({ index, 0: { length } }) => [index, index + length] as const);
  return outermost(found.filter(({ start, end }) => !open.some(([from, to]) => from <= start && end <= to)));
}

/** Each letter in its place, which `toLowerCase` alone does not promise. */
const inLowerCase = (text: string): string => text.replaceAll(/[A-ZÀ-ÖØ-Þ]+/g, (capitals) => capitals.toLowerCase());

/** What stands near a word such as "password" and looks like one. */
function calledSecret(text: string, lowered: string): Finding[] {
  const placesOf = (words: RegExp) => [...lowered.matchAll(words)].map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
  const [cues, hints] = [placesOf(callsItSecret), placesOf(mayCallIt)];
  const hasDigits = /\d(?:[ -]?\d){3}/.test(text);
  const [pins, locks] = hasDigits ? [placesOf(callsItPin), placesOf(opensByDigits)] : [[], []];
  const isQuiet = cues.length + pins.length + hints.length + locks.length === 0;
  if (isQuiet && !strongBox.test(text) && !nearKeypad.test(text) && !mayBeGenerated.test(text)) return [];
  const follows = (places: typeof cues, start: number, reach: number): boolean => places.some((cue) => start >= cue.end && start - cue.end <= reach);
  const isNear = (places: typeof cues, start: number, end: number, reach = after): boolean =>
    follows(places, start, reach) || places.some((cue) => end <= cue.start && cue.start - end <= before && !/[.\n]|-$/.test(text.slice(end, cue.start)));
  /** Digits that open something: called so before or after, or joined to what they open. */
  const isPinThere = (value: string, start: number, end: number, ahead: string, behind: string): boolean => {
    const close = ahead.slice(-direct);
    // A telephone number, a pull request, a number of something.
    if (/(?<!pin)\d[ /-]$/i.test(close) || /^#\d+$/.test(value) || measured.test(behind) || (!/[*#]/.test(value) && counted.test(close) && !ownNumber.test(ahead))) return false;
    const [isJoined, isKeyed] = [joined.test(close), atKeypad.test(behind) && !(numberOf.test(close) && opens.test(behind))];
    // What an answer says is judged with its question.
    const line = ahead.slice(ahead.lastIndexOf("\n") + 1).toLowerCase();
    if (/\?\s*\n[^\n]*$/.test(ahead) && !isKeyed && line.search(callsItPin) + line.search(opensByDigits) === -2) return false;
    if (isDate(value) && !/^ \d{4}/.test(behind)) return follows(pins, start, 2) || (isJoined && (isKeyed || follows(pins, start, 24)));
    if (isKeyed || follows(pins, start, 40) || namedAfter.test(behind) || (/[*#]/.test(value) && follows(locks, start, 60))) return true;
    return !ofMany.test(behind) && (((isJoined || /-\d-/.test(value)) && follows(locks, start, 40)) || (isNeeded.test(close) && isForIt.test(behind) && locks.some((cue) => cue.start >= end && cue.start - end < 40)));
  };
  const found = isQuiet ? [] : secretsOfLists(text);
  if (callsItCodes.test(text)) for (const { index, 0: { length } } of text.matchAll(oneTimeCode)) if (isNear(cues, index, index + length, 160)) found.push({ kind: "recovery code", start: index, end: index + length });
  for (const { index, 0: whole } of text.matchAll(run)) {
    const [, lead = "", value = ""] = /^([("'`“„«[{<*,:;=>-]*)(.*?)(?:[)"'`”“»\]}<>.,:;]|\*\*)*$/s.exec(whole) ?? [];
    if (isWord.test(value)) continue;
    // `SameSite=Strict`: a word that another name has; a type and what it is made of.
    if (/^[A-Za-z][A-Za-z_.-]{2,}=[A-Za-z-]+$|^sha\d{3}\/|^\w+@(?:\d+\.){3}|[\w)]<\w|\w>\w/.test(value)) continue;
    const start = index + lead.length;
    const end = start + value.length;
    const [ahead, behind] = [text.slice(Math.max(0, start - 80), start), text.slice(end, end + 48)];
    const close = ahead.slice(-direct);
    const [, name = ""] = !/[:=]\s{0,3}["'`]?$/.test(close) ? [] : /(?:^|[{,;(\n]\s{0,8}|\s(?=[\w.-]*[_.-]))["']?([\w.-]{3,60})["']?\s{0,3}[:=]\s{0,3}["'`]?$/.exec(ahead) ?? [];
    if (isOther(name) || about.test(name) || isUserName.test(ahead) || isExample.test(ahead) || (/^[a-z]+(?:-[a-z]+)+$/.test(value) && isRun.test(ahead))) continue;
    const add = (): void => void found.push({ kind: "password or key", start, end });
    if (/^(?:\d{2,5}[A-F]\d{0,3}|[A-D]\d{4,5})$/.test(value) && (follows(pins, start, 40) || (joined.test(close) && follows(locks, start, 48)))) add();
    if (/^[*#]?\d(?:-?\d){3,7}[*#]?$/.test(value)) {
      if (isPinThere(value, start, end, ahead, behind)) found.push({ kind: "password or key", start, end: end + (/^(?: \d{4})+(?!\d)/.exec(behind)?.[0].length ?? 0) });
      if (value.length < 9) continue;
    }
    const isLinked = linked.test(close);
    const isNamedOtherwise = /(?:commit|fingerprint|trace|request|checksum|sha|digest|image|build|revision|sheet|doc|file|folder|id|hash|public[ _-]?key|pubkey)\s{0,3}[:=]?\s*["']?$/i.test(ahead.slice(-24));
    // A hash, unless it is said to be the secret.
    const isOfAnother = /^[0-9a-f]{32,64}$/.test(value) && (isNamedFirst(ahead) || !(follows(cues, start, after) || isSaid.test(behind)));
    const isCalled =
      (follows(cues, start, direct) || (isSaid.test(behind.slice(0, direct)) && cues.some((cue) => cue.start >= end && cue.start - end <= before)) || (follows(cues, start, after) && isLinked && !isNamedOtherwise)) &&
      !isStandIn(value) && (/^\p{L}{3,}(?:[-.]\p{L}{3,}){3,}$|^\d{9,63}$/u.test(value) || (!isPlaceholder(value) && (/^\p{L}{4,}(?:19|20)\d\d$/u.test(value) || (/^\p{L}{3,}(?:-\p{L}{2,}){2,}$/u.test(value) && !ofCode.test(value)))));
    // Nothing calls it so, but it is as a generator makes them.
    const isGenerated = lead === "" && !/= ?\W?$/.test(close) && entropyOf(value) > 3 && generated.test(value) && !/^[\w-]+=|&\w+=/.test(value) && !isPlaceholder(value);
    const isOfNetwork = /^[A-Z\d]{12,}$/.test(value) && joined.test(close) && network.test(ahead.slice(-40));
    const isThere = (): boolean => isPasswordLike(value) && (!isNumbered(value) || isLinked) && (isNear(cues, start, end) || (isUnmistakable(value) && (isNear(hints, start, end, 60) || cues.some((cue) => cue.start >= end && cue.start - end <= 64))));
    if (isCalled || isGenerated || isOfNetwork || (!isNamedOtherwise && isRandomKey(value) && isNear(hints, start, end, 40)) || (isPassphrase(value) && follows(hints, start, 24)) || (!isNamedOtherwise && !isOfAnother && isThere())) add();
  }
  for (const { index, 0: { length } } of text.matchAll(spelt)) if (follows(pins, index, 40) || follows(cues, index, 24)) found.push({ kind: "password or key", start: index, end: index + length });
  for (const { index, 0: value } of text.matchAll(digitGroups)) {
    const isLong = value.length > 14;
    const isJoined = joined.test(text.slice(Math.max(0, index - direct), index));
    if (isLong ? follows(cues, index, 24) || (isJoined && network.test(text.slice(Math.max(0, index - 40), index))) : (isJoined && (follows(locks, index, 48) || follows(pins, index, 60)) && !isDate(value)) || (follows(pins, index, 24) || strongBox.test(text.slice(Math.max(0, index - 48), index))) && !isDate(value)) found.push({ kind: "password or key", start: index, end: index + value.length });
  }
  return found;
}

const callsItCodes = new RegExp(recoveryCodes, "i");
const oneTimeCode = /(?<![\w-])(?:(?=[a-z]*\d|[\w-]*[- ]?\w*\d|[a-z]{5}-[a-z]{5}(?![\w-]))[a-z0-9]{4,8}(?:[- ][a-z0-9]{4,8}){1,4}|(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z\d]{6,10}|\d{8})(?![\w-])/g;
/** `The trace id of the failed login was …`: what is named first is what it is. */
function isNamedFirst(before: string): boolean {
  const said = before.slice(Math.max(before.lastIndexOf(". "), before.lastIndexOf("\n")) + 1);
  const other = said.search(/\b(?:trace|request|correlation|commit|checksum|sha\d*|md5|digest|etag|fingerprint)\b/i);
  return other >= 0 && other < said.search(callsItOnce);
}
/** `my username on the forum is …` */
const isUserName = /(?:user ?name|benutzername|nom d['’]utilisateur|nombre de usuario|用户名|ユーザー名)(?: (?:on|for|in|at|auf|im|für|sur|pour|en|para) [^.,;:\n]{1,20})?(?: (?:is|ist|est|es)|[是は:：]) ?["'`„“]?$/i;
/** `npx release-all-packages`: what is run or installed. */
const isRun = /(?:npx|bunx|uvx|dlx|pipx run|(?:npm|pnpm|yarn|bun) (?:run|add)|(?:pip|brew|apt|cargo|npm|pnpm|go) install)(?: -\S+)* ["'`]?$/;
/** `such as …`, in advice. */
const isExample = /(?:such as|like(?= ["'“]?$| \S+ or ["'“]?$)|e\.g\.|for example|z\. ?B\.|par exemple|por ejemplo|比如|例如|たとえば)[^.:：\n]{0,24}$/i;
const callsItOnce = new RegExp(callsItSecret.source, "iu");
