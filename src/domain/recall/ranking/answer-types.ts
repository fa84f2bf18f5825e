/**
 * What kind of answer a question expects (question classification; Li and Roth 2002), and whether a text holds something of that
 * kind: "What does a seat cost?" is not answered by a note that names seats and no price.
 */
interface AnswerType {
  /** In a question, of English, German, French, Spanish, Chinese and Japanese. */
  asked: RegExp;
  /** In a text that may answer it. */
  held: RegExp;
}

const digits = /\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|dozen|hundred|half|once|twice|zwei|drei|vier|fünf|deux|trois|quatre|cinq|quinze|dos|tres|cuatro|cinco)\b|[二两三四五六七八九十百]/iu;

/** Of several that a question may ask for, the first. */
const types: readonly AnswerType[] = [
  { asked: /\b(?:e-?mail|web) ?(?:address|site)|\burl\b|\b(?:what|which) (?:domain|link|address)|E-Mail-Adresse|\bcorreo electr|邮箱|メールアドレス/iu, held: /\w@\w|:\/\/|\w\.[a-z]{2,}\b/u },
  // A name stands inside a sentence with a capital; a text in Han or Katakana may always hold one.
  {
    asked: /(?:^|[,;:] ?|\b(?:and|to|with|by|from|for|of|on) )who(?:m|se)?\b|\bwhich (?:company|person|vendor|supplier|provider|university)\b|\bnames? of\b|\b(?:what|how) .*\b(?:called|named)\b|^we[rmn]\b|\bwessen\b|(?:^|\b(?:à|de|par|chez|avec) )qui\b|\bquién|谁|誰|だれ/iu,
    held: /[\p{Ll}\d,:("] ?\p{Lu}\p{Ll}|[\p{Script=Han}\p{Script=Katakana}]{2}/u,
  },
  { asked: /(?:^|[,;:] ?|\band )where\b|\b(?:in|at|on|to) which (?:city|country|town|place|room|hotel|floor|folder|file)\b|\b(?:in|at) what (?:city|country|town|place)\b|^wo(?:hin|her)?\b|^où\b|\bdónde\b|哪里|在哪|どこ/iu, held: /\b(?:in|at|on|from|to|near|over|under|behind|above|im|am|bei|auf|à|dans|sur|en|chez) (?:the |an? |its |der |dem |la |le |el )?(?:[\p{Lu}/~`"]|\p{L}[\p{L}.-]*[\d.-][\p{L}\d])|\b(?:in|on|at|under|behind|above|between) (?:the|an?|our|my|his|her)\b|\w\/\w|在|で/u },
  {
    asked: /\bhow long\b|\bhow many (?:second|minute|hour|day|week|month|year)|\bwie lange\b|\bcombien de (?:temps|jour|semaine|mois|heure|minute|seconde)|\bcuánto (?:tiempo|dura|tarda)|多久|多长|どのくらい|何[日週秒分]間/iu,
    held: /(?:\d[ -]?|\b(?:an?|one|two|three|four|five|six|seven|ten|twelve|few|several|half|ein|eine|zwei|drei|vier|deux|trois|quatre|quinze|dos|tres)[ -])(?:ms|s|sec|min|h|seconds?|minutes?|hours?|days?|weeks?|fortnight|months?|years?|Sekunden?|Minuten?|Stunden?|Tagen?|Wochen?|Monaten?|Jahren?|jours?|semaines?|mois|ans|heures?|días?|semanas?|meses|años?|horas?)\b|[\d一二两三四五六七八九十] ?(?:天|周|个月|年|小时|分钟|秒|日|週|か月|時間)/iu,
  },
  {
    asked: /(?:^|[,;:] ?|\b(?:and|by|since|until|from) )when\b|\b(?:what|which) (?:date|day|month|year|time|week|weekday)\b|\bwann\b|\bwelche[mnrs]? (?:Tag|Datum|Jahr|Monat)|(?:^|depuis )quand\b|\bquel(?:le)? (?:jour|date|heure|année|mois)\b|\bcuándo\b|\bqué (?:día|fecha|año|hora|mes)\b|什么时候|何时|几[月点号日]|哪[天年]|いつ|何[時月日年]/iu,
    held: /\b(?:yesterday|today|tomorrow|tonight|last|next|ago|since|daily|weekly|monthly|week|month|year|noon|midnight|morning|evening|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo|(?:19|20)\d\d|\d+(?:st|nd|rd|th)|\d?\d:\d\d)\b|\b(?:jan|feb|fév|mar|mär|apr|avr|abr|may|mai|mayo|jun|juin|jul|juil|aug|août|ago|sep|oct|okt|nov|dec|dez|déc|dic)\p{Ll}*\b|[年月日周週点時]|曜/iu,
  },
  {
    asked: /\bhow much\b.*\b(?:costs?|pay|paid|price|charge|earn|spen[dt]|money|bring|raise)|^(?:what|which)\b.*\b(?:prices?|fees?|rent|salary|budget|costs?|bill|earn|pay|charge)\b|\bhow high .* bill\b|\bkoste|\bPreis|\bMiete|\bcoûte|\bprix\b|\bcuesta|\bprecio|多少钱|费用|价格|いくら|料金/iu,
    held: /[$€£¥%]|\d ?(?:k|EUR|USD|GBP|CHF|euros?|dollars?|pounds?|francs?|cents?|cedis|złoty|yen)\b|\b(?:free|euros?|dollars?)\b|[元円]/iu,
  },
  { asked: /\bversion\b|\bversión\b|版本|バージョン/iu, held: /\d\.\d|\p{L} v?\d/u },
  {
    asked: /\bhow (?:many|much|often|old|big|large|high|tall|far|fast|wide|deep|heavy)\b|\b(?:number|percentage|share|score|capacity|size|latency|port|limit|threshold|height|weight|temperature|code|PIN) (?:of|is|do|does|for|has)\b|\bwie ?(?:viele?|oft|hoch|groß|alt|weit)\b|\bcombien\b|\bcuánt[oa]s?\b|多少|几|いくつ|何[人個台件回本]/iu,
    held: digits,
  },
];

/** The place of the type that a question asks for; −1 where it tells none. */
export const askedType = (question: string): number => types.findIndex(({ asked }) => asked.test(question));

/** Bits of the types of which a text holds something. */
export function heldTypes(text: string): number {
  let bits = 0;
  for (const [i, { held }] of types.entries()) if (held.test(text)) bits |= 1 << i;
  return bits;
}
