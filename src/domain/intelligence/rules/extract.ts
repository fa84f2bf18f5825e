import type { Extraction } from "../answers.ts";
import type { Message } from "../intelligence.ts";
import { addresses, concrete, cuesOf, describes, passing, valuing, wish } from "./cues.ts";
import { inThirdPerson, subjectOf } from "./english.ts";
import { forgottenBy } from "./forgetting.ts";
import { callsMe, withNameTold } from "./introductions.ts";
import { ownWords, supposed } from "./own-words.ts";
import { type Language, languageOf, type Sentence, sentencesOf } from "./sentences.ts";

const mostFacts = 100;
/** In characters: less is a word of consent. */
const shortest = { en: 7, de: 8, fr: 8, es: 8, zh: 5, ja: 6 } as const;

/** In characters, of two sentences that stand together. */
const longestContext = 400;

interface Said {
  sentence: Sentence;
  message: Message;
  /** Place of the message. */
  at: number;
  /** It is the first clause of its sentence. */
  isFirst: boolean;
}

interface Fact {
  text: string;
  confidence: number;
  message: number;
}

/**
 * The facts that messages state, by rules: sentences of people that hold for longer than the conversation, told of their speaker,
 * and what an assistant says that it did. English is told in the third person; in other languages the sentence stays as it is,
 * with its speaker before it. Nothing is reworded beyond that and how somebody says their name.
 */
export function extractByRules(messages: readonly Message[]): Extraction {
  const language = languageOf(messages.map(({ text }) => text.slice(0, 500)).join("\n"));
  const said = messages.flatMap((message, at) => sentencesOf(ownWords(message.text)).flatMap((sentence) => clausesOf(sentence).map((clause, place): Said => ({ sentence: clause, message, at, isFirst: place === 0 }))));
  const facts = new Map<string, Fact>();
  let before: { fact: Fact; subject: string | undefined; at: number } | undefined;
  for (const [i, one] of said.entries()) {
    const follows = before !== undefined && said[i - 1]?.message.role === one.message.role && before.at === i - 1 ? before : undefined;
    const found = factOf(one, languageOf(one.sentence.text) ?? language ?? "en", follows);
    // "I no longer work at A, I'm at B now": what takes the place of what ends is told with it.
    if (!found && follows && !one.isFirst && !one.sentence.asks && /\b(?:no longer|any ?more|left|quit|stopped)\b/i.test(follows.fact.text) && /\bnow\b| \p{Lu}\p{Ll}/u.test(one.sentence.text)) {
      follows.fact.text += `; ${toldOf(one.sentence.text, "en", speakerOf(one.message))}`;
      before = { ...follows, at: i };
      continue;
    }
    before = found && { ...found, at: i };
    if (!found) continue;
    const name = found.fact.text.toLowerCase();
    if (!facts.has(name)) facts.set(name, found.fact);
    if (facts.size === mostFacts) break;
  }
  return { facts: [...facts.values()], ...(language ? { language } : {}) };
}

/** "My wife and I live in Kiel" is one. */
const betweenClauses = /(?<!^my (?:best |old |(?:young|old)er )?\p{L}+)(?:,? (?:and|but) |; )(?=(?:I|we|my)(?:'m|'ve|'ll)? )|,? (?:et|mais) (?=je |j['’])|,? (?:y|pero) (?=(?:yo|me llamo|vivo|trabajo|tengo|soy|uso|prefiero|hablo) )/iu;
const betweenOwnClauses = new RegExp(String.raw`(?:,? (?:and|but) |; |, (?!my\b)|, (?=${callsMe}))(?=(?:I|we|my)(?:'m|'ve|'ll)? |${callsMe})`, "i");

