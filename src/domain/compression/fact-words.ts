/** Words by which sentences deny, decide, count and refer back, in English, German, French, Spanish, Chinese and Japanese. */

/** How a sentence of some kind is told from others. */
export interface Mark {
  /** A whole word, in lower case. */
  word: RegExp;
  /** The same in a text that is written without spaces. */
  unspaced: RegExp;
}

/** Some Chinese words only look like a negation. */
export const negation: Mark = {
  word: /^(?:not|no|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|.+n['’]t|nicht|kein(?:e[mnrs]?)?|nie|niemals|niemand|nichts|weder|ohne|ne?|pas|jamais|aucune?|rien|sans|ni|nunca|jamás|sin|ning[uú]n[oa]?|nad[ai]e?|tampoco)$/,
  unspaced: /不(?![过仅但同断少错])|没(?!错)|未(?!来)|勿|禁止|并非|除非|无(?![论疑])|ない|なく(?!て?は?なら)|ません|なかった|ずに|せず|なし(?!と)/u,
};

export const decision: Mark = {
  word: /^(?:deci(?:d|si)(?!r)\p{L}*|agreed|agreement|must|shall|never|always|because|approved|rejected|required|mandatory|chosen?|instead|therefore|deadline|cause|entsch(?:ied|eid)\p{L}+|beschl\p{L}+|vereinbart|m[uü]ss(?:en)?|darf|dürfen|niemals|immer|weil|deshalb|daher|pflicht|verboten|abgelehnt|genehmigt|frist|ursache|décidée?s?|décision|convenu|doi(?:ven)?t|devons|jamais|toujours|parce|obligatoire|interdite?|approuvé|refusé|échéance|acord\p{L}+|deben?|debemos|nunca|siempre|porque|obligatorio|prohibido|aprobado|rechazado|plazo)$/u,
  unspaced: /[决決][定议め]|必[须須ず]|务必|不得|禁止|因为|由于|批准|否决|拒绝|同意|原因|根因|截止|べき|なければならない|承認|却下|採用|合意|期限|理由/u,
};

/** Numbers and days without digits. */
export const count: Mark = {
  word: /^(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|million|dozen|half|twice|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|hundert|tausend|deux|trois|quatre|cinq|sept|huit|neuf|dix|douze|cent|mille|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|cien|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo)$/,
  unspaced: /(?<![一二两三四五六七八九十百千万半])[一二两三四五六七八九十百千万半]{1,16}(?=[个天年月号次人名台元点分秒周位倍份条项小])|(?:周|星期)[一二三四五六日天]|[月火水木金土日]曜/gu,
};

/** The words of German alone: there, every noun has a capital, which then makes no name. */
export const germanWord = /^(?:der|das|und|nicht|ist|wir|mit|für|eine|auf|wird|werden|sich)$/;

/** A sentence that begins so says something only after the one before it. "It was decided" refers to nothing. */
export const refersBack =
  /^\P{L}*(?!it (?:is|was|has been) (?:decided|agreed|clear|important|possible|likely|necessary|known|not)\b)(?:(?:it|its|this|that|these|those|they|them|their|he|she|his|her|however|but|otherwise|instead|er|sie|dies(?:e[rs]?)?|dadurch|damit|dazu|sonst|aber|jedoch|stattdessen|cel(?:a|ui|le)|ceci|ils|elles?|mais|sinon|es[to]o|ello|est[ae]|estos|pero)(?![\p{L}\p{M}])|[这那它他她但]|否则|不过|因此|所以|其中|これ|それ|その|この|しかし|ただし|だから|でも)/iu;

/** What only somebody does, behind a name at the beginning of a sentence: what `is` or `has` stands behind may be a meal. */
export const doing =
  /^\s+(?:will(?! be)|sa(?:id|ys)|ask(?:s|ed)|owns|confirmed|reported|proposed|suggested|wants|sagte?|fragte?|übernimmt|prüft|kümmert|dit|propose|veut|dijo|propone|quiere)(?!\p{L})/u;

/**
 * Phrases that say nothing. They go where commas set them off, or where the sentence stays one without them; a German, French or
 * Spanish sentence would be another one without an adverb that no comma sets off.
 */
const idle =
  "basically|essentially|of course|as you (?:all )?know|as (?:already )?mentioned(?: above| before| earlier)?|needless to say|to be honest|by the way|wie (?:gesagt|bereits erwähnt|ihr wisst)|übrigens|ehrlich gesagt|bien sûr|comme vous le savez|par ailleurs|por supuesto|como ya se ha mencionado|básicamente";
export const fillers: readonly RegExp[] = [
  new RegExp(`^(?:${idle}), (?=\\p{L})`, "iu"),
  new RegExp(`, (?:${idle}),(?= \\p{L})`, "giu"),
  /^(?:please note that|it (?:is worth noting|should be noted) that) (?=\p{L})/iu,
  /\bin order (?=to )/gi,
  /^(?:(?:众所周知|值得一提的是|顺便说一下|说实话)，|(?:ちなみに|言うまでもなく|ご存じのとおり|えーと)、)/u,
];
