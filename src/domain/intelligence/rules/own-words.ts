/** Sentences or the first person in quotation marks, behind a verb of speech or at the beginning of a line; 27" begins none, and a title is none. No fence of code lies within. */
const quotation = /(?<=^|\b(?:says|said|writes|wrote|reads|told|asked|(?:mail|message|letter) from)\b[^"“”„.\n]{0,40})(?<!\d)["“„](?=[^"“”]*(?:\b(?:I|we|my|our)\b|[.!?] ))[^"“”`]{1,2000}["“”]/gim;

/** A request to work on a text, which follows its colon: nobody says it. */
const worked =
  /(?<=^|[.!?] |(?:please|me|you) )(?:summari[sz]e|translate|proofread|übersetze?|(?:fix|explain|rewrite|correct)(?=[^:\n]{0,80}\b(?:this|following|text|e-?mail|sentence)\b))\b[^:.!?\n]{0,80}:[^]*/im;

/** What somebody else is told to have said of themselves, and who the speaker is only supposed to be, to the end of the line. */
const others = /(?<=(?<!\bI) (?:said|says|wrote|writes|told me|asked|sagte|schrieb|meinte): )(?=.{0,300}\b(?:I|my|ich|mein\w*)\b).+|\b(?:imagine|suppose|pretend),? (?:that )?I(?:'m| am)\b.*/gi;

/** What somebody says in their own words. A question mark stands for a quotation: what leads to it says nothing either. */
export const ownWords = (text: string): string => text.replace(worked, "").replace(quotation, "?").replace(others, "?");

/** Not said to be so. */
export const supposed = /^(?:\w+, |please )?(?:(?:imagine|suppose|pretend),? (?:that )?(?:I|we|my|our)\b|forget |stell dir vor|example(?: sentence)?:)/i;
