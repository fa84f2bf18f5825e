/**
 * Every number that ranking is made of, with its unit and how it was fitted, so that one look shows what `npm run eval` judges.
 * Shares and weights have no unit. What is learned is in `ranking/model.json` (`scripts/ranker/`).
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

// Beside the learned order (rank.ts)

/**
 * In log-odds of the order, in which an answer and the rest differ by about 4: importance and recency decide between what
 * matches about alike, and no more. A fresh or important memory that does not answer is still no answer.
 */
export const importanceWeight = 0.5;

/** What is newest gets all of it, what is a half-life older half. */
export const recencyWeight = 0.3;

/** A memory that belongs to the project or person that the question names, in full; it seldom has that name in its text. */
export const topicWeight = 1.5;

/** A memory called by its name stands above one that happens to hold a word more: at 3, PrecisionMemBench loses two of six that a question names. */
export const nameWeight = 5;

/** A memory that calls what the question names by another of its names. */
export const aliasWeight = 1.5;

/**
 * How well what leads fits the time that the question names (0–1), below what fit another is outside it, and what it loses then. By the models alone, memories
 * that fit less than .2 are shown with .09, and are the answer in none of 104 cases of LoCoMo and in 1 of 181 of the teams; below .5 nothing is lost either.
 */
export const time = { met: 0.9, missed: 0.5, weight: 1.5 } as const;

// Relevance: whether it is an answer (relevance.ts, selection/certainty.ts)

/** In terms: a text of more tells of several things. */
export const passage = 150;

/** In terms: the beginning of a text, which says what all of it is about. */
export const opening = 25;

/**
 * From this probability of the best on, an answer is not called "nothing certain". Of the held questions of eight teams nine of ten such answers are
 * right then, and 14 of 100 questions that nothing answers get one.
 */
export const certain = 0.55;

/** From this probability of the best on, all that may belong to an answer is shown; below, leads. */
export const promising = 0.2;

/**
 * What a memory has to add to be shown beside a promising one: lists and counts need several memories, and a sure answer few others. On LoCoMo a
 * question gets 3.9 turns with 70.3% of the evidence.
 */
export const leastGain = 0.04;

/**
 * What a memory adds is its relevance times this power of the probability that none before it answers, by whether a question asks for one thing or for
 * several. With .25 for several the default answers to DevMemBench's questions over several sessions hold 62.4% (52.4 with .5) in .3 sessions more.
 */
export const besides = { one: 0.5, several: 0.25 } as const;

/** From this relevance on, whatever is nearer to where the question is asked comes first. */
export const staged = 0.075;

/**
 * Where nothing is promising: what holds all words of the question is a lead at least. From .14 on 2 of 29 questions of PrecisionMemBench that want no
 * answer get one more; from .18 on 7 of 100 questions in other words lose theirs.
 */
export const lead = { least: 0.155, most: 2 } as const;

/**
 * Where so few were searched, as of a new user, the best is a lead from here on: of 24 notes or fewer it is the one that answers in 76 to 100 of 100
 * questions, and below in none (of one note in 1 of 22); from .08 on in 1 to 11.
 */
export const few = { memories: 24, least: 0.045, most: 1 } as const;

/**
 * One or two are leads, too, whose words are so near to the question's (0–1, less the longer the text is) and which stand so far above the next, in log-odds
 * of the order. Of the stacks' open questions 15 get their answer by it, 5 another note, and 18 that nothing answers get a lead.
 */
export const apart = { wordMatch: 0.2, gap: 1 } as const;

/** A text of so many characters at most (as `length` has it) that holds so many words of a question, all of them, is certain. */
export const plain = { terms: 2, length: Math.log2(1 + 200) } as const;

/** Of the relevance of the nearest, in a search by meaning alone. */
export const vectorShare = 0.5;

/** Six rare words say all that words can. */
export const maxMatchedIdf = 6;

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

// Words compared by meaning (word-match.ts)

/** Where a memory holds so much of what the question's words weigh, they need no comparison by meaning. */
export const answered = 0.75;

/** In hits, the most promising first: each takes some .03 ms. Those that only query expansion found are among the last. */
export const matchDepth = 150;
/** In characters: what a text is about stands in its beginning. */
export const matchedCharacters = 1_200;

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

/** Where few are wanted: what answers in other words stands far down in each leg. */
export const leastCandidates = 60;

/** The vectors of so many are compared with the query although the vector leg did not bring them. A limit of 10 needs 20. */
export const maxCompared = 60;

/** Memories that hold words said in place of the question's (query-expansion.ts). */
export const maxExpanded = 40;
/** They are looked up where no memory holds so much of what the question's words weigh. */
export const expanded = 0.5;

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

/** Half of a memory's recency is gone after so long, ms, where nothing else is configured: what a quarter of work is about. */
export const usualHalfLife = 90 * 24 * 60 * 60 * 1_000;

// Where the question is asked (selection/project.ts)

/**
 * Added to the score of memories of the project that asks, and of none at all. Its own weigh as if the question had said its name;
 * what another project says far better still stands above.
 */
export const projectWeights = { session: 0.5, own: 0.5, former: 0.45, none: 0.25, other: 0 } as const;
