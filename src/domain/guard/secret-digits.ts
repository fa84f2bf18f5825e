import { verbatim } from "../verbatim.ts";
import type { Finding } from "./finding.ts";
import type { Cues } from "./secret-cues.ts";
import { callsItPin, opensByDigits, otherCodes } from "./secret-names.ts";
import { isDate } from "./secret-shapes.ts";

/** Digits that open something: called so before or after, or joined to what they open. */

/** In characters: at most a word stands between. */
export const direct = 12;

/** Between what is opened and the digits that open it. */
export const joined = new RegExp(verbatim`(?:[:=：]|(?<!\p{L})(?:is|was|with|needs?|wants?|chose|takes|asks for|behind|numbers?|nummer|then|dann|danach|puis|ensuite|luego|después|poi|depois|dan|digits,?|ziffern,?|chiffres,?|cif[rs]as?,?|cifre,?|cijfers,?|plus|und|code|to|ist|lautet|mit|auf|braucht man|est|faire|mettre|avec|es|con|pon|el|le)|requires?|pede|pide|vuole|на|jest|był|är|er|je|é|è|com|met|med|en \p{L}+ant|\p{L}+ando|['’](?:s|est)|は|是|成|为|用|加)\s*["'„“«「]?$`, "iu");
/** A combination of a safe, or a long key in groups of four. */
const digitGroups = /(?<![\d.+-])(?:\d(?:[ -]\d){3,7}|\d{2}(?:(?: - |[ -])\d{2}){2,3}|\d{4}(?: \d{4}){3,5}|\d{3} \d{3})(?![\d:-]|[., ]\d)/g;
const atKeypad = /^,? (?:\p{L}+ ){0,3}(?:[#*](?![\w *#])|(?:hash|pound|star|asterisk|bell|enter|ok|confirm\p{L}*|raute|stern|bestätig\p{L}*|dièse|étoile|valide[rz]|almohadilla|asterisco|aceptar|touche|tecla|cancelletto|conferma|cardinal|hekje|bevestig\p{L}*|green|red|grün|rot)(?!\p{L}))|^\S?\s(?:at|on|into) the (?:key|pin|panel|alarm|door)|^,? gets you (?:in|through)|^ (?:entsperr|tipp|eingeb|drück|intoets|digita|wpis|wähl|ge?öffne|unlock|open|ouvre|déverrouill|abre|desbloque|auf(?=[.,!]|$))|^\s?[，、]?(?:再按|然后按|加井号|登录)|^\s?[をと]押|^\s?(?:と\p{L}{1,8})?で(?:解除|開|入|ログイン)/iu;
/** `1234 is the PIN`. */
const namedAfter = new RegExp(verbatim`^ \((?:pin|code|puk)|^\S?(?: (?:is|was|ist|war|est|es) \p{L}+ |\s?[がは是])[^.,;\n。，、]{0,24}?(?:pin|puk|passcode|(?<!(?:${otherCodes}) )code(?! (?:${otherCodes}))|código(?! (?:postal|de (?:error|área)))|combinati|kombination|geheimzahl|暗証|密码|口令)`, "iu");
/** `you need 1234 for the door`. */
const [isNeeded, isForIt] = [/(?:need|requires?|use|brauch\p{L}*|faut|usa) $/iu, /^ (?:for|at|on|to|für|am|an|pour|para|en|à) /];
/** `Pump 1074 opens at …`: the number of a thing. */
const [numberOf, opens] = [/(?<!(?:and|then|code|number|und|dann|et|puis|luego|that|dass|que|[^\p{L}]y))(?<=\p{L}{2}) $/iu, /^ (?:unlock|open|ouvre|abre|öffne)/u];
/** Digits in words. */
const number = "(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)";
const spelt = new RegExp(verbatim`(?<!\p{L})(?:${number}[ ,-]{1,2}){3,7}${number}(?!\p{L})|[零〇一二三四五六七八九]{4,8}`, "giu");
/** `1200 mm`, `1200 cars`. */
const measured = /^ (?:qué es|what is|was ist|c['’]est quoi)|^ ?(?:[ckm]?m|[mk]?g|[mk]?w|v|n|m?s|[mg]?hz|px|[kmg]b|euros?|yen|%|[€$]|[毫]?[秒米]|[分天回行人个件元円]|文字|(?:second|minute|hour|day|time|char(?:acter)?|line|row|user|entrie|op|request|call|item|point|token|heure|jour|ligne|segundo|minuto|hora|día|línea)s?|people|sekunden|minuten|stunden|tagen?|zeichen|zeilen|nutzer|einträge|(?:a|per|pro|par|por) (?:year|month|week|day|jahr|monat|mois|mes))(?![\p{L}'’])/iu;
/** `1200 cars`. */
const ofMany = /^ (?!is|was|as|this|its|since|plus|always|puis|opens|unlocks)\p{Ll}{2,}s(?!\p{L})/u;
export const strongBox = /\bsafe\b|tresor|coffre|caja fuerte|保险[箱柜]|金庫/i;
export const nearKeypad = /\d[#*]?,? ?(?:drück|tipp|opens|unlocks|gets you|followed by|then|[をと]押|[とで])/;
/** What follows is a number of something, unless that is what has the number. */
const ownNumber = /(?:hat|has|a|tiene|mit|with|avec|con) (?:die|der|the|le|el) \p{L}+ $/iu;
const counted = /\n\| ?$|\s:$|\*{2}$|(?:\p{L}{3,}(?<!geheim|code|pin|zugangs)nummer|n\.?º|incident|(?<!\p{L})(?:at|um)|users?|product|produkt|produit|producto|电话|電話|id|port|nr\.?|no\.?|(?<!\p{L}|(?:pin|code|secret)[ -])(?:n[uú]mero|num[eé]ro|nummer|number)|room|raum|benutzer|issue|ticket|errors?|fehler|erreur|pages?|seite|lines?|steps?|gate|flight|bus|zimmer|unit|hausnummer|order|invoice|rechnung|auftrag|case|bug|build|长度|超时|端口|次数|内[線线]|分机|ext(?:ension)?\.?|durchwahl|poste|tel\.?|hotline|窓口|工单|r[ée]f\.?|art(?:\.|i(?:cle|kel|culo))|model\p{L}*|session|sesi[oó]n|sitzung|用户|ユーザー|エラー)\s*[:=#]?\s*$/iu;
/** The number of something else. */
export const isCounted = (ahead: string): boolean => counted.test(ahead.slice(-direct)) && !ownNumber.test(ahead);
export const network = /wi-?fi|wlan|hotspot|voucher/i;

/** `… ticket `: a word that is no article. */
const ofWord = /(?:\p{sc=Latin}{3,}(?<!(?<!\p{L})(?:the|now|new|die|den|der|das|les|los|say|use|try|del|auf|sur|just|still|again|only|jetzt|noch|ahora|code|pins|always|once|dials?|press|enter|type|nimm))|(?<!\p{L})(?:at|um|ab)) ["'`„“«(]?$/iu;

export interface Place {
  value: string;
  start: number;
  end: number;
  /** What stands before and behind. */
  ahead: string;
  behind: string;
}

export function isPinThere({ pins, locks, follows }: Cues, { value, start, end, ahead, behind }: Place): boolean {
  const close = ahead.slice(-direct);
  // A telephone number, a pull request, a number of something.
  if (/(?<!pin)\d[ /-]$/i.test(close) || /^#\d+$/.test(value) || measured.test(behind) || (!/[*#]/.test(value) && isCounted(ahead))) return false;
  const [isJoined, isKeyed] = [joined.test(close), atKeypad.test(behind) && !(numberOf.test(close) && opens.test(behind))];
  // `ticket 4411`: the number of what stands right before; a row speaks for itself, and so does a setting.
  const row = /\n(?:\||[-*•] |\d+[.:)]|\s*[\w-]+ ?[:=])[^\n]*$/.exec(ahead)?.[0].length ?? 80;
  const named = (reach: number): boolean => follows(pins, start, Math.min(reach, row)) && (isJoined || /[*#]/.test(value) || !ofWord.test(ahead) || follows(pins, start, 3));
  // What an answer says is judged with its question.
  const line = ahead.slice(ahead.lastIndexOf("\n") + 1).toLowerCase();
  if (/\?\s*\n[^\n]*$/.test(ahead) && !isKeyed && line.search(callsItPin) + line.search(opensByDigits) === -2) return false;
  if (/^(?:19|20)\d\d-/.test(value)) return false;
  if (isDate(value) && !/^ \d{4}/.test(behind)) return follows(pins, start, 2) || (isJoined && (isKeyed || follows(pins, start, 24)));
  if (isKeyed || named(isJoined ? 60 : 40) || namedAfter.test(behind) || (/[*#]/.test(value) && follows(locks, start, 60))) return true;
  return !ofMany.test(behind) && (((isJoined || /-\d-/.test(value)) && follows(locks, start, 60)) || (isNeeded.test(close) && isForIt.test(behind) && locks.some((cue) => cue.start >= end && cue.start - end < 40)));
}

/** Digits in words, and in groups: of safes, and long keys of networks. */
export function digitsInGroups(text: string, { cues, pins, locks, follows }: Cues): Finding[] {
  const found: Finding[] = [];
  const add = (index: number, { length }: string): void => void found.push({ kind: "password or key", start: index, end: index + length });
  for (const { index, 0: value } of text.matchAll(spelt)) if (follows(pins, index, 40) || follows(cues, index, 24)) add(index, value);
  for (const { index, 0: value } of text.matchAll(digitGroups)) {
    const isJoined = joined.test(text.slice(Math.max(0, index - direct), index)) || atKeypad.test(text.slice(index + value.length, index + value.length + 48));
    const before = text.slice(Math.max(0, index - 48), index);
    if (value.length > 14 ? follows(cues, index, 24) || (isJoined && network.test(before.slice(-40))) : !isDate(value) && ((isJoined && (follows(locks, index, 72) || follows(pins, index, 72))) || follows(pins, index, 24) || strongBox.test(before))) add(index, value);
  }
  return found;
}
