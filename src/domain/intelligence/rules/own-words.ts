/** Sentences or the first person in quotation marks, behind a verb of speech or at the beginning of a line; 27" begins none, and a title is none. No fence of code lies within. */
const quotation = /(?<=^|\b(?:says|said|writes|wrote|reads|told|asked)\b[^"“”„.\n]{0,40})(?<!\d)["“„](?=[^"“”]*(?:\b(?:I|we|my|our)\b|[.!?] ))[^"“”`]{1,2000}["“”]/gim;

/** A request to work on a text, which follows its colon: nobody says it. */
const worked =
  /(?<=^|[.!?] |(?:please|me|you) )(?:summari[sz]e|translate|proofread|übersetze?|(?:fix|explain|rewrite|correct)(?=[^:\n]{0,80}\b(?:this|following|text|e-?mail|sentence)\b))\b[^:.!?\n]{0,80}:[^]*/im;

/** What somebody says in their own words. A question mark stands for a quotation: what leads to it says nothing either. */
export const ownWords = (text: string): string => text.replace(worked, "").replace(quotation, "?");

/** Not said to be so. */
export const supposed = /^(?:\w+, |please )?(?:(?:imagine|suppose|pretend),? (?:that )?(?:I|we|my|our)\b|forget |stell dir vor|example(?: sentence)?:)/i;
