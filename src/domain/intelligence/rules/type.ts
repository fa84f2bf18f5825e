import type { Note } from "../intelligence.ts";
import { type Cues, keyWords, type RecognisedType, typeCues, type Words } from "./type-cues.ts";

export interface RecognisedTypeOf {
  type: RecognisedType;
  /** 0–1: how far the type stands above the next one. */
  confidence: number;
  /** Whether a cue says so; what nothing is known of is `standard` as well. */
  isClaimed: boolean;
}

/** In characters: what a note is shows at its beginning, and the work stays bounded. */
const head = 1_500;
const worth = { strong: 3, medium: 1.5, weak: 0.6 } as const;
type Strength = keyof typeof worth;
const strengths = Object.keys(worth) as Strength[];
/** What follows the first sentence explains it. */
const afterFirst = 0.7;
/** One strong cue outside of the first sentence, or two medium ones. */
const least = 2;
/** Beside the words: form says something, too. */
const formWorth = 2;
/** Whoever names a memory so has said what it is. */
const keyWorth = 4;

interface Finder {
  type: RecognisedType;
  worth: number;
  spaced: RegExp;
  unspaced: RegExp;
}
let finders: Finder[] | undefined;

/** Plain ranges: classes of Unicode take many times longer to compile. */
const wordChar = "[a-z0-9_ß-ÿ]";
const findersOf = (type: RecognisedType, cues: Cues): Finder[] =>
  strengths.flatMap((strength) => {
    const words: Words | undefined = cues[strength];
    if (!words) return [];
    return [{
      type,
      worth: worth[strength],
      spaced: new RegExp(String.raw`(?<!${wordChar})(?:${words.spaced})(?!${wordChar})`, "g"),
      unspaced: new RegExp(words.unspaced, "g"),
    }];
  });
/** Made at first use. */
const allFinders = (): Finder[] => (finders ??= (Object.keys(typeCues) as RecognisedType[]).flatMap((type) => findersOf(type, typeCues[type])));

const unspacedScript = /[\u3040-\u30ff\u3400-\u9fff]/;
const firstEnd = /[.!?:](?=\s|$)|[。！？\n]/;
const fence = /```|\n {4}\S/;
const call = /`[^`\n]{0,60}\w\([^`\n]{0,60}`/;
const environment = /(?<![A-Za-z0-9_])[A-Z][A-Z0-9]*_[A-Z0-9_]{1,40}(?:\s?=|\s(?:is|points|steht|auf|を|设))/;
const assignments = /[A-Za-z_][\w.-]{1,40}(?:=|": )["\w]/g;

/** Which of the types a note is of; `standard` where too little says so. A key such as `project.auth.decision` is a cue. */
export function typeOf({ content, key }: Pick<Note, "content" | "key">): RecognisedTypeOf {
  const text = content.slice(0, head);
  const lower = text.toLowerCase();
  const first = firstEnd.exec(lower)?.index ?? lower.length;
  const isUnspaced = unspacedScript.test(text);
  const scores = new Map<RecognisedType, number>();
  const add = (type: RecognisedType, points: number): void => void scores.set(type, (scores.get(type) ?? 0) + points);
  for (const finder of allFinders()) {
    const seen = new Set<string>();
    for (const pattern of isUnspaced ? [finder.unspaced, finder.spaced] : [finder.spaced]) {
      for (const { 0: cue, index } of lower.matchAll(pattern)) {
        if (seen.has(cue)) continue;
        seen.add(cue);
        add(finder.type, finder.worth * (index <= first ? 1 : afterFirst));
      }
    }
  }
  for (const part of (key ?? "").toLowerCase().split(/[^a-z]+/)) {
    const type = keyWords[part];
    if (type) add(type, keyWorth);
  }
  if (fence.test(text)) add("code_pattern", formWorth);
  if (call.test(text)) add("code_pattern", formWorth);
  if (environment.test(text)) add("configuration", formWorth);
  const set = text.match(assignments)?.length ?? 0;
  if (set > 1) add("configuration", formWorth);
  const [best, next] = [...scores].sort(([, a], [, b]) => b - a);
  if (!best || best[1] < least) return { type: "standard", confidence: 0.2, isClaimed: false };
  const margin = best[1] - (next?.[1] ?? 0);
  return { type: best[0], confidence: Math.min(0.95, Math.round(100 * (0.4 + 0.04 * best[1] + 0.07 * margin)) / 100), isClaimed: true };
}
