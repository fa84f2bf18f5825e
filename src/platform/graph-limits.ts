/** Limits of what is read of the graph: the same in D1's statements and in the copy of the team object. */

/** For each relationship at most this many of the memories that state it; the newest. */
export const mostSources = 10;

/** A word that more names have is counted no further. */
export const countedWords = 500;
/** Words in fewer names than this lead to candidates; more frequent ones only rank them. */
export const maxRareTokenNames = 200;
/** Names looked at for one word: those of which it makes up most. */
export const mostPostings = 250;
/** Rarity of a word is as if among so many names: to know how many there are would cost more than the search. */
export const assumedNames = 10_000;
/** So many names are ranked for each that is answered, since several may be one entity. */
export const rankedPerAnswer = 4;

/** A name that more memories share says little of any two of them, and costs. */
export const hub = 32;
/** Names of one memory that a walk follows: those that fewest share. */
export const mostNames = 4;
/** Memories that one walk touches before it chooses. */
export const mostTouched = 300;
/** The walk does not follow ties weaker than this. */
export const weakest = 0.02;
/** Decimals of the strength of a step: sums of the same ties are equal whoever adds them up. */
export const strengthDecimals = 6;

export const maxDepth = 3;
export const maxBreadth = 16;
export const maxWalked = 100;

/** Characters of a memory shown with a link to it: longer than any title. */
export const beginning = 200;
