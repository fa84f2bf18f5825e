/** Shorter words are too near to each other. */
const shortest = 4;

const letters = /^\p{L}+$/u;

/** Whether a term that nobody wrote may be a slip of the pen for another. */
export const mayBeSlip = (term: string): boolean => term.length >= shortest && letters.test(term);

/**
 * One letter left out, doubled or put in, or two swapped: the typing errors (Damerau 1964) that seldom make another word. A
 * letter for another one does so too often (mango, mongo) to be taken for a slip.
 */
export function isSlip(written: string, meant: string): boolean {
  if (meant.length < shortest || Math.abs(written.length - meant.length) > 1 || written === meant) return false;
  let start = 0;
  while (start < written.length && written[start] === meant[start]) start += 1;
  if (written.length === meant.length) {
    return written[start] === meant[start + 1] && written[start + 1] === meant[start] && written.slice(start + 2) === meant.slice(start + 2);
  }
  if (written.length === meant.length + 1) return written.slice(start + 1) === meant.slice(start);
  return written.length + 1 === meant.length && written.slice(start) === meant.slice(start + 1);
}