/** "I work here and I live there" are two facts, as are "I work here, I live there" and "I'm Thomas Weber, call me Tom". */
function clausesOf(sentence: Sentence): Sentence[] {
  // What is only supposed is no fact, as a question is none, and parts what stands around it.
  if (forgottenBy(sentence.text.replace(/^\p{L}+, /u, "")) !== undefined) return [sentence];
  if (sentence.asks || supposed.test(sentence.text)) return [{ ...sentence, asks: true }];
  const plain = sentence.text.replace(/,? (?:so|and) (?:please|can you|could you|keep that)\b.*$/i, ".");
  const [telling = plain] = plain.split(/,? (?:and|but|which) (?:it|that|they)?(?: ?was| ?is| ?were|'s|'re) (?=.{0,30}$)/i);
  const parts = telling.split(/^(?:I|we)\b/i.test(telling) ? betweenOwnClauses : betweenClauses);
  return parts.map((text) => ({ ...sentence, text: text.trim().replace(/^and /i, "") }));
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

type Before = { fact: Fact; subject: string | undefined };

function factOf({ sentence, message, at }: Said, language: Language, before: Before | undefined): Before | undefined {
  const { lead, drop, keep, done } = cuesOf[language];
  const bare = sentence.text.replaceAll("’", "'").replace(lead, "");
  const text = language === "en" ? withNameTold(capitalised(bare)) : bare;
  if (sentence.asks || text.length < shortest[language]) return undefined;
  const speaker = sentence.speaker ?? speakerOf(message);
  const fact = (told: string, confidence: number, subject?: string): Before => ({ fact: { text: told, confidence, message: at }, subject });
  if (message.role === "system") return /^the user\b|^user\b/i.test(text) ? fact(text.replace(/^the user\b/i, speaker), 0.8) : undefined;
  if (message.role === "assistant") return done.test(text) ? fact(toldOf(text, language, speaker), 0.7) : undefined;
  if (forgottenBy(text) !== undefined) return fact(toldOf(capitalised(text.replace(/^please /i, "")), language, speaker), 0.8);
  if (drop.test(text)) return undefined;
  if (language !== "en") return keep.test(text) ? fact(toldOf(text, language, speaker), 0.7) : undefined;
  const isRule = /^(?:please )?(?:you (?:must|should)|never|always|do not|don't|from now on|going forward)\b/i.test(text);
  if ((addresses.test(text) || valuing.test(text)) && !isRule) return undefined;
  const pronoun = /^(he|she|it|they)(?:'s|'re)? /i.exec(text);
  if (pronoun) return before && (before.subject === undefined ? isDescription(text) : describes.test(text) && !passing.test(text)) ? ofSubject(text, toldOf(text, language, speaker), before, at) : undefined;
  const isKept = keep.test(text) || (isDescription(text));
  if (!isKept) return undefined;
  const told = toldOf(text, language, speaker);
  const isAboutSpeaker = /^(?:I|we)\b/i.test(text);
  return fact(told, /^(?:decision|we (?:decided|agreed|chose)|never|always)/i.test(text) ? 0.9 : 0.8, isAboutSpeaker ? undefined : subjectOf(told));
}

/** "She is six" after "Sofia starts school": told of Sofia where that is what the sentence before is about, else both stand together. */
function ofSubject(text: string, told: string, { fact, subject }: Before, message: number): Before | undefined {
  const verb = text.replace(/^(?:he|she|it|they)'s /i, "is ").replace(/^they're /i, "are ").replace(/^(?:he|she|it|they) /i, "");
  if (subject !== undefined) return { fact: { text: `${subject} ${verb}`, confidence: 0.7, message }, subject };
  const both = `${fact.text} ${told}`;
  return both.length > longestContext ? undefined : { fact: { text: both, confidence: 0.5, message }, subject: undefined };
}

const isDescription = (text: string): boolean => describes.test(text) && concrete.test(text) && !passing.test(text) && !/^\p{L}+ing .{0,80}\b(?:is|are)\b/u.test(text);

function speakerOf({ role, name }: Message): string {
  if (name !== undefined && name.trim() !== "") return name.trim();
  return role === "assistant" ? "Assistant" : "User";
}

/** Told of its speaker: where that is not safe, with the speaker before it. */
function toldOf(text: string, language: Language, speaker: string): string {
  const { first } = cuesOf[language];
  if (language === "en") {
    if (wish.test(text)) return `${speaker}: ${text.replace(/^please /i, "")}`;
    if (first.test(text)) return inThirdPerson(text, speaker);
    return /\b(?:we|our|us)\b/i.test(text) ? `${speaker}: ${text}` : text;
  }
  const isSpaced = language !== "ja" && language !== "zh";
  const isNamed = !isSpaced && hasTopic(text, language);
  return first.test(text) || !(isNamed || isSpaced) ? `${speaker}: ${text}` : text;
}

/** What the sentence is about stands at its beginning; where it does not, it is about its speaker. */
const hasTopic = (text: string, language: "zh" | "ja"): boolean =>
  language === "ja" ? /^[^、。]{1,20}?(?:は|では|には)(?!い)/u.test(text) && !/^(?:好きな|嫌いな|趣味|仕事|名前|妻|夫|家族|子供|毎)/u.test(text) : !/^(?:喜欢|住|在|对|不|已|刚|每|从|有|会|计划|打算|决定|选|最)/u.test(text);
