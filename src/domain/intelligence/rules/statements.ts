import { loadLexicon } from "../../graph/extract/lexicon.ts";
import { textSignature, type TextSignature } from "../../recall/selection/novelty.ts";
import { stopWords, termOf } from "../../text/query-terms.ts";
import { adverbs, verbPlace } from "./english.ts";
import { withPlainNumbers } from "./relations/tokens.ts";

/** What a note or fact says, in the parts that two of them are compared by. */
export interface Statement {
  text: string;
  /** Who is named before it: "Anna: we moved". */
  speaker: string | undefined;
  /** Words or, in scripts without spaces, characters; numbers and Latin words whole. In lower case, without punctuation. */
  tokens: readonly string[];
  /** What it is about, in English; "we" and "I" of a speaker are `we` and `i`. */
  subject: string;
  /** Stems of what it says, without function words. */
  terms: ReadonlySet<string>;
  /** It says that something holds no more. */
  ends: boolean;
  /** What changes into what, where it says so. */
  change: { from: string; to: string } | undefined;
  isUnspaced: boolean;
  /** More than one sentence or clause: it may not be ended as one. */
  isCompound: boolean;
  /** The tokens without those that say when, and change nothing. */
  telling: readonly string[];
  signature: TextSignature;
  /** Somebody goes to live elsewhere; lives somewhere; something is in use; something is so; something happened once. */
  moves: boolean;
  lives: boolean;
  uses: boolean;
  stands: boolean;
  happened: boolean;
  negates: boolean;
}

