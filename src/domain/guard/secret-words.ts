import { verbatim } from "../verbatim.ts";
import type { Finding } from "./finding.ts";
import { isPlaceholder } from "./placeholders.ts";
import { passwords } from "./secret-names.ts";

/**
 * Passwords that are words. Nothing in their form tells them from what a sentence says of a password ("is optional"), so they are taken only
 * where the sentence leaves no other reading: quoted, or alone behind a word such as "is" or a colon, and no word that is said of passwords.
 * All patterns are of lower case.
 */

/** `la clave es …` is the key to anything. */
const named = passwords.replace("|clave(?! (?:", "|clave(?= de)(?! (?:del? éxito|");
const called = verbatim`(?:${named})(?![a-zß-ÿ_]|-[a-z])|(?<!\p{L})(?:pw|pass)(?!\p{L})|(?:code|secret|safe|watch|magic|memorable|pass)[ -]?(?:word(?! for)|phrase)|security (?:question|answer)|codewort|losungs?wort|sicherheitsfrage|question secrète|pregunta de seguridad|community string`;
const is = verbatim`(?<!\p{L})(?:is|was|are|reads|lautet|ist|war|est|es|c['’]est)(?:(?: tout)? (?:still|now|just|simply|really|both|noch|jetzt|einfach|désormais|encore|toujours|maintenant|simplement|todavía|ahora|simplemente))?`;
const word = verbatim`(\p{Ll}{4,20})`;
const [opened, closed] = [verbatim`["'‘“„«「] ?`, verbatim` ?["'’”“»」]`];
/** What is said ends here. */
const end = verbatim`(?=[,;.!](?:\s|$)|$)`;
/** Not of the password itself. */
const gap = verbatim`(?:(?! (?:policy|rule|manager|field|reset|hash|form|page|label|strength|length))[^\n.:="“„«「])`;
const user = verbatim`(?<!\p{L})(?:user(?: ?name)?|benutzer(?:name)?|log ?in|account|utilisateur|compte|usuario|cuenta)(?: as| als|:)? [\w.@-]{2,30}`;

const places = [
  `(?:${called}|wi-?fi|wlan)${gap}{0,60}?(?:${is} |[:：=] ?|[是は为] ?)${opened}${word}${closed}`,
  `(?:${passwords}|unlock\\p{L}* with|entsperr\\p{L}* mit) ${opened}${word}${closed}`,
  `${opened}${word}${closed} (?:is|as|was|ist|war|als|est|es|comme|como) (?:\\p{L}{1,12} ){1,3}(?:${called})`,
  `(?:${called})${gap}{0,40}? (?<!(?:that|this|which|what|there) )${is} ${word}${end}`,
  `${user},? (?:\\p{L}{1,4} ){0,2}(?:${passwords}):? ${word}(?!\\p{L})`,
  `, (?:${passwords}) ${word}${end}`,
  `(?:memorable|secret|safe|magic)[ -]word ${word}${end}`,
  `^[^\\n{}()<>=:]{0,40}(?:${called})[^\\n{}()<>=:.]{0,40}(?:[:：] ?| = )${word}(?=[,;]\\s|[.!]?$)`,
  `^(?:export )?\\w*(?:${passwords}|pass)=${word}$`,
  `(?<!\\p{L})(?:set|chang|reset|änder|setz|cambi)[^\\n.]{0,40}(?:${passwords}) (?:(?:from|von|de) ${word} )?(?:to|auf|à|a|por) ${word}(?= (?:on|for|in|at|auf|für|sur|pour|en|para) |[,;.!](?:\\s|$)|$)`,
];
const wordPassword = new RegExp(places.join("|"), "gmu");
/** `castle, all lower case`, said of a password a little before. */
const wordInLower = /(?<!\p{L})(\p{Ll}{4,20})(?=,? (?:all|in) (?:lower|small)|, alles klein|, t[ou]{1,2}[dt]o? en min)/gu;
const mayHave = new RegExp(`${called}|wi-?fi|wlan|unlock|entsperr|phrase|words|frase|wörter|mots|palabras|key|schlüssel|clé|llave|gets? |log ?in`, "u");
const ofPassword = new RegExp(`${passwords}|(?<!\\p{L})pw`, "u");

