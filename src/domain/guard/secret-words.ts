import { verbatim } from "../verbatim.ts";
import type { Finding } from "./finding.ts";
import { isPlaceholder } from "./placeholders.ts";
import { passwords } from "./secret-names.ts";

/**
 * Passwords that are words. Nothing in their form tells them from what a sentence says of a password ("is optional"), so they are taken only
 * where the sentence leaves no other reading: quoted, or alone behind a word such as "is" or a colon, and no word that is said of passwords.
 */

/** What may be a word: in lower case, as all patterns here. */
/** `la clave es …` is the key to anything. */
const named = passwords.replace("|clave|", "|clave(?= de)|");
const called = verbatim`(?:${named})(?![a-zß-ÿ_]|-[a-z])|(?<!\p{L})(?:pw|pass)(?!\p{L})|(?:code|secret|safe|watch|magic|memorable|pass)[ -]?(?:word(?! for)|phrase)|security (?:question|answer)|codewort|losungs?wort|zauberwort|sicherheitsfrage|question (?:secrète|de sécurité)|pregunta (?:de seguridad|secreta)|community string`;
const is = verbatim`(?<!\p{L})(?:is|was|are|reads|lautet|ist|war|est|es|era|c['’]est)(?:(?: tout)? (?:still|now|just|simply|really|always|both|noch|jetzt|einfach|immer|encore|toujours|maintenant|simplement|todavía|ahora|simplemente))?`;
const aboutIt = " (?:policy|rule|manager|field|reset|hash|form|page|label|strength|prompt|length)";
const word = verbatim`(\p{Ll}{4,20})`;
const [opened, closed] = [`["'‘“„«「] ?`, ` ?["'’”“»」]`];
/** What is said ends here. */
const end = verbatim`(?=[,;.!](?:\s|$)|$)`;
const user = verbatim`(?<!\p{L})(?:user(?: ?name)?|benutzer(?:name)?|log ?in|account|utilisateur|compte|usuario|cuenta)(?: as| als|:)? [\w.@-]{2,30}`;

const places = [
  `(?:${called}|wi-?fi|wlan)(?:(?!${aboutIt})[^\\n.:="“„«「]){0,60}?(?:${is} |[:：=] ?|[是は为] ?)${opened}${word}${closed}`,
  `(?:${passwords}) ${opened}${word}${closed}`,
  `(?<!\\p{L})(?:unlock|entsperr|déverrouill|desbloque)[^\\n.]{0,30} (?:with|mit|avec|con) ${opened}${word}${closed}`,
  `${opened}${word}${closed} (?:is|as|was|ist|war|als|est|es|comme|como) (?:\\p{L}{1,12} ){1,3}(?:${called})`,
  `(?:${called})(?:(?!${aboutIt})[^\\n.:="]){0,40}? (?<!(?:that|this|which|what|there) )${is} ${word}${end}`,
  `${user},? (?:(?:and|und|with|mit|et|y|con|avec) )?(?:(?:the|dem|le|la) )?(?:${passwords}):? ${word}(?!\\p{L})`,
  `, (?:${passwords}) ${word}${end}`,
  `(?:memorable|secret|safe|magic)[ -]word ${word}${end}`,
  `^[^\\n{}()<>=:]{0,40}(?:${called})[^\\n{}()<>=:.]{0,40}(?:[:：] ?| = )${word}(?=[,;]\\s|[.!]?$)`,
  `(?<!\\p{L})(?:set|chang|reset|änder|setz|cambi)[^\\n.]{0,40}(?:${passwords}) (?:(?:from|von|de) ${word} )?(?:to|auf|à|a|por) ${word}(?= (?:on|for|in|at|auf|für|im|sur|pour|en|para)(?!\\p{L})|[,;.!](?:\\s|$)|$)`,
];
const wordPassword = new RegExp(places.join("|"), "gmu");
/** `castle, all lower case`, said of a password a little before. */
const wordInLower = /(?<!\p{L})(\p{Ll}{4,20})(?=,? (?:all|in) (?:lower|small)|, alles klein|, tout en min|, todo en min)/gu;
const mayHaveWord = new RegExp(`${called}|wi-?fi|wlan|unlock|entsperr|déverr|desbloq`, "u");
const ofPassword = new RegExp(`${passwords}|(?<!\\p{L})pw`, "u");

