import { isTechnology, isTechnologyWithCapital } from "../../graph/extract/technologies.ts";
import { isStopWord, termOf } from "../../text/query-terms.ts";
import { estimateTokens } from "../../text/token-count.ts";

/** In characters: the words that tell what a note is about stand in its beginning, and the work stays bounded. */
const head = 2_000;
const most = 5;
const longest = 60;

/** Function words beside the English ones, and words that notes of any subject hold. */
const idle: ReadonlySet<string> = new Set(
  `aber alle als am auch auf aus bei bis bitte da damit das dass dem den der des die dies diese dieser doch durch ein eine einem einen einer eines er es für haben hat hier ich ihr im in ins ist
  jetzt kann kein keine man mehr mit muss nach nicht noch nur oder ohne sein seit sich sie sind so statt über um und uns unter vom von vor war was weil wenn wer werden wie wir wird wo wurde zu zum zur zwei
  au aux avec ce ces cette dans de des du elle en est et il je la le les leur mais ne nous on ou par pas pour plus que qui sa se ses son sont sur un une vous
  al como con del el ella ese esta este hay las lo los más muy no para pero por que se si sin sobre su sus ya
  always because cannot course decided decision good like likes made make makes new now old one per please reason since still three time today two want wants way week without
  fixed fix fixes note see set sets since instead rather keep keeps need needs get gets got still whole part thing things lot day days month months year years also every same via
  monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december
  across first never second third ask hi hello present müssen muss ende erst immer nie arbeiten jetzt dann
  http https www com example`.split(/\s+/),
);

const spacedWord = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_][\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}\p{M}_]*(?:[-./+#'’][\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_]+){0,4}/gu;
const unspacedRun = /[\p{Script=Katakana}ー]{2,}|\p{Script=Han}+/gu;
const address = /https?:\/\/\S+/g;
/** Words of notes that part the compounds of Chinese and Japanese, the longer ones first. */
const parting = /我们|因为|主要|原因|决定|使用|需要|已经|现在|如果|可以|而不是|代替|采用|选用|改为|设为|保持|继续|每天|最多|必须|禁止|不得|所有|有关|问题|都是|为了|以后|之前|当前|因此|必要|理由|採用|場合|変更|対応|設定|統一|完了|修正|[的了在是和与或把被对从到将为用以及等就都也由跟给让但这那其之们只再]/u;
const inner = /\p{Ll}\p{Lu}|_|\p{L}\d|\d\p{L}|\p{L}[./+#]\p{L}/u;
const capital = /^\p{Lu}/u;
const numberLike = /^[\d.,:/'’+-]+[a-zA-Z]{0,3}$/;
/** Long and mixed as hashes and keys are, which name nothing. */
const isOpaque = (word: string): boolean => word.length > longest || (word.length >= 16 && /\d/.test(word) && /[a-zA-Z]/.test(word) && !/[-_./]/.test(word));

interface Found {
  word: string;
  weight: number;
  count: number;
  at: number;
}

/** Up to five words or names that tell what a text is about, the most telling first; as the text writes them. */
export function keywordsOf(content: string): string[] {
  const text = content.slice(0, head).replaceAll(address, (url) => " ".repeat(url.length));
  const isGerman = /(?<![a-zäöü])(?:der|das|und|nicht|wir|für|wird|ist)(?![a-zäöü])/i.test(text);
  const found = new Map<string, Found>();
  const add = (word: string, weight: number, at: number): void => {
    const term = termOf(word);
    const known = found.get(term);
    if (known) {
      known.count += 1;
      if (weight > known.weight) Object.assign(known, { word, weight });
    } else found.set(term, { word, weight, count: 1, at });
  };
  addSpaced(text, isGerman, add);
  for (const { 0: run, index } of text.matchAll(unspacedRun)) addUnspaced(run, index, add);
  const score = ({ weight, count, at }: Found): number => weight * (1 + 0.25 * Math.min(3, count - 1)) * (1 - at / (4 * head));
  const best = [...found.values()].sort((a, b) => score(b) - score(a) || a.at - b.at);
  // A name is not told a second time by one of its words.
  const chosen: Found[] = [];
  for (const one of best) {
    if (chosen.length === most) break;
    if (!chosen.some(({ word }) => word.toLowerCase().includes(one.word.toLowerCase()))) chosen.push(one);
  }
  return chosen.map(({ word }) => word);
}

type Add = (word: string, weight: number, at: number) => void;

function addSpaced(text: string, isGerman: boolean, add: Add): void {
  let last: { word: string; end: number; isName: boolean } | undefined;
  for (const { 0: word, index } of text.matchAll(spacedWord)) {
    const lower = word.toLowerCase();
    const end = index + word.length;
    if (isStopWord(lower.split(/['’]/, 1)[0] as string) || idle.has(lower) || numberLike.test(word) || isOpaque(word) || word.length < 2) {
      last = undefined;
      continue;
    }
    const isFirst = /(?:^|[.!?:。！？\n]\s*["'(]?)$/.test(text.slice(Math.max(0, index - 4), index));
    const isKnown = isTechnology(word) || (isTechnologyWithCapital(word) && !isFirst);
    const isCapital = capital.test(word);
    const isName = isKnown || (isCapital && (!isFirst || /^\p{Lu}{2,}$/u.test(word)));
    const joins = last && isCapital && last.end + 1 === index && text[last.end] === " " && (last.isName || isName);
    // Two words with a capital side by side are one name.
    if (joins && last && !isKnown && !isTechnology(last.word)) add(`${last.word} ${word}`, isGerman ? 2.2 : 2.8, index - last.word.length - 1);
    add(word, weightOf(word, { isKnown, isName, isGerman }), index);
    last = isCapital ? { word, end, isName } : undefined;
  }
}

function weightOf(word: string, { isKnown, isName, isGerman }: { isKnown: boolean; isName: boolean; isGerman: boolean }): number {
  if (isKnown) return 3;
  if (inner.test(word)) return 2.4;
  if (isName) return isGerman ? 1.5 + Math.min(0.5, word.length / 30) : 2.2;
  const isFrequent = estimateTokens(` ${word.toLowerCase()}`) === 1;
  return (isFrequent ? 0.7 : 1.3) * (word.length < 4 ? 0.6 : 1) + Math.min(0.4, word.length / 40) - (/(?:ly|ing|ed)$/.test(word) ? 0.3 : 0);
}

function addUnspaced(run: string, index: number, add: Add): void {
  if (/^[\p{Script=Katakana}ー]/u.test(run)) {
    if (run.length > 2) add(run, 2, index);
    return;
  }
  let at = index;
  for (const piece of run.split(parting)) {
    // A longer one is a clause.
    if (piece.length >= 2 && piece.length <= 6) add(piece, piece.length <= 4 ? 1.4 : 1, at);
    at += piece.length + 1;
  }
}