const livesIn = /\b(?:lives?|living|based|home|resides?|located)\b|wohn|leb|住/iu;
const isMove = /\b(?:mov\w+|relocat\w+)\b|gezogen|搬|引っ越/iu;
const isUse = /\b(?:uses?|using|runs?|is|are|has|relies|on|with|limit)\b|verwend|nutz|用|使|です|を/iu;
export const standing =
  /\b(?:is|are|listens?|runs?|costs?|expires?|caps?|uses?|has|have|lives?|allows?|supports?|planned|scheduled|set|starts?|ends?|takes?|prefers?|leaves|opens|closes)\b|(?<!\p{L})(?:ist|sind|läuft|beträgt|heißt|kostet|liegt|endet|beginnt|hat|wohn(?:e|t|en)|leb(?:e|t|en)|est|écoute|coûte|(?:j')?habite|vis|es|escucha|cuesta|vivo)(?!\p{L})|住在|是|为|です|である/iu;
const past = /\b(?:was|were|visited|met|went|bought|had|did|saw|\p{L}{3,}ed (?:the|a|an|in|on|to|with|from|their)\b)|(?<!\p{L})(?:war|wurde|habe)(?!\p{L})|了[。]?$|ました/iu;
export const negation = /\b(?:(?:do|does|is|are|was|were|has|have|can)(?:n't| not)|can't|never|cannot)\b(?! (?:only|always|often)\b)|(?<!\p{L})(?:nicht|nie|kein\w{0,2})(?!\p{L})|(?<!\p{L})(?:ne |n'(?=\p{L}))|^(?:yo |nosotr[oa]s )?(?:ya )?no (?=(?:me |se )?\p{L}+(?:o|[aei]mos|[ae]s|oy)(?!\p{L}))/iu;
const momentary = new Set(["now", "currently", "jetzt", "现在", "目前", "the", "a", "an"]);

const endings =
  /\b(?:no longer|not .{1,40}\bany ?more|\w+n't .{1,40}\bany ?more|(?<!(?:n't|not|never|will|would|to|could|may|might|almost|nearly|if|when) (?:\w+ )?)(?:stopped|quit|gave up|cancell?ed|sold|dropped|removed|got rid of|ended|deleted|decommissioned|shut down))\b|(?<!\p{L})(?:nicht mehr|kein\w{0,2} .{1,40} mehr|aufgehört|gekündigt|verkauft|abgeschafft|abgeschaltet|n(?:e |')\p{L}+ plus|ya no)(?!\p{L})|不再|已经不|戒[掉了]|取消了|停用|卖掉|弃用|もう.{1,30}(?:ない|ません)|やめ(?:まし)?た|辞め(?:まし)?た|廃止|解約/iu;

/** An employer, or a place for a while. */
export const leaving = /(?<=^\S+ (?:has )?)left (?=\p{Lu}[\p{L}\d]+[.!]?$)/u;

/** The words that say so, to be taken out of what is left. */
const endingWords =
  /\b(?:no longer|any ?more|stopped|quit|gave up|cancell?ed|sold|dropped|removed|got rid of|ended|deleted|decommissioned|shut down|do(?:es)?(?:n't| not)|isn't|aren't)\b|(?<!\p{L})(?:nicht mehr|kein\w{0,2}|mehr|aufgehört|gekündigt|verkauft|abgeschafft|abgeschaltet|ne|plus|ya no)(?!\p{L})|(?<!\p{L})n'(?=\p{L})|不再|已经不|戒掉|戒了|取消了|停用|卖掉|弃用|もう|やめ(?:まし)?た|辞め(?:まし)?た|廃止|解約/giu;

/** From one value to another, in the four languages. */
const changes: readonly RegExp[] = [
  /\b(?:mov\w+|switch\w*|migrat\w+|relocat\w+|chang\w+|chang\w+ .{1,40}|upgrad\w+) from (?<from>[^,.]{1,40}?) to (?<to>[^,.]{1,40}?)(?= for | in | on | since | last |[,.]|$)/i,
  /\breplac\w+ (?<from>[^,.]{1,40}?) (?:with|by) (?<to>[^,.]{1,40}?)(?= for | in | on |[,.]|$)/i,
  /\b(?:is|are|uses?|now|runs?) (?:now )?(?<to>[^,. ]{1,40}(?: [^,. ]{1,20})?) instead of (?<from>[^,.]{1,40}?)(?=[,.]|$)/i,
  /(?<!\p{L})von (?<from>\p{L}[^,.]{0,40}?) (?:nach|auf|zu) (?<to>\p{L}[^,.]{0,40}?) (?:gezogen|umgezogen|gewechselt|umgestellt|migriert)/iu,
  /(?<!\p{L})(?<to>[\p{L}\p{N}_.-]{1,40}) statt (?<from>[\p{L}\p{N}_.-]{1,40})/iu,
  /从(?<from>[^，。]{1,20}?)(?:搬到了?|换成了?|改成了?|改为|迁移到了?|切换到了?|换到了?)(?<to>[^，。了]{1,20})/u,
  /(?<from>[^、。か]{1,20})から(?<to>[^、。]{1,20}?)(?:に|へ)(?:引っ越|変更|移行|切り替え|乗り換え|変え)/u,
];

const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;
const tokenForm = /现在|目前|[\p{sc=Han}\p{sc=Hiragana}]|[\p{sc=Katakana}ー]+|[\p{L}\p{N}\p{M}_]+(?:[.'\-/:@#+][\p{L}\p{N}\p{M}_]+)*/gu;
/** Particles and endings, without which two sentences of Chinese or Japanese say the same. */
const particles = /ました|ません|ています|でいます|ている|です|ます|ない|である|[はがをもにへとでのすだ]|[的了着吗呢吧都也还就我们咱在是用私僕俺]/gu;
const germanFunction = new Set("ich wir er sie es der die das den dem ein eine einen einem einer bei im auf mit für von zu und ist bin sind habe haben hat mein meine unser unsere nicht mehr kein keine keinen".split(" "));

export function statementOf(text: string): Statement {
  const plain = withPlainNumbers(text.trim()).replaceAll("’", "'");
  const { speaker, said: written } = spokenBy(plain);
  const said = straight(written);
  const isUnspaced = unspaced.test(said);
  const tokens = said.toLowerCase().match(tokenForm) ?? [];
  const is = (form: RegExp): boolean => form.test(said);
  return {
    text: said,
    speaker,
    tokens,
    subject: subjectOf(said, speaker),
    terms: termsOf(said, isUnspaced),
    ends: endings.test(said) || leaving.test(said),
    change: changeIn(said),
    isUnspaced,
    isCompound: /(?:[.!?;]\s|[。！？；]).|\b(?:and|but) (?:\p{L}+ )?(?:is|are|has|lives|works|uses|likes|owns)\b/iu.test(said.replaceAll(/(?:Dr|Mr|Ms|St)\./g, "")),
    telling: tokens.filter((token) => !momentary.has(token)),
    signature: textSignature(said),
    moves: is(isMove), lives: is(livesIn), uses: is(isUse), stands: is(standing), happened: is(past), negates: is(negation),
  };
}

/** Properties of which there is one. */
export const single =
  /\b(?:favou?rite|name|timezone|time zone|email|phone|address|url|domain|birthday|deadline|port|version|doctor|dentist|boss|manager|salary|age|title|budget|limit|height|weight|password policy|default branch|line length)\b|(?<!\p{L})(?:chef|nom|anniversaire|jef[ea]|nombre|cumpleaños|puerto)(?!\p{L})|lieblings|heißt|最喜欢|名字|端口|版本|好きな|名前|ポート|期限/iu;

/** "The new manager", "Jetzt wohne ich in Bonn", "我现在住在北京了" and "Tom moved to Bonn last week" in the order and form of a sentence that says what is so. */
const straight = (said: string): string =>
  said
    .replace(/(?<= um \d[\d:]*) Uhr(?!\p{L})/u, "")
    .replace(/(?<=^(?:\S+'s|the|our) )(?:new|current) (?=([^']+?) is )/i, (all, what: string) => (single.test(what) ? "" : all))
    .replace(/^((?:mein|unser)e?r?) neue[rs]? (?=(.+))/i, (all, whose: string, what: string) => (single.test(what) ? `${whose} ` : all))
    .replace(/^(?:jetzt|inzwischen|mittlerweile|seit \p{L}+) (\p{L}+) (ich|wir)(?!\p{L})/iu, "$2 $1")
    .replace(/^(\p{sc=Han}{0,3})(?:现在|目前)([^，。]+)了(?=[。！]?$)/u, "$1$2")
    .replace(/^(ich) bin (?:\p{L}+ ){0,2}nach (\p{Lu}[\p{L} -]+?) (?:um)?gezogen(?=[.!]?$)/iu, "$1 wohne in $2")
    .replace(/^(\S+) (?:has )?(?:just |recently )?started (?:(?:a new|a|their) job|working) (?:at|for) (?=\p{Lu})/u, "$1 now works at ")
    .replace(/^(我)(?:刚刚?|最近|已经)?搬(?:家)?到了?([^，。]{1,10}?)了?(?=[。！]?$)/u, "$1住在$2")
    .replace(/^(?:[Jj]'ai déménagé|[Jj]e vis|[Jj]'habite) (?:maintenant |désormais )?à (?=\p{Lu})/u, "J'habite à ")
    .replace(/^Me mudé a (?=\p{Lu})/u, "Vivo en ")
    .replace(/^(\S+) (?:has )?changed their name to (?=\p{Lu})/u, "$1's name is ")
    .replace(/^(\S+) (?:has )?(?:just |recently )?got (?=(?:married|divorced|engaged)\b)/, "$1 is ")
    .replace(/^We (?:just |recently )?upgraded (?:the|our) ([\p{L}\d]+(?: \p{Ll}+)?) to (?=\p{Lu}\S* v?\d)/u, "The $1 is ")
    .replace(/^(\S+) turned (\d\d)\b.*/, "$1 is $2 years old")
    .replace(/ (?:was |is |has been )?(?:moved|rescheduled|postponed|pushed) to (?=(\d)|(?:mon|tues|wednes|thurs|fri|satur|sun)day)/i, (_, time?: string) => (time ? " is at " : " is on "))
    .replace(/ (?:was|were|has been|have been) (?:(?:rai|increa)sed|lowered|reduced|cut|changed|extended|shortened|bumped|set) to (?=[$€£]?\d)/i, " is ")
    .replace(/^([Ww]e) (?:just |recently )?upgraded (?:to )?(\p{Lu}[\w.]*) (?:to )?(?=v?\d[\d.]*$)/u, "$1 use $2 ")
    .replace(/ (?:wurde|ist) auf (?:(\d[\d:]*)(?: Uhr)?|(\p{Lu}\p{L}+tag)) (?:verschoben|verlegt|vorgezogen)/u, (_, time?: string, day = "") => (time ? ` ist um ${time}` : ` ist am ${day}`))
    .replace(/ (?:wurde|ist) auf (?=[\d€$])(.+?) (?:erhöht|gesenkt|geändert|verlängert|verkürzt)(?=[.!]?$)/u, " beträgt $1")
    .replace(movedTo, (all, who: string, where: string) => (loadLexicon().classOf(where.toLowerCase()) === "place" ? `${who} lives in ${where}` : all));
/** A move of long ago may not be the last one, so none that names a year. */
const movedTo = /^(\S+) (?:has )?(?:just |recently )?(?:moved|relocated) to (\p{Lu}[\p{L} ]+?)(?: (?:last|this) (?:week(?:end)?|month)| yesterday| today| recently)?(?=[.!]?$)/u;

/** "Anna: we moved" -> Anna; a label such as "Decision:" is no name of somebody who says "we" or "I". */
function spokenBy(text: string): { speaker: string | undefined; said: string } {
  const at = text.search(/[:：]/);
  const name = at > 0 && at <= 40 ? text.slice(0, at).trim() : "";
  if (name === "" || /[.,;。，、]|^(?:decision|root cause|deadline|note|https?)$/i.test(name) || name.split(" ").length > 4) return { speaker: undefined, said: text };
  return { speaker: name.toLowerCase(), said: text.slice(at + 1).trim() };
}

/** Stems of words, or characters of scripts without spaces. */
export function termsOf(text: string, isUnspaced = unspaced.test(text)): Set<string> {
  const found = new Set<string>();
  const plain = isUnspaced ? text.replaceAll(particles, " ") : text;
  for (const token of plain.toLowerCase().match(tokenForm) ?? []) {
    if (/^\d+$/.test(token) || !(stopWords.has(token) || germanFunction.has(token) || adverbs.has(token))) found.add(termOf(token));
  }
  return found;
}

/** The terms of what holds no more. */
export const endedTerms = ({ text, isUnspaced }: Statement): Set<string> =>
  termsOf((isUnspaced ? text : (text.split(/,| and | but | because | und | aber |;/i)[0] ?? text)).replace(leaving, "").replaceAll(endingWords, " "), isUnspaced);

/** Whether it says more than what ends, and not only why: what is there instead would be lost with it. */
export const goesOn = ({ text }: Statement): boolean => /[,;] (?!(?:because|since|as|after|thanks?|sadly|weil|da|seit|leider)\b)\S| (?:but|aber|and (?:\w+ed|bought|got|took|began|now)) /i.test(text);

function subjectOf(said: string, speaker: string | undefined): string {
  if (/^(?:we|our|wir|unsere?n?|我们|咱们)(?!\p{L}|$)/iu.test(said) || said.startsWith("我们")) return "we";
  if (/^(?:ich|meine?n?|seit .{1,20} bin ich|je|nous|mon|ma|mes|notre|nos|yo|ya no|mis?|nuestr[oa]s?)(?!\p{L})|^j'/iu.test(said) || /^(?:我|私|僕|俺)/.test(said)) return "i";
  const words = said.split(" ");
  const place = verbPlace(words);
  if (place > 0) return words.slice(0, place).filter((word) => !adverbs.has(word.toLowerCase())).join(" ").toLowerCase().replace(/^(?:the|a|an) /, "");
  // Somebody of whom something is told, by a verb that is not listed.
  const [, who] = /^(\p{Lu}[\p{L}\p{N}.-]*) (?:\p{Ll}+ly |now )?\p{Ll}{2,}s (?!is |are )/u.exec(said) ?? [];
  return who?.toLowerCase() ?? (speaker === undefined ? "" : "i");
}

function changeIn(text: string): Statement["change"] {
  for (const pattern of changes) {
    const { from, to } = pattern.exec(text)?.groups ?? {};
    if (from && to) return { from: withoutArticle(from), to: withoutArticle(to) };
  }
  return undefined;
}
const withoutArticle = (value: string): string => value.trim().replace(/^(?:the|a|an|把|将) ?/i, "").replace(/^.*[把将](?=[\p{L}\p{N}])/u, "").replace(/^.*を/u, "");

/** Whether the two may be about the same: the same words, or a group and somebody's team. */
export function sameSubject(a: Statement, b: Statement): boolean {
  if (a.speaker !== undefined && b.speaker !== undefined && a.speaker !== b.speaker) return false;
  if (a.subject === b.subject) return a.subject !== "" || a.isUnspaced || !isCapitalised(a) === !isCapitalised(b);
  const isTeam = ({ subject, speaker }: Statement, other: Statement): boolean => subject === "we" && /^(?:\S+'s team|the team|team)$/.test(other.subject) && (speaker === undefined || other.subject === "team" || other.subject.startsWith(speaker));
  return isTeam(a, b) || isTeam(b, a);
}
const isCapitalised = ({ text }: Statement): boolean => /^\p{Lu}/u.test(text);
