/**
 * Every number that ranking is made of, with its unit and how it was fitted, so that one look shows what `npm run eval` judges.
 * Shares and weights have no unit; the parts of a score add up to a little more than 1.
 */

// What the graph leads to (concepts.ts)

/** Unified Search Design, hierarchical weights: memories 1.0, extracted concepts .8, derived connections .7. */
export const sourceWeights = { entity: 0.8, relationship: 0.7 } as const;

/**
 * Something is always nearest. What is not about as near as the best that there is, is near to nothing: from .8 on, LoCoMo
 * loses .1 points of R@10 and MRR; from .9 on, none.
 */
export const nearEnough = 0.9;

/** So many entities, and so many relationships, are taken to be near. */
export const mostNear = 5;

// One order out of several legs (fuse.ts)

/**
 * Importance and recency decide between what matches about alike, and no more: a fresh or important memory that does not
 * answer is still no answer.
 */
export const importanceWeight = 0.04;

/** What is newest gets all of it, what is a half-life older half. */
export const recencyWeight = 0.02;

/** A memory called by its name stands above one that happens to hold a word more. */
export const nameWeight = 0.25;

/**
 * A memory that belongs to the project or person named in the question ranks above one that only mentions them, and seldom has
 * their name in its text. The weight is that of a name; DevMemBench: R@5 92.3 -> 92.9, MRR 88.4 -> 91.2, no question worse,
 * about the same from .2 to .3. (Their name in the text index instead makes it a common word: 92.1 and 89.3.)
 */
export const topicWeight = nameWeight;

/** Weight of memories that the graph brings: beside what matches, not above (at .15 DevMemBench loses 1.5 points of R@5). */
export const graphWeight = 0.03;

/** Similarities that differ by less than this say little of which memory is meant: two that are as near as can be stand alike. */
export const leastSpread = 0.15;

// Relevance: whether it is an answer (relevance.ts)

/** In terms: a text of more tells of several things. */
export const passage = 150;

/** In terms: the beginning of a text, which says what all of it is about. */
export const opening = 25;

/**
 * Logistic regression of "this is evidence for the answer" on what is known of a hit, over the questions of LoCoMo's first
 * five conversations (evidence turns against the other 24 hits), rounded; `name` has no data there and was set so that a rare
 * name alone reaches the threshold. A memory that says all of the question is an answer, also where another says it more often:
 * `complete` was set for that. It carries over: precision .65 and recall .97 on PrecisionMemBench, which it has not seen.
 */
export const model = { bias: -6.75, covered: 1, standing: 4, told: 0.87, name: 4.5, complete: 1.5 } as const;

/** Six rare words say all that words can. */
export const maxMatchedIdf = 6;

/** Even odds that it is evidence show as .7 ("probably what was asked for"), one in eleven as .3. */
export const scale = { offset: 0.85, slope: 0.73 } as const;

/** The best of what does not answer shows as this at most: below what a query asks for by default. */
export const unanswered = 0.24;

/**
 * Words that say as much as one that a single memory holds, or this share of the question, speak for an answer. At .2 that
 * costs LoCoMo, where every question has one, .1 points of default recall, DevMemBench and PrecisionMemBench none (at .3 LoCoMo
 * loses .4, beliefs as one text 4.6). 9 of the 25 questions of DevMemBench without an answer get none.
 */
export const enough = { told: 1, covered: 0.2 } as const;

/**
 * Inverse document frequency of a word that one of 20 memories holds. Among fewer memories a word that two of them say is rare,
 * too, though its frequency does not show it.
 */
export const fewMemories = Math.log(1 + 19.5 / 1.5);

// Repeats (dedupe.ts)

/** From this share of its word pairs on, a text repeats another (Unified Search Design: content similarity, default 85%). */
export const sameContent = 0.85;

/** A newer wording takes the place of an older one that ranks no more than this above it. */
export const closeScores = 0.9;

// Diversity (diversity.ts)

/** In hits. Further down nothing is shown unless asked for, and the work grows by the square. */
export const diverseDepth = 30;

/**
 * How much relevance counts against novelty. Measured as evidence retrieval over public chat logs (997 questions, BM25 with
 * neighbours): recall@5 64.8 without, 65.3 at .9 and falling from .85 on, where novelty begins to push evidence out.
 */
export const diverseLambda = 0.9;

// Reranking by a model (rerank.ts)

/** In hits. Further down hardly anything is shown, and each text costs the model time. */
export const rerankDepth = 30;

/** With the question it fits into 512 tokens of the model. In tokens of o200k, which are rather shorter than those of XLM-R. */
export const passageTokens = 300;

/** Share of the model's score, where words and vectors together make 1: it decides between memories that both rank high. */
export const modelWeight = 0.4;

// What a retrieval looks at (retrieve.ts, graph-retriever.ts)

/** The most that one search looks at. */
export const maxCandidates = 100;

/** The vectors of so many are compared with the query although the vector leg did not bring them. A limit of 10 needs 20. */
export const maxCompared = 40;

/** Stand in for hits without a row, and for duplicates. */
export const spareCandidates = 10;

/**
 * Limits of the graph: entities and relationships under the question's words, and memories around the best hits. The walk runs
 * only where there is room for its memories: elsewhere it would only move what is found anyway (LoCoMo, one after the other:
 * p50 14.0 ms with it, 12.2 without; R@10 78.5 and 78.4).
 */
export const mostConcepts = 5;

export const walked = { starts: 3, limits: { depth: 1, breadth: 4, limit: 8 } } as const;

/** Links are few, and are shown with the memory that they belong to. */
export const tied = { starts: 10, limit: 20 } as const;

// Beside what fuse.ts has of its own

/** Half of a memory's recency is gone after so long, ms, where nothing else is configured: what a quarter of work is about. */
export const usualHalfLife = 90 * 24 * 60 * 60 * 1_000;

/**
 * How far vectors are trusted beside words; see `npm run eval -- --variants` for what each leg is worth. At .2 LoCoMo gains
 * .3 points of R@5 and .2 of MRR, and PrecisionMemBench loses 1.3 of precision.
 */
export const vectorWeight = 0.15;

// Where the question is asked (selection/project.ts)

/**
 * Added to the score of memories of the project that asks, and of none at all. Its own weigh as if the question had said its name;
 * what another project says far better still stands above.
 */
export const projectWeights = { own: topicWeight, none: topicWeight / 2, other: 0 } as const;
