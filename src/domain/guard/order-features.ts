import { type OrderCue, orderCues } from "./order-cues.ts";
import { Phrases, type Word, wordsOf } from "./phrases.ts";
import { verbatim } from "../verbatim.ts";

/** With which the name of a host ends, where nothing else says that it is one. */
const tops = "com|net|org|io|dev|xyz|ru|cn|app|site|info|example|co|me|top|test|de|fr|es|eu|uk|ai|cloud";

/** What stands in a text beside words. */
const marks = {
  /** An address to which something can go. */
  link: new RegExp(verbatim`https?:\/\/|www\.|[\w.+-]@[\w-]{1,63}\.\w|\b[\w-]{1,63}\.(?:${tops})\b|\b\d{1,3}(?:\.\d{1,3}){3}\b`, "gi"),
  /** The beginning of a turn that nobody took. */
  turn: /<\|?\/?(?:system|user|assistant|end|im_start|im_end|start_header_id|instructions?|memory|memories|context|tool_\w+|document|result)\b[^>\n]{0,60}\|?>|\[\/?(?:system|inst|sistema|système|系统|システム|tool|werkzeugergebnis|工具结果|ツール結果)[^\]\n]{0,40}\]|(?:^|\n)[ \t]{0,8}(?:#{1,4}|>{2,8}|\*\*|-{2,8})?[ \t]{0,8}(?:system|operator|operator message|### instruction|系统|システム|sistema|système)\s*(?:>>>|[:：])|"role"\s*:\s*"(?:system|assistant|developer)"|assistant to=|(?:--|==)\s?(?:end|ende|fin|文档结束|文書の終わり)/giu,
  /** How models are told whose turn it is. */
  template: /<\|[\w ]{2,30}\|>|\[\/?INST\]|<<\/?SYS>>|<(?:start|end)_of_turn>|<\/?(?:tool_call|function_calls?|invoke|tool_use|antml:\w+)\b|<\/(?:memory|memories|context|system|retrieved_\w+|tool_\w+|instructions?|data)>/gi,
  /** A line of somebody in a talk. */
  speaker: /(?:^|\n)[ \t]{0,8}(?:user|assistant|human|nutzer|assistent|utilisateur|usuario|asistente|用户|助手|利用者|アシスタント)\s?[:：]/giu,
  /** Shown to nobody. */
  unseen: /<!--|\[comment\]|\[\/\/\]|display:\s*none|font-size:\s*[01]\b|opacity:\s*0|color:\s*(?:#fff|white)|visibility:\s*hidden|\balt="|\/\*|(?:^|\n)[ \t]{0,8}(?:#|\/\/)|"""/gi,
  /** An image whose address takes something along. */
  beacon: /!\[[^\]]{0,200}\]\([^)\s]{0,200}[?&=/]|\?(?:d|m|u|q|data|c)=/gi,
  shell: /\|\s*(?:ba)?sh\b|curl\s+-|\bsudo\b|--(?:force|no-verify)\b|rm -rf|\$\(|`[^`\n]{3,80}`/gi,
  /** Machines wrote or read it. */
  data: /"\s?:\s?["{[\d]|^[ \t]{0,16}[\w-]{1,64}:\s|\{\s?"/gm,
  /** Source text says what a machine does. */
  code: /=>|\);|[\w)\]]\(\w*\)|\b(?:const|let|function|import|return|await|def|class|SELECT|expect)\b(?=[ (])|===|&&|\{$|\w\.\w{1,64}\(/gm,
  sourcePath: /~\/\.|\/etc\/|\.env\b|id_rsa|\.aws|\.ssh/gi,
} as const;

const cueNames = Object.keys(orderCues) as OrderCue[];
/** What a sentence that orders begins with. */
const acts: ReadonlySet<OrderCue> = new Set(["override", "hide", "send", "reply", "put", "destroy", "weaken", "grant", "execute", "alter", "pay", "role", "praise", "reveals", "decode"]);
const isAct = cueNames.map((name) => acts.has(name));
/** Says nothing of its own before the verb. */
const courtesy = /^(?:please|kindly|also|then|and|first|now|just|bitte|also|dann|und|zuerst|jetzt|puis|et|merci|por|y|luego|,|:|请|把|将|先|再|并)$/;
export const featureNames: readonly string[] = [...cueNames, "opens", "wordy", ...Object.keys(marks)];
const phrases = new Phrases(Object.values(orderCues));
const forms = Object.values(marks);
const opens = cueNames.length;
const wordy = opens + 1;
const firstMark = wordy + 1;
/** In UTF-16 units; most orders are shorter. */
const many = 180;

export interface Passage {
  start: number;
  end: number;
  /** A bit for each name of a feature. */
  features: Uint8Array;
  /** Of each sentence, what it says in words. */
  said: readonly ReadonlySet<string>[];
}

/** In UTF-16 units: words of one stem are alike in most languages. */
const stem = 5;
const stemOf = ({ text }: Word): string => (text >= "0" && text < ":" ? "0" : text.slice(0, stem));
const isSign = (text: string): boolean => text.length === 1 && text >= "\u3040";

/** The stem of a word, with the next one, and as the first of its sentence; of Chinese and Japanese, pairs of signs. What is a part of an address is no word. */
function partsAt(words: readonly Word[], index: number, names: ReadonlySet<Word>): string[] {
  const word = words[index] as Word;
  if (names.has(word)) return [];
  const following = words[index + 1];
  const next = following && !names.has(following) ? following : undefined;
  const own = stemOf(word);
  const parts = isSign(own) ? [] : [own];
  if (words[index - 1]?.sentence !== word.sentence) parts.push(`^ ${own}`);
  if (next?.sentence === word.sentence) parts.push(`${own} ${stemOf(next)}`);
  return parts;
}

/** In UTF-16 units: an order takes one sentence, or a few short ones. */
const longest = 260;
const mostSentences = 3;

/** Where something can go to, whole: the names in it are anybody's. */
const address = new RegExp(verbatim`https?:\/\/[^\s<>"')\]]+|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}|\b[\w-]{1,63}(?:\.[\w-]{1,63}){0,5}\.(?:${tops})\b[^\s<>"')\]]*`, "g");

/** Of words in their order. */
function namesIn(text: string, words: readonly Word[]): ReadonlySet<Word> {
  const names = new Set<Word>();
  let i = 0;
  for (const [from, to] of rangesOf(text, address)) {
    while (i < words.length && (words[i] as Word).start < from) i += 1;
    for (; i < words.length && (words[i] as Word).start < to; i += 1) names.add(words[i] as Word);
  }
  return names;
}

type Range = readonly [start: number, end: number];
const isWithin = (ranges: readonly Range[], at: number): boolean => ranges.some(([from, to]) => from <= at && at < to);
const rangesOf = (text: string, form: RegExp): Range[] => [...text.matchAll(form)].map(({ index, 0: { length } }) => [index, index + length] as const);

/** Where people speak of such texts: a quotation there is none. */
const aboutThem = /prompt[ -]?injection|in (?:the|a|her|his) talk\b|\b(?:workshops?|NPC|dialog(?:ue)?s?|modal|system prompt)\b(?=[^\n"“„«]{0,60}[:：])|\bworkshop\b|taller de|merkblatt|schulung|guia interno|diálogo|培训|勉強会|\bspeaker\b|vortrag|redner|orateur|\bponente\b|演讲|講演|\bguard\b|\bflags?\b|\bphrases?\b|the paper|detect|false positive|steers?|phishing|jailbreak|red[ -]?team|injection|adversarial|test case|\bexpect\(|angreif|attack|wächter|inyecci|提示(?:词)?注入|注入攻击|防护|プロンプトインジェクション|攻撃|検査/i;
const quotation = /"[^"\n]{3,300}"|“[^”\n]{3,160}”|„[^“”\n]{3,160}[“”]|`[^`\n]{3,160}`|«[^»\n]{3,160}»|「[^」\n]{3,80}」|『[^』\n]{3,80}』|'[^'\n]{8,160}'/gu;
const quotedIn = (text: string): Range[] => (aboutThem.test(text) ? rangesOf(text, quotation) : []);

/** In a talk, `assistant:` tells who speaks, not who is spoken to. */
function speakersOf(text: string): Range[] {
  const speakers = rangesOf(text, marks.speaker);
  return speakers.length < 2 ? [] : speakers;
}

/** `For shell scripts the user prefers …`: a person is spoken of, and no model is told what they want it to do. */
const ofPerson = /(?=[tu])(?<=(?:^|[.!?\n]\s?)(?:for|in|on|with|when|about) [^.:;!?\n]{1,60} )(?:the )?user (?=(?:want|prefer|like|expect)s (?!(?:you|me|that|to)\b|\S+ (?:ai|assistant|agent|model)|[^\n]{0,200}(?:@|:\/)))/gi;

/** Whether it is a talk: in one, people tell the assistant what to do. */
export const isTalk = (text: string): boolean => speakersOf(text).length > 0;

/** Every sentence, and every run of a few short ones, with what it says; of words only those that are asked for. */
export function passagesOf(text: string, isAskedFor: (part: string) => boolean): Passage[] {
  const all = wordsOf(text);
  const speakers = speakersOf(text);
  const skips = [...quotedIn(text), ...speakers, ...rangesOf(text, ofPerson)];
  const words = skips.length === 0 ? all : all.filter(({ start }) => !isWithin(skips, start));
  const names = namesIn(text, words);
  const sentences: (Passage & { said: [Set<string>] })[] = [];
  const sentenceAt = (index: number) => (sentences[index] ??= { start: text.length, end: 0, features: new Uint8Array(featureNames.length), said: [new Set()] });
  words.forEach(({ sentence, start, end }, i) => {
    const passage = sentenceAt(sentence);
    passage.start = Math.min(passage.start, start);
    passage.end = end;
    for (const part of partsAt(words, i, names)) if (isAskedFor(part)) passage.said[0].add(part);
  });
  phrases.find(words, (owner, first) => {
    const { sentence } = words[first] as Word;
    const { features } = sentenceAt(sentence);
    features[owner] = 1;
    if (!isAct[owner]) return;
    let before = first - 1;
    while (words[before]?.sentence === sentence && courtesy.test((words[before] as Word).text)) before -= 1;
    if (words[before]?.sentence !== sentence) features[opens] = 1;
  });
  const said = sentences.filter((one) => one !== undefined);
  forms.forEach((form, i) => {
    let at = 0;
    for (const { index } of text.matchAll(form)) {
      while (at < said.length - 1 && (said[at] as Passage).end <= index) at += 1;
      const near = said[at];
      if (near && !isWithin(skips, index)) near.features[firstMark + i] = 1;
    }
  });
  // What one asks and another answers is no order of either.
  const isAnothers = (last: Passage, next: Passage): boolean => speakers.some(([from]) => last.end <= from && from < next.start);
  const passages: Passage[] = [];
  for (let i = 0; i < said.length; i += 1) {
    let last: Passage | undefined;
    for (const next of said.slice(i, i + mostSentences)) {
      const joined: Passage = last ? { start: last.start, end: next.end, features: next.features.map((bit, k) => bit | (last?.features[k] as number)), said: [...last.said, ...next.said] } : next;
      if (last && (joined.end - joined.start > longest || isAnothers(last, next))) break;
      if (joined.end - joined.start > many) joined.features[wordy] = 1;
      passages.push(joined);
      last = joined;
    }
  }
  return passages;
}
