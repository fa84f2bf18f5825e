import type { Mention } from "./mentions.ts";
import type { Token } from "./tokenizer.ts";

/** `long` and `short` are one thing, because the text says so. */
export interface Alias {
  long: string;
  short: string;
  /** Words of the sentence that the short form takes. */
  start: number;
  end: number;
}

const marks = new Set(["aka", "a.k.a", "alias"]);

/** `Kubernetes (k8s)`, `Amazon Web Services (AWS)`, `Robert, aka Bob`, `the billing service, also known as Ledger`. */
export function aliasesIn(sentence: readonly Token[], mentions: readonly Mention[]): Alias[] {
  const found: Alias[] = [];
  for (const { end, name, type } of mentions) {
    if (type === "date" || type === "version") continue;
    const token = sentence[end];
    if (!token) continue;
    const bracketed = token.open.includes("(");
    if (bracketed && token.close.includes(")") && isShortFor(token.word, name)) found.push({ long: name, short: token.word, start: end, end: end + 1 });
    const mark = markEnd(sentence, end);
    const named = mark === undefined ? undefined : nameFrom(sentence, mark, mentions);
    if (named && named.short !== name) found.push({ long: name, ...named });
  }
  return found;
}

/** Where the other name begins after `aka` or `also known as`. */
function markEnd(sentence: readonly Token[], i: number): number | undefined {
  const lower = (offset: number): string | undefined => sentence[i + offset]?.lower;
  if (marks.has(lower(0) ?? "")) return i + 1;
  if ((lower(0) === "also" || lower(0) === "formerly" || lower(0) === "better") && (lower(1) === "known" || lower(1) === "called")) return lower(2) === "as" ? i + 3 : i + 2;
  return lower(0) === "formerly" ? i + 1 : undefined;
}

function nameFrom(sentence: readonly Token[], start: number, mentions: readonly Mention[]): Omit<Alias, "long"> | undefined {
  const mention = mentions.find((other) => other.start === start);
  if (mention) return { short: mention.name, start, end: mention.end };
  const token = sentence[start];
  return token && /^[\p{L}\p{N}][\p{L}\p{N}_.-]+$/u.test(token.word) && (/[\p{Lu}\d]/u.test(token.word) || token.quoted) ? { short: token.word, start, end: start + 1 } : undefined;
}

/** Initials (`AWS`), a numeronym (`k8s`: first letter, count of those left out, last letter), or the beginning (`Postgres`). */
export function isShortFor(short: string, long: string): boolean {
  if (short.length < 2 || short.length >= long.length || !/^[\p{L}\p{N}]+$/u.test(short)) return false;
  const [low, full] = [short.toLowerCase(), long.toLowerCase()];
  const words = full.split(/[\s_-]+/).filter((word) => word !== "");
  if (words.length > 1) {
    const initials = words.map((word) => word[0]).join("");
    const telling = words.filter((word) => !/^(?:of|the|and|for|on|in)$/.test(word)).map((word) => word[0]).join("");
    if (low === initials || low === telling) return true;
  }
  const numeronym = /^(\p{L})(\d{1,2})(\p{L})$/u.exec(low);
  if (numeronym) return full.startsWith(numeronym[1] as string) && full.endsWith(numeronym[3] as string) && Number(numeronym[2]) === full.length - 2;
  return low.length >= 4 && full.startsWith(low);
}
