import { verbatim } from "../verbatim.ts";

/**
 * Texts that nobody will look for: rules that are cheap and would rather miss one than call a memory junk (precision first).
 * `unkeyed` rules hold for texts that may be a value, such as "ok" under the key `tests.status`, and so only where there is no key.
 */

/** Candidates: a short text, or one of many lines. In characters; the store looks for them. */
export const longestShortText = 80;
export const fewestLogLines = 15;
/** Of a text with many lines so much is looked at. */
export const logSample = 4_000;

/** Whole texts, in small letters, without what stands around them. */
const chatter = new Set(
  verbatim`
    hi|hello|hey|hi there|hello there|good morning|good evening|bye|goodbye|thanks|thank you|thanks a lot|thank you very much|thx|ty|ok thanks|okay thanks
    ok thank you|great thanks|you're welcome|you are welcome|no problem|sounds good|got it|will do|makes sense|i see|lol|haha|nice to meet you|how are you
    hallo|guten morgen|guten tag|danke|danke schön|vielen dank|ok danke|bitte|gern geschehen|alles klar|tschüss
    bonjour|salut|merci|merci beaucoup|de rien|d'accord|hola|buenos días|gracias|muchas gracias|de nada|ciao|grazie|obrigado|obrigada|привет|спасибо
    你好|您好|谢谢|谢谢你|谢谢您|不客气|再见|早上好|こんにちは|ありがとう|ありがとうございます|おはよう|おはようございます|了解です|안녕하세요|감사합니다|고마워요`.trim().split(/\s*[\n|]\s*/),
);

/** A value under a key, and nothing by itself. */
const values = new Set(
  verbatim`ok|okay|k|yes|no|yep|nope|sure|done|true|false|none|null|nil|nan|n/a|na|tbd|todo|test|testing|test test|foo|bar|foobar|asdf|qwerty|x|xxx|abc|123|placeholder|empty|ja|nein|oui|non|si|sí|да|нет|好|好的|是|はい|いいえ`.split("|"),
);

/** What a program writes where it had nothing to say, and what stands in for text. */
const never = new Set(["undefined", "[object object]", "[object promise]", "lorem ipsum", "lorem ipsum dolor sit amet", "your text here", "insert text here", "enter text here"]);

/** "The user said hi", "User greeted the assistant". */
const reported = /^(?:the )?(?:user|assistant|human|person) (?:just )?(?:said|says|replied|answered|wrote|greeted|thanked|acknowledged)(?: (?:the )?(?:user|assistant|me|back))?[\s:,]*(.*)$/;
const greetedAlone = /^(?:the )?(?:user|assistant|human|person) (?:just )?(?:greeted|thanked)(?: (?:the )?(?:user|assistant|me|back))?$/;

/** A place that a template leaves to be filled in. */
const blank = /^(?:\{\{[^{}]{0,60}\}\}|\$\{[^{}]{0,60}\}|<[^<>]{1,60}>|\[[^[\]]{0,60}\]|\.{3}|…|_{2,}|-|todo|tbd|n\/a)?$/;
const labelled = /^(?:[-*•] )?(?:\*\*)?[\p{L}\p{N} /-]{1,40}:(?:\*\*)?[ \t]*(.{0,80})$/u;
const heading = /^#{1,6} /;

/** The key of a template that is kept on purpose. */
const template = /template|vorlage|plantilla|mod[eè]le|checklist|form|模板|雛形|テンプレート/i;

/** Time stamps, levels, stack frames and the marks of test runners at the beginning of a line. */
const logLine =
  /^\s{0,12}(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|NOTICE)\b[\]:]?|at .{1,200}:\d{1,7}|File "[^"]{1,200}", line \d|npm (?:ERR!|WARN|notice)|(?:PASS|FAIL|ok|not ok) |[✓✔✗✘×] |E {3}|Compiling |Downloading |remote: |\d{1,3}% )/;
const logShare = 0.8;

const outer = /^[\s"'`*_.,;:!?…。！？、~()-]+|[\s"'`*_.,;:!?…。！？、~()-]+$/gu;
const bare = (text: string): string => text.toLowerCase().replaceAll("’", "'").replaceAll(/[,;.!]/g, " ").replaceAll(/\s+/g, " ").replaceAll(outer, "").trim();

/** Why a memory is junk, in words that follow "it"; undefined when it may well be of use. */
export function junkReason({ key, content }: { key: string | null; content: string }): string | undefined {
  if (content.length <= 2 * longestShortText) {
    if (!/[\p{L}\p{N}\p{S}]/u.test(content)) return "has no words";
    const text = bare(content);
    if (chatter.has(text) || isReportedChatter(text)) return "is chatter";
    if (never.has(text)) return "is a placeholder";
    if (key === null && values.has(text)) return "is one word without a key that says of what";
  }
  const lines = content.slice(0, logSample).split("\n");
  if (!(key !== null && template.test(key)) && isUnfilled(lines)) return "is a template that nobody filled in";
  const said = lines.filter((line) => line.trim() !== "");
  const logged = said.filter((line) => logLine.test(line.slice(0, 300)));
  return said.length >= fewestLogLines && logged.length >= logShare * said.length ? "is a raw log" : undefined;
}

function isReportedChatter(text: string): boolean {
  if (greetedAlone.test(text)) return true;
  const said = reported.exec(text)?.[1];
  return said !== undefined && said !== "" && (chatter.has(bare(said)) || values.has(bare(said)));
}

/** Headings and labels, and nothing behind any of them; at least two, of which one is a blank to fill in or says nothing. */
function isUnfilled(lines: readonly string[]): boolean {
  const said = lines.map((line) => line.trim()).filter((line) => line !== "");
  if (said.length < 2 || said.length > 60) return false;
  let labels = 0;
  for (const line of said) {
    if (heading.test(line)) continue;
    const [, rest] = labelled.exec(line) ?? [];
    const value = rest ?? line;
    if (!blank.test(value.trim().toLowerCase())) return false;
    labels += 1;
  }
  return labels >= 2;
}
