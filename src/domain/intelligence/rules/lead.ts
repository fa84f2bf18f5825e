/** In characters: what a long note is about is said in its beginning, and the work stays bounded. */
const head = 4_000;
/** In characters, of both sentences and of each. */
const longest = 400;
const longestSentence = 240;
/** In characters: a shorter piece is a heading or a remark. */
const shortest = 12;

/** A line, or a sentence of it; a point inside of a number or name ends none. */
const sentence = /[^.!?。！？\n]{1,2000}(?:[.!?](?!\s|$)[^.!?。！？\n]{0,2000}){0,20}[.!?。！？]?/g;
const marks = /^[\s#>*•|-]+|[\s|]+$/g;
const decides =
  /(?<![a-z])(?:decided|agreed|must|never|because|root cause|deadline|result|therefore|instead|entschieden|beschlossen|muss|dürfen|weil|ursache|ergebnis|décidé|doit|porque|debe)(?![a-z])|决定|必须|禁止|因为|根因|结论|決定|採用|禁止|原因|結論|必要/i;

/** One or two sentences that stand for a text: its first one, and the one after it that says most of the keywords, decides or counts. */
export function leadOf(text: string, keywords: readonly string[]): string {
  const sentences = (text.slice(0, head).match(sentence) ?? []).map((one) => one.replaceAll(marks, "").replaceAll(/\s+/g, " ")).filter((one) => one.length >= shortest);
  const [first, ...others] = sentences;
  if (first === undefined) return cut(text.slice(0, head).replaceAll(/\s+/g, " ").trim(), longest);
  const words = keywords.map((word) => word.toLowerCase());
  let best: { said: string; worth: number } | undefined;
  for (const [place, said] of others.entries()) {
    if (said.length > longestSentence) continue;
    const lower = said.toLowerCase();
    const worth = words.filter((word) => lower.includes(word)).length + (decides.test(lower) ? 1.5 : 0) + (/\d/.test(said) ? 0.5 : 0) - place / 50;
    if (!best || worth > best.worth) best = { said, worth };
  }
  const opening = cut(first, longestSentence);
  return cut(best ? `${opening} ${best.said}` : opening, longest);
}

const cut = (text: string, length: number): string => (text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`);
