import { indexTerms } from "../text/query-terms.ts";

/** A normal name as one word, in index form: `nodejs` for Node.js, `amazonwebservic` for Amazon Web Services. Not every name has one. */
export const inOnePiece = (norm: string): string | undefined => (/^[\p{L}\p{N}]{1,64}$/u.test(norm) ? indexTerms(norm)[0] : undefined);
