import { preview } from "../domain/recall/presentation/excerpt.ts";

/** In characters: what is said of a long text that is one of many, or that the caller has just said. */
export const beginningLength = 300;

/** A short text as it is. */
export const beginningOf = (text: string): string => (text.length <= beginningLength ? text : preview(text, beginningLength));
