import { callsItPin, callsItSecret, mayCallIt, opensByDigits } from "./secret-names.ts";

interface At {
  start: number;
  end: number;
}

/** Where a text names a secret. */
export interface Cues {
  /** Words that call something one, and words near which one may stand. */
  cues: readonly At[];
  hints: readonly At[];
  /** Words that call digits one, and what opens with some. */
  pins: readonly At[];
  locks: readonly At[];
  /** Whether one of the words stands at most so many characters before. */
  follows(words: readonly At[], start: number, reach: number): boolean;
  /** The same, or soon after. */
  isNear(words: readonly At[], start: number, end: number, reach?: number): boolean;
}

/** In characters: what is called a secret stands soon after the word that calls it so, or just before. */
export const [after, before] = [72, 24];

/** Given the text in lower case as well. */
export function cuesOf(text: string, lowered: string): Cues {
  const placesOf = (words: RegExp): At[] => [...lowered.matchAll(words)].map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
  const hasDigits = /\d(?:[ -]{0,3}[\dA-F]){3}/.test(text);
  const follows = (words: readonly At[], start: number, reach: number): boolean => words.some((cue) => start >= cue.end && start - cue.end <= reach);
  return {
    cues: placesOf(callsItSecret),
    hints: placesOf(mayCallIt),
    pins: hasDigits ? placesOf(callsItPin) : [],
    locks: hasDigits ? placesOf(opensByDigits) : [],
    follows,
    isNear: (words, start, end, reach = after) =>
      follows(words, start, reach) || words.some((cue) => end <= cue.start && cue.start - end <= before && !/[.\n]|-$/.test(text.slice(end, cue.start))),
  };
}
