import { verbatim } from "../verbatim.ts";
import type { Finding } from "./finding.ts";
import { isCounted } from "./secret-digits.ts";
import { callsItPin, callsItSecret, mayCallIt, opensByDigits, otherCodes, passwords, personal } from "./secret-names.ts";
import { isChain, isComposed, isDate, isKey, isPassword, isPasswordLike, isUnmistakable } from "./secret-shapes.ts";
import { isSpoken, isWordPassword, readsAsSentence } from "./secret-words.ts";

/** Secrets that another line calls so: the head of a column, the title of a list, a question in a talk. */

/** All that a head or a title says: what people choose, what machines make, digits. */
const title = new RegExp(verbatim`^(?:[\p{L}\d'’-]{1,12} ){0,2}\p{L}{0,8}-?(?:(${passwords}|pw|credentials?|(?:opens|unlocks) with|(?:pass)?phrase|pass(?!e)|mots de passe|passwörter)|(secret|token|key)|(pins?|panel|keypad|(?<!(?:${otherCodes}) )codes?|códigos?|番号))(?:s|es|n)?(?: \p{L}{3,12})?$`, "iu");
/** Where codes open something; those of errors and countries do not. */
const place = /door|gate|garage|lock|room|tür|porte|puerta|cave|keller|[门門扉库庫]/i;
const separator = /[|;\t,]|(?<=\S) {2,}/;

interface Line {
  start: number;
  text: string;
  asks?: Asks;
}
/** Where a value stands. */
type At = [line: Line, value: string];

export function secretsOfLists(text: string): Finding[] {
  if (!text.includes("\n")) return [];
  let next = 0;
  const lines = text.split("\n").map((line): Line => {
    const start = next;
    next += line.length + 1;
    return { start, text: line };
  });
  const found = lines.flatMap(({ text: said }, i): At[] => {
    if (said.length > 200) return [];
    const by = separator.exec(said)?.[0].replace(/^ +$/, "  ");
    return [...answered(lines, i), ...(by ? underHead(lines, i, by) : underTitle(lines, i))];
  });
  return found.map(([line, value]) => {
    const start = line.start + line.text.lastIndexOf(value);
    return { kind: "password or key", start, end: start + value.length };
  });
}

