/** Draws nothing, or reorders what stands around it. Emoji are taken out first, because they are made with such characters. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/u;
const emoji = /\p{RGI_Emoji}|\p{Emoji}\u{FE0F}/gv;

/** Why people are not shown a name that a stranger chose, if they are not: it would look like another one. */
export function nameProblem(name: string, maxLength: number): string | undefined {
  if (name.length > maxLength) return `has at most ${maxLength} characters`;
  if (!name.isWellFormed() || unseen.test(name.replaceAll(emoji, ""))) return "has characters that nobody can see";
  return undefined;
}
