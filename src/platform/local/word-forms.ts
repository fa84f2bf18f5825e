import { isStopWord } from "../../domain/text/query-terms.ts";

/** Words of German, French and Spanish that carry no topic, without marks on their letters; English ones are in the table. */
const functionWords: ReadonlySet<string> = new Set(
  `der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine ist sind war waren wird werden wurde wurden hat haben hatte ich du er sie es wir ihr uns
  euch mich mir dich dir ihm ihn ihnen unser unsere unserem unseren unserer mein meine dein deine sein seine welche welcher welches welchen wer wie wo wann warum wieso wozu womit
  mit von vom zu zum zur bei beim aus auf an am im in fur fuer uber ueber unter nach vor als auch noch nur schon sich so dass ob wenn weil denn durch gegen ohne um bis seit man mehr
  le la les un une des du de et ou mais ne pas est sont etait ete etre avoir ont avait je tu il elle nous vous ils elles on notre nos votre vos mon ma mes ton ta tes son sa ses quel
  quelle quels quelles qui que quoi dont comment quand pourquoi combien avec pour par sur sous dans chez aux au ce cet cette ces se y en plus qu
  el los las una unos unas del y o pero no es son era fue ser estar esta estan ha han habia yo tu el ella nosotros ellos nuestro nuestra nuestros nuestras mi mis su sus cual cuales
  quien quienes que como cuando donde porque cuanto cuanta cuantos cuantas con para por sobre sin entre al lo se le les ya muy mas`.split(/\s+/),
);

/** For words that the table does not hold. */
export const isFunctionWord = (word: string): boolean => functionWords.has(word);

/** Of these, what says something in English. */
const englishToo: ReadonlySet<string> = new Set("die war hat son sin ton man comment era plus par pour mas".split(" "));

/** A word that carries no topic, in any of the languages. */
export const saysLittle = (word: string): boolean => isStopWord(word) || (isFunctionWord(word) && !englishToo.has(word));

/** Endings of plural, case, gender and the common forms of verbs, in German, French and Spanish, longest first; and what a base form ends in instead. */
const endings: readonly (readonly [ending: string, bases: readonly string[]])[] = [
  ["amientos", ["amiento"]], ["aciones", ["acion"]], ["ungen", ["ung"]], ["iones", ["ion"]],
  ["emos", ["er"]], ["amos", ["ar"]], ["imos", ["ir"]], ["aron", ["ar"]], ["ieron", ["er", "ir"]], ["ando", ["ar"]], ["iendo", ["er", "ir"]], ["ados", ["ar", "ado"]], ["adas", ["ar", "ado"]],
  ["ado", ["ar"]], ["ada", ["ar", "ado"]], ["ido", ["er", "ir"]], ["ida", ["er", "ir", "ido"]], ["ent", ["er", "re", "ir"]], ["ons", ["er", "re", "ir"]], ["ait", ["er", "re"]], ["ees", ["er", "e"]], ["ee", ["er", "e"]], ["es", ["", "e", "er", "ar", "ir"]],
  ["ern", ["er", ""]], ["en", ["", "e", "er", "ar"]], ["er", ["", "e", "en"]], ["em", [""]], ["et", ["en"]], ["te", ["en"]], ["ten", ["en"]], ["st", ["en"]], ["an", ["ar"]], ["as", ["ar", "a", "o"]], ["os", ["o"]],
  ["x", ["", "l"]], ["n", ["", "en"]], ["s", [""]], ["e", ["", "en", "er", "ar"]], ["t", ["en", ""]], ["a", ["ar", "o"]], ["o", ["ar", "er", "ir"]],
];

const leastStem = 3;

/** Forms under which a dictionary may have the word: itself, then without its ending. */
export function stemsOf(word: string): string[] {
  const stems = endings.flatMap(([ending, bases]) => (word.length >= leastStem + ending.length && word.endsWith(ending) ? bases.map((base) => word.slice(0, -ending.length) + base) : []));
  return [word, ...stems, ...(/^ge.{3,}t$/.test(word) ? [`${word.slice(2, -1)}en`] : [])];
}
