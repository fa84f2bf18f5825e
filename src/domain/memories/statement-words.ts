import { verbatim } from "../verbatim.ts";

/** Words that change the form of a statement and not what it states, in English, German, Chinese and Japanese. */

/** Set off by a colon, comma or dash, these begin a sentence and say nothing. */
const openers = verbatim`fyi|btw|by the way|note(?: to self)?|n\.?b\.?|reminder|for the record|for your information|as (?:already )?(?:mentioned|said)(?: before| above| earlier)?|just so you know|just a (?:quick )?(?:note|reminder)|(?:quick|small|short|brief) (?:note|reminder|update)(?: (?:for|to) (?:the|my|our) (?:notes|team|record))?|heads[- ]up|(?:hi|hello|hey)(?: all| team| everyone| there)?|basically|essentially|of course|please note(?: that)?|please remember(?: that)?|remember(?: that)?|keep in mind(?: that)?|don['’]t forget
übrigens|wie (?:gesagt|(?:bereits|schon) erwähnt)|(?:nur )?zur (?:info|information|erinnerung)|notiz|hinweis|merke(?: dir)?(?: bitte)?|merk dir(?: bitte)?|(?:bitte )?nicht vergessen|bitte (?:beachten|merken)|(?:kurze|kleine)r? (?:notiz|hinweis|info)(?: (?:für das|fürs|ans) team)?|(?:hallo|hi)(?: zusammen| team)?
顺便说一下|值得一提的是|众所周知|说实话|备注|提醒(?:一下|大家)?|另外提醒|[给跟和]?大家?(?:同步|分享)一下|请?注意|请?记住|温馨提示
ちなみに|なお|メモ|注意|念のため|補足|覚えておいて(?:ください)?|(?:皆さん|チーム)に共有(?:です|します)?|共有(?:です|します)?|ご存じのとおり|言うまでもなく`.replaceAll("\n", "|");

export const opener = new RegExp(
  verbatim`^\s*(?:(?:${openers})\s?(?:[:,，、：]|[-–—]\s)\s*|(?:fyi|btw) |(?:please )?(?:note|remember|keep in mind) that |(?:could|can|would) you (?:please )?(?:remember|note|save|store) that |(?:please|kindly|bitte) |请(?![假求教客柬示问]))(?=\S)`,
  "iu",
);

/** At the end, behind a sign, or as a sentence of its own. */
const thanks = verbatim`thanks(?: a lot| in advance| everyone| all)?|thank you(?: very much| in advance)?|thx|cheers|danke(?: schön| euch| dir| im voraus)?|vielen dank|谢谢(?:大家)?|多谢|よろしくお願いします|よろしくお願いいたします|お願いします|ありがとうございます`;
export const closer = new RegExp(`(?:^|[,，、.。;!])\\s*(?:${thanks})[\\s.!。]*$`, "iu");
/** Chinese particles of a friendly tone; others make a question, a guess or a past. */
export const softener = /[哦噢](?=[\s。!.]*$)/u;

/** Said anywhere, a request stays what it is without them. */
export const courtesies: ReadonlySet<string> = new Set(["please", "kindly", "bitte"]);
/** Before "please" these make a verb of it. */
export const beforeVerb: ReadonlySet<string> = new Set("to will would should must can could may might not and".split(" "));

/** Behind these a sign decides what they belong to: "no, deploy" and "no deploy". */
export const interjections: ReadonlySet<string> = new Set("no not never yes stop wait don't nein nicht nie ja doch".split(" "));

/** Behind "a" these make it no article: "a few" is not "few", and in "option a is" it is a name. */
export const notAfterArticle: ReadonlySet<string> = new Set("few little is are was were has have and or to of in on for with".split(" "));

export const germanWords: ReadonlySet<string> = new Set("der die das dem den des ein eine einen einem einer und nicht kein keine ist sind wir mit für auf wird werden sich bei vom zum zur im am um jede jeden freitags montags muss soll".split(" "));
/** Of other languages in which "a" or "an" is no article. */
export const romanceWords: ReadonlySet<string> = new Set("el la los las del que le les du des et est un une il di che para por con pour dans sur não é se na no os as uma um não ao y".split(" "));