/** What may be said of a password. */
const isState = new RegExp(
  verbatim`(?:ed|ing|able|ible|[^st]al|ive|[aio]ry|ic|ful|less|ly|ten|ent|ant|word|wort|ée?s?|ad[oa]|id[oa]|que|ante|ien|ori?[oa]|[ao]ire|[lg]ich|[lmnst]ig|bar|sam)$|^(?:abge|ge|ver|be|ent|zurück)\p{Ll}+(?:t|en)$|^(?:fresh|twice|right|lost|left|enough|ready|stale|safe|gone|secure|good|done|simple|complex|again|below|above|falsch|sicher|leer|nein|siehe|name|file|mine|dans|desde|manager|policy|field|hash|form|length|rules?|change|expire|rotate|open|back|just|easy|hard|first|free|strict|please|already|yesterday|today|tomorrow|always|gestern|heute|morgen|pflicht|dasselbe|derselbe|personnel|encore|hier|ayer|mañana|gleich|kurz|lang|stark|schwach|dort|noch|auch|immer|(?:un)?bekannt|vide|forte?|même|correcte?|difficile|longue?|courte?|nouve\p{Ll}+|bonne?|inconnue?|perdue?|ailleurs|trop|plus|(?:in)?correct[oa]|distint[oa]|cort[oa]|larg[oa]|nuev[oa]|segur[oa]|débil|fuerte|fácil|difícil|mism[oa]|vací[oa]|siempre|aquí)$`,
  "u",
);
/** Words with which somebody speaks, asks or does something. */
const speaking = verbatim`i|the(?:[iy]\p{L}*|re|m)|that|this|what|do(?:es)?|was|are|y?our?|yo?u|not|but|see|ask|same|will|can|must|should|when|where|who|how|why|here|its?|h[aei][sdrm]|have|she|very|also|still|now|because|been|did|got?|use|set|never|no|if|is|be|we|my|us|me|so|both|none|est|ist|nicht|wird|oder|pas|sont|key|case|characters|digits|letters|zeichen|caract[eè]res|correct horse|ich|dir|fragt?|weiß|schick(?:e|t|en)|check|look|sorry|later|dunno|sekunde|attends|más|\p{L}{3,6}(?:tag|day)|k?ein\p{L}*`;
const isWholly = (words: string): RegExp => new RegExp(verbatim`(?<!\p{L})(?:${words})(?!\p{L})`, "u");
export const isSpoken = isWholly(verbatim`${speaking}|du|wir|er|sind|habe|ja|je|tu|il|on|non|son|mi|está|não|nie|['’]\p{L}{1,2}`);
/** Words of sentences: a passphrase has none. */
const isSentence = isWholly(
  verbatim`${speaking}|then?|an?d?|with|for|from|too?|only|under|over|into|until|like|than|all|any|each|every|some|more|most|less|few|many|much|one|two|new|old|last|next|after|before|since|about|own|out|off|of|i[nf]|o[nr]|a[st]|by|up|un?|et|au|words?|[dl]es?|des|pour|que|las?|los|para|der|die|das|und|den|mit|el|une|por|con|sur|im|es|du|zu|von|auf|bei|sich|nur|y|se|su|detrás`,
);
export const readsAsSentence = (value: string): boolean => isSentence.test(value.toLowerCase());
export function isWordPassword(value: string): boolean {
  const lowered = value.toLowerCase();
  return !isPlaceholder(lowered) && !isState.test(lowered) && !isSentence.test(lowered);
}

const few = verbatim`\p{Ll}{3,12}(?: \p{Ll}{3,12}){1,6}`;
const several = verbatim`\p{Ll}{3,12}(?: \p{Ll}{3,12}){3,6}`;
const phrase = new RegExp(
  `(?:${called})[^\\n.:]{0,80}?(?:${is} |[:：=] ?)(?:${opened}(${few})${closed}|(?!\\p{Ll}+ (?:words|wörter|mots|palabras))(${few})${end})|(?:phrase|words|frase|wörter|mots|palabras|gets? (?:you )?in|log ?in|wi-?fi|wlan)[^\\n.:]{0,60}?(?:${is} |[:：=] ?|(?:with|mit|avec|con|(?:words|wörter|mots|palabras),) )(${several})${end}`,
  "gmu",
);

const quotedPhrase = new RegExp(`${opened}(${several})${closed}`, "gu");
const mayBePhrase = new RegExp(`${called}|key|schlüssel|clé|llave`, "u");

/** Given a text in lower case. */
export function wordsCalledSecret(lowered: string): Finding[] {
  const found: Finding[] = [];
  const find = (kind: string, form: RegExp, is: (value: string, at: number) => boolean): void => {
    for (const match of lowered.matchAll(form))
      for (const value of match.slice(1)) {
        const start = value === undefined ? 0 : match.index + match[0].lastIndexOf(value);
        if (value !== undefined && is(value, start)) found.push({ kind, start, end: start + value.length });
      }
  };
  if (!mayHave.test(lowered)) return found;
  find("password", wordPassword, isWordPassword);
  if (/lower|small|klein|en min/.test(lowered)) find("password", wordInLower, (value, at) => ofPassword.test(lowered.slice(Math.max(0, at - 90), at)) && isWordPassword(value));
  find("passphrase", quotedPhrase, (value, at) => !isSentence.test(value) && mayBePhrase.test(lowered.slice(Math.max(0, at - 60), at) + lowered.slice(at + value.length, at + value.length + 32)));
  find("passphrase", phrase, (value) => !isSentence.test(value) && (value.split(" ").length > 3 || value.split(" ").every(isWordPassword)));
  return found;
}