/** What a value is like under such a title. */
function kindOf(said: string): ((value: string) => boolean) | undefined {
  const match = said.length > 40 ? null : title.exec(said);
  if (!match) return undefined;
  if (match[1]) return (value) => isPassword(value, 0) || /^[A-Za-z]{4,}20\d\d$|^\d{4,8}$/.test(value) || (/^\p{L}{4,20}$/u.test(value) && isWordPassword(value));
  return match[2] ? isKey : (value) => /^[*#A-F]?\d{4,8}[*#A-F]?$/.test(value) && !isDate(value);
}

const cellsOf = (line: string, by: string): string[] => line.split(by === "  " ? / {2,}/ : by).map((cell) => cell.trim().replaceAll(/^[*`"_]+|[*`"_]+$/g, ""));

function underHead(lines: readonly Line[], at: number, by: string): At[] {
  const heads = cellsOf((lines[at] as Line).text, by);
  const kinds = heads.map(kindOf);
  const found: At[] = [];
  if (heads.filter(Boolean).length < 2 || !kinds.some(Boolean)) return found;
  for (const line of lines.slice(at + 1, at + 60)) {
    const cells = cellsOf(line.text, by);
    if (cells.length !== heads.length) break;
    for (const [column, value] of cells.entries()) {
      const head = heads[column] as string;
      if (kinds[column]?.(value) && (!/^(?:code|código|番号)/i.test(head) || place.test(`${heads} ${cells}`))) found.push([line, value]);
    }
  }
  return found;
}

/** `Passwords:` and a list below, or the one value on the next line. */
function underTitle(lines: readonly Line[], at: number): At[] {
  const is = kindOf((lines[at] as Line).text.replaceAll(/^[\s#*>-]+|[\s:：*]+$/g, ""));
  const found: At[] = [];
  if (is)
    for (const line of lines.slice(at + 1, at + 30)) {
      if (found.length === 0 && /^\s*(?:```\w*)?$/.test(line.text)) continue;
      const [, listed, value = ""] = /^\s*(?:((?:[-*•]|\d+[.)]) .{1,60}?[ :：]) ?|`?)([^\s`:：]{4,64})`?$/.exec(line.text) ?? [];
      if (is(value) && (!/^\p{L}+$/u.test(value) || /[:：] ?\S+$/.test(line.text))) found.push([line, value]);
      if (!value || !listed) break;
    }
  return found;
}

/** A name, or the time and a name, and what sets it off. */
const turn = /^(?! {2,}[\w-]+:)\s*(?:\[[^\]\n]{1,20}\]\s?|\d{1,2}:\d\d(?::\d\d)?,? )?(?!\d+:)(?:[^\n:：>|→—]{1,24}(?:[:：>|→]|—(?= ))|<[^>\n]{1,24}>|[<>–-]) ?(?:\*\* ?)?(\S.{1,159})$/u;
/** What an answer says before the secret. */
const [yes, itIs] = [
  /^(?:yes|yeah|sure|ok(?:ay)?|here you go|ja|klar|natürlich|oui|bien sûr|sí|claro|はい|好的?|嗯|是的)[,.!:;，、：]? ?/iu,
  /^(?:it['’]s|it is|that['’]s|(?:the )?new one(?: is|['’]s)|es ist|das ist|ist|c['’]est|es|是|改成|换成)(?: (?:now|still|jetzt|noch|maintenant|encore|ahora))?:? ?/iu,
];
const isPersonal = new RegExp(personal, "iu");
const isAsked = [callsItSecret, isPersonal, /(?:magic|secret|safe|alarm) word|zauberwort|mot magique|wi-?fi|wlan|hotspot|无线|無線|解压/];
const opens = [callsItPin, opensByDigits, /what (?:do|should|must) \p{L}+ (?:enter|type|press|dial|key in)|was (?:tippe?|gebe?|muss) |(?<!\p{L})codes?(?!\p{L})|码|番号|コード|locker|\bbox\b/u];
const says = (words: readonly RegExp[], said: string): boolean => words.some((one) => said.search(one) >= 0);
const cannotEnter = /get into|lässt mich|rein|won['’]t let|typed|entra|log ?in|komm\S* (?:nicht|ich)|entre|connect|entra|[进登]|入れ|ログイン/i;
const ofPassword = new RegExp(`(?<!\\d)(?:${passwords}|(?<!\\p{L})pw|magic word|${personal})(?!-?\\p{sc=Latin}{3})[^\\n:]{0,32}$`, "u");
const attempt = /^(?:try|use|probier|versuch|nimm|essaie|prends|prueba|usa|试|用)|を[試使]/i;
const asksFor = /what|wat|vad|hva|jak|che|qual|como|quoi|which|wie (?:ist|war|lautet)|quel|cuál|什么|多少|何/;
/** Questions that a word answers without being the password, or a number without opening anything. */
const asksElse = /(?<!\p{L})(?:wh?o|where|when|why|how|did|do(?:es)?|ha(?:ve|s|st|t)|is|was|can|policy|manager|reset|wann|warum|ist|kann|qui|où|quand|as|est|oublié|quién|dónde|cuándo|es)(?!\p{L})|ge(?:ändert|ssen)|[谁誰吗]|ますか|どこ|いつ/u;
/** Some words and nothing else: two might be said of a password, more are a phrase. */
const severalWords = /^\p{sc=Latin}{3,12}(?: \p{sc=Latin}{3,12}){1,23}(?=[.!]?$|,| です)/u;
const asksPhrase = /phrase|merksatz|passsatz|words|wörter|mots|palabras|sentence|frase/;
/** Names and the like: `Anchor Street`, `Lemon-Baker`. */
const isNames = /^\p{Lu}\p{Ll}+(?:[ -](?:\p{Lu}\p{Ll}+|of|the|de|di|da|von)){1,4}(?=[.!]?$)/u;
/** As Google gives them to an app. */
const fourByFour = /^[a-z]{4}(?: [a-z]{4}){3}(?![a-z])/;
const asksNumber = /(?<!\p{L})(?:how (?:long|many|much)|which (?:room|port|year)|costs?|price|errors?|wie (?:viel|lang)|welche[rs]? (?:raum|port)|kostet|combien|coûte|cuánt|cuesta)|: ?(?:when|wann|quand|cuándo)|多少钱|几个|何時|いつ|いくら/u;

/** `3-1-9-7`, `61 - 90 - 24`. */
const inGroups = /^[*#]?\d{1,3}(?:(?: - |[ -])\d{1,3}){2,7}[*#]?(?=[.!,]?$)/;
/** Questions for something else that one token answers. */
const asksThing = /(?:which|what|welche[rsnm]?|quel\p{L}*|qué|qual|welk\p{L}*) (?:\p{L}+ ){0,2}(?:host|network|netz|wlan|badge|server|branch|version|user|name|file|room|raum|model|commit|build|ticket|page)|user ?name|called|heißt|s['’]appelle|se llama|numéro d|licen[cs]e/u;

const alone = /^([^\s，。、]{4,24}?)(?=[.!,，。]*(?: です| に|です|了|$)|, )/u;

/** `我的工号90417还没开通`: a sentence, though no blank is in it. */
const isSaidInSigns = /\p{sc=Han}{2}.*[\d\p{sc=Latin}].*\p{sc=Han}{2}|^\p{sc=Han}{3}.*\d|^\d.*[\p{sc=Han}\p{sc=Hiragana}]|1password/iu;

/** What a line of a talk asks for. */
interface Asks {
  said: string;
  pin: boolean;
  secret: boolean;
  lockedOut: boolean;
  /** Somewhere one may be asked for one. */
  weak: boolean;
}
const asksOf = (line: Line): Asks => {
  if (line.asks) return line.asks;
  const said = line.text.toLowerCase();
  return (line.asks = { said, pin: says(opens, said) && !asksNumber.test(said), secret: says(isAsked, said), lockedOut: cannotEnter.test(said), weak: said.search(mayCallIt) >= 0 });
};
/** In turns: an answer with more in it stands nearer to its question. */
const [near, far] = [3, 7];

/** What the answer to a question for a secret says, also after "one moment" or a question back. */
function answered(lines: readonly Line[], at: number): At[] {
  const line = lines[at] as Line;
  const answer = turn.exec(line.text)?.[1];
  if (!answer) return [];
  const words = (answer.match(/[^\s，。、「」“”"'`]+?(?=[.,;!)，。、「」“”"'`]*(?:\s|$|[，。、です]))/gu) ?? []).filter((_, i, all) => all.length < 10 || i < 2);
  const short = answer.replace(yes, "");
  const rest = short.replace(itIs, "");
  const isLed = rest !== short || /^\p{L}+: /u.test(answer);
  /** All that it says, or its last sentence does. */
  const last = rest.replace(/^.*[.!…] (?=\S)/u, "");
  const only = alone.exec(rest)?.[1] ?? alone.exec(last)?.[1];
  const groups = inGroups.exec(last)?.[0];
  const isTelephone = /\d{3} \d{3}/.test(answer);
  const asked = lines.slice(Math.max(0, at - far), at).reverse();
  if (asksThing.test(asked[0] ? asksOf(asked[0]).said : "")) return [];
  // As nothing else is that people say alone.
  if (only && turn.test(asked[0]?.text ?? "") && isComposed(only)) return [[line, only]];
  for (const [i, before] of asked.entries()) {
    const { said, pin, secret, lockedOut, weak } = asksOf(before);
    // `password: ${PASSWORD}`, in settings.
    if (/[:=] ?["']?[$<{*]/.test(said)) continue;
    // A list has dashes, too.
    if (/^\s*[–-]/.test(line.text) && !/[?？]/.test(said)) break;
    const isNear = i < near;
    const isNext = asked.slice(0, i).every(({ text }) => /[?？]\s*$/.test(text));
    const isAnswer = secret && isNext && turn.test(before.text) && ofPassword.test(said) && (isLed || asksFor.test(said) || !asksElse.test(said));
    const phrase = isAnswer ? severalWords.exec(rest)?.[0] : undefined;
    if (phrase && (fourByFour.test(phrase) || (!readsAsSentence(phrase) && (phrase.split(" ").length > 3 || phrase.split(" ").every(isWordPassword))))) return [[line, phrase]];
    const words4 = isNear && secret && asksPhrase.test(said) && !isSpoken.test(last.toLowerCase()) ? /^(?:\p{L}{2,}[ -]){3,7}\p{L}{3,}(?=[.!]?$)/u.exec(last)?.[0] : undefined;
    const names = isPersonal.test(said) ? isNames.exec(last)?.[0] : undefined;
    if (words4 ?? names) return [[line, (words4 ?? names) as string]];
    if (pin && groups && !isDate(groups)) return [[line, groups]];
    const isIt = (value: string): boolean =>
      (isNear &&
        (((secret || (lockedOut && (isUnmistakable(value) || (attempt.test(answer) && /\d/.test(value))))) && isPasswordLike(value)) ||
          (secret && /^\d{9,63}$|^\p{L}{4,}(?:19|20)\d\d$/u.test(value)) ||
          (pin && !isTelephone && !isCounted(answer.slice(0, answer.indexOf(value))) && ((/^[*#]?\d{4,8}[*#]?$/.test(value) && (!isDate(value) || words.length < 4)))))) ||
      (isAnswer && value === only && (/^\p{sc=Latin}+$/u.test(value) ? rest.startsWith(value) && isWordPassword(value) : isPassword(value, 0))) ||
      (value === only && (secret || lockedOut || weak) && ((isPasswordLike(value) && (isUnmistakable(value) || (isNext && !/^\p{Ll}+-\d+$/u.test(value)))) || (isNext && isChain(value))));
    const found = pin || secret || lockedOut || weak ? words.filter((value) => !isSaidInSigns.test(value) && isIt(value)).map((value): At => [line, value]) : [];
    if (found.length > 0 || (isNear && (pin || secret || lockedOut))) return found;
  }
  return [];
}
