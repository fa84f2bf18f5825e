/** Written by scripts/static-model/make.ts. The revision is the beginning of the SHA-256 of static-model.bin. */
export const staticModel = { name: "@omnimemory/static", dimensions: 192, revision: "3878cf021f5a" };
/** Compares the words of a question with those of texts, by the same table; asked in the form of a reranking model. */
export const wordMatchModel = "@omnimemory/word-match";
/** Says for the words of a question what people say in their place. */
export const queryExpansionModel = "@omnimemory/query-expansion";