const numbers = "two three four five six seven eight nine ten eleven twelve,zwei drei vier fünf sechs sieben acht neun zehn elf zwölf";
export const numberWords: ReadonlyMap<string, string> = new Map(numbers.split(",").flatMap((words) => words.split(" ").map((word, i) => [word, String(i + 2)])));
/** A Chinese numeral alone before a word that counts. */
export const countedNumeral = /(?<![一二两三四五六七八九十百千万億亿零〇第\d点])[二两三四五六七八九](?=[个個名位台次件人])/gu;
export const numeralValues: Readonly<Record<string, string>> = { 二: "2", 两: "2", 三: "3", 四: "4", 五: "5", 六: "6", 七: "7", 八: "8", 九: "9" };

/** Short forms as the words they stand for; `'d` and the `'s` of a noun may stand for several. */
const contracted: Readonly<Record<string, string>> = { "can't": "can not", "won't": "will not", "shan't": "shall not", cannot: "can not", "let's": "let us", "i'm": "i am" };
export function expanded(word: string): string {
  if (word !== "cannot" && !word.includes("'")) return word;
  const ends = (): string =>
    word.replace(/n't$/, " not").replace(/^(it|that|there|here|what|who|he|she)'s$/, "$1 is").replace(/'re$/, " are").replace(/'ll$/, " will").replace(/'ve$/, " have");
  return contracted[word] ?? ends();
}

/** British and American, and German before and after 1996, as one. */
export const respelled = (word: string): string =>
  word.length < 3 ? word : word.replace(/^([a-z]{3,})is(?=(?:e[ds]?|ing|ers?|ations?)$)|^(col|behavi|fav|lab|neighb|hon|harb)our|^(cent|theat|met)re(?=s?$)|^(da|mu|mü|lä|wu)ß(?=$|t)/, respelling);
const respelling = (_: string, verb?: string, noun?: string, place?: string, german?: string): string =>
  verb === undefined ? (noun === undefined ? (place === undefined ? `${german}ss` : `${place}er`) : `${noun}or`) : `${verb}iz`;

/** The words with which a habit begins. */
export const habitual: ReadonlySet<string> = new Set("on every each montags dienstags mittwochs donnerstags freitags samstags sonntags täglich wöchentlich monatlich jährlich jede jeden jedes jeder".split(" "));
const weekday = "(?:mon|tues|wednes|thurs|fri|satur|sun)day";
const wochentag = "(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch";
/** What happens regularly may be said at either end of a simple sentence. A single day may belong to a noun: "cancel the meeting on Friday". */
export const habit = {
  en: new RegExp(verbatim`^(?:on ${weekday}s|(?:every|each) (?:${weekday}|day|night|morning|evening|week|month|quarter|year))$`),
  de: new RegExp(verbatim`^(?:(?:${wochentag})s|täglich|wöchentlich|monatlich|jährlich|jede[nrs]? (?:${wochentag}|tag|nacht|woche|monat|jahr|quartal))$`),
};
/** Of a sentence that has a subject before its verb, and is no order. */
export const subjectWords: ReadonlySet<string> = new Set("we i they he she it you the our my this that wir ich sie er es ihr man".split(" "));
/** With one of these a sentence is not simple: what is said at its end may belong to a part of it. */
export const joining: ReadonlySet<string> = new Set("that which who whose because if when while before after and but or to than as unless although where whether until since dass weil wenn während bevor nachdem und aber oder sondern zu als ob obwohl damit um wo der".split(" "));

/** The subject and the time of a Chinese or Japanese sentence, which may change places. */
export const subjectThenHabit: readonly RegExp[] = [
  /^(我们|我|他们|团队)(每(?:天|晚|月|年|个?季度|周[一二三四五六日天]?))(?!的)/u,
  /^((?:私たち|我々|チーム)[はが])(毎(?:日|晩|月|年|週)(?:[月火水木金土日]曜日?)?に?)(?!の)/u,
];

/** Polite ends of Japanese sentences as plain ones; tense and negation stay. */
export const plainEnds: readonly (readonly [RegExp, string])[] = [
  [/(?:です|である|(?:(?<=さん)|(?<![んい]))だ)$/u, ""],
  [/(さ[れせ]|て[い]|でき|し)ます$/u, verbatim`$1る`],
  [/(さ[れせ]|て[い]|でき|し)ません$/u, verbatim`$1ない`],
  [/(さ[れせ]|て[い]|し)ました$/u, verbatim`$1た`],
  [/しる$/u, verbatim`する`],
  [/あります$/u, verbatim`ある`],
  [/なります$/u, verbatim`なる`],
];