/** What may be said of a password. */
const isState = new RegExp(
  verbatim`(?:ed|ing|able|ible|[^st]al|ive|[aio]ry|ic|ful|less|ly|ten|ent|ant|word|wort|é|és|ée|ad[oa]|id[oa]|que|ante|ien|oire|orio|oria|aire|[lg]ich|[lmnst]ig|bar|sam)$|^(?:abge|ge|ver|be|ent|zurück)\p{Ll}+(?:t|en)$|^(?:unique|fresh|right|secret|current|input|default|reset|text|lost|left|enough|ready|there|here|stale|fine|safe|gone|secure|good|done|over|simple|complex|never|again|below|above|taken|given|falsch|richtig|sicher|leer|nein|keine|siehe|name|file|ours|this|that|also|plenty|much|many|wise|true|false|mine|yours|hers|from|with|into|until|unter|depuis|dans|desde|manager|policy|field|hash|prompt|form|length|rules?|hint|page|change|expire|rotate|same|both|only|used|ours|sent|public|private|open|case|where|when|what|back|just|then|none|easy|hard|weird|silly|next|last|first|soon|shown|known|free|strict|please|already|yesterday|today|tomorrow|important|personnel|always|personal|gestern|heute|morgen|pflicht|sache|encore|hier|demain|ayer|hoy|mañana|dasselbe|derselbe|dieselbe|gleich|kurz|lang|stark|schwach|weg|dort|hier|noch|nicht|auch|immer|unbekannt|bekannt|vide|faible|forte?|même|correcte?|facile|difficile|longue?|courte?|nouveau|nouvelle|bonne?|inconnue?|perdue?|secrète?|ailleurs|trop|plus|ici|dessus|dessous|correct[oa]|incorrect[oa]|distint[oa]|cort[oa]|larg[oa]|nuev[oa]|segur[oa]|débil|fuerte|fácil|difícil|mism[oa]|vací[oa]|siempre|igual|aquí|allí)$`,
  "u",
);
export const isWordPassword = (value: string): boolean => !isPlaceholder(value) && !isState.test(value);

/** Words of sentences: a passphrase has none. */
export const isSentence = new RegExp(
  verbatim`(?<!\p{L})(?:the|an?d?|that|with|for|what|do(?:es)?|was|are|you|this|have|from|not|but|too?|see|ask|same|only|under|over|into|like|than|will|can|must|should|when|who|how|why|where|here|there|the[iy]r?|your?|our|its|his|her|him|she|all|any|each|every|some|more|most|less|few|many|much|very|also|still|now|then|one|two|new|old|last|next|after|before|until|since|because|about|been|has|had|did|get|got|use|set|own|out|off|never|no|of|is|in|on|at|by|as|or|if|it|be|we|my|us|me|so|up|est|les?|des?|pour|que|los?|las?|para|der|die|und|den|mit|ist|nicht|el|en|une?|por|con|sur|dans|im|am|es|et|du|au|zu|von|kein\p{L}*|ein\p{L}*|das|auf|bei|sich|wird|nur|auch|oder|para|como|pas|sont|y|no|se|su|key|case|characters|digits|letters|zeichen|caractères|caracteres)(?!\p{L})`,
  "u",
);
const [few, several] = [verbatim`\p{Ll}{3,12}(?: \p{Ll}{3,12}){1,2}`, verbatim`\p{Ll}{3,12}(?: \p{Ll}{3,12}){3,6}`];
const phrase = new RegExp(
  `(?:${called})[^\\n.:]{0,60}?(?:${is} |[:：=] ?)(?:${opened}((?:${few}|${several}))${closed}|((?:${several}|${few}))${end})|(?:phrase|words|frase|wörter|mots|palabras|get in|gets? (?:in|you in)|log ?in|wi-?fi|wlan)[^\\n.:]{0,60}?(?:${is} |[:：=] ?|(?:with|mit|avec|con) )["“„«]?(${several})(?=["”“»]?(?:[,;.!](?:\\s|$)|$))`,
  "gmu",
);
const mayHavePhrase = new RegExp(`${called}|phrase|words|frase|wörter|mots|palabras|get|gets|log ?in|wi-?fi|wlan`, "u");

/** Given a text in lower case. */
export function wordsCalledSecret(lowered: string): Finding[] {
  const found: Finding[] = [];
  const add = (kind: string, start: number, value: string): void => void found.push({ kind, start, end: start + value.length });
  if (mayHaveWord.test(lowered))
    for (const match of lowered.matchAll(wordPassword)) {
      for (const value of match.slice(1)) if (value !== undefined && isWordPassword(value)) add("password", match.index + match[0].lastIndexOf(value), value);
    }
  for (const { index, 0: value } of lowered.matchAll(wordInLower)) if (ofPassword.test(lowered.slice(Math.max(0, index - 90), index)) && isWordPassword(value)) add("password", index, value);
  if (mayHavePhrase.test(lowered))
    for (const match of lowered.matchAll(phrase)) {
      const value = match.slice(1).find((group) => group !== undefined) as string;
      const words = value.split(" ");
      if (!isSentence.test(value) && (words.length > 3 || words.every(isWordPassword))) add("passphrase", match.index + match[0].lastIndexOf(value), value);
    }
  return found;
}
