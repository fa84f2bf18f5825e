import type { Leg } from "../presentation/receipt.ts";
import { shareOf } from "../ranking/word-match.ts";
import { expanded, maxExpanded } from "../weights.ts";
import type { SearchAnswer } from "./text-retriever.ts";
import type { Legs } from "./legs.ts";

/** Knows which words people say in place of others; only the built-in model has one, larger models know that from whole texts. */
export interface QueryExpander {
  /** Words for those of the text, the most telling first; none for words that nobody paraphrases. */
  expand(text: string, signal: AbortSignal): Promise<string[]>;
}

/** The leg may only make an answer better, ms. */
const deadline = 300;
const leg: Leg = "query_expansion";

/**
 * Ids of memories that say a question in other words: its words are expanded and looked up as the question is (query expansion; Manning, Raghavan and Schütze
 * 2008, chapter 9). How well they answer is left to ranking. A question of whose words a memory holds half needs none and pays nothing.
 */
export async function idsByExpansion(
  { expander, search }: { expander: QueryExpander | undefined; search(words: string[]): Promise<string[]> }, legs: Legs, text: string, answer: SearchAnswer,
): Promise<string[]> {
  if (!expander || text === "" || answer.hits.some(({ ownTerms }) => shareOf(answer, ownTerms) >= expanded)) {
    legs.skip(leg);
    return [];
  }
  const work = async (signal: AbortSignal): Promise<string[]> => {
    const words = await expander.expand(text, signal);
    return words.length === 0 ? [] : (await search(words)).slice(0, maxExpanded);
  };
  return legs.run(leg, deadline, work, [], ({ length }) => length);
}
