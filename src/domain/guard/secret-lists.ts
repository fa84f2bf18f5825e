import { verbatim } from "../verbatim.ts";
import type { Finding } from "./finding.ts";
import { callsItPin, callsItSecret, opensByDigits, otherCodes, passwords } from "./secret-names.ts";
import { isDate, isKey, isPassword, isPasswordLike } from "./secret-shapes.ts";
import { isWordPassword } from "./secret-words.ts";

/** Secrets that another line calls so: the head of a table, the title of a list, a question in a talk. */

const chosen = verbatim`${passwords}|pw|pass(?!e)|kennwörter|mots de passe`;
const made = "secret|token|api[ -]?key|key|schlüssel|clé|jeton|密钥|令牌|トークン";
const digits = verbatim`pins?|puk|(?<!(?:${otherCodes}) )codes?|(?:tür|zugangs)codes?|códigos?|暗証番号|番号`;
/** All that the head of a column or a title says. */
const title = new RegExp(`^(?:[\\p{L}\\d'’-]{1,12} ){0,2}\\p{L}{0,8}-?(?:(${chosen})|(${made})|(${digits}))(?:s|es|n)?$`, "iu");
const place = /door|gate|garage|lock|safe|room|entrance|alarm|tür|tor|porte|portail|puerta|portón|cave|keller|门|門|扉|库|庫|鍵/i;
const separator = /[|;\t,，]/;
const cellsOf = (line: string, by: string): string[] => line.split(by).map((cell) => cell.replaceAll(/[*`"_]/g, "").trim());

interface Line {
  start: number;
  text: string;
}

export function secretsOfLists(text: string): Finding[] {
  if (!text.includes("\n")) return [];
  const found: Finding[] = [];
  const lines: Line[] = [];
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf("\n", start);
    const stop = end < 0 ? text.length : end;
    lines.push({ start, text: text.slice(start, stop) });
    start = stop + 1;
  }
  const add = (line: Line, value: string, kind = "password or key"): void => {
    const start = line.start + line.text.lastIndexOf(value);
    found.push({ kind, start, end: start + value.length });
  };
  lines.forEach((line, i) => {
    if (line.text.length > 200) return;
    for (const [at, value] of answered(lines, i)) found.push({ kind: "password or key", start: at, end: at + value.length });
    const by = separator.exec(line.text)?.[0];
    if (by) for (const [row, value] of underHead(lines, i, by)) add(row, value);
    else for (const [row, value] of underTitle(lines, i)) add(row, value);
  });
  return found;
}

/** Which of three kinds a title names. */
function kindOf(said: string): ((value: string) => boolean) | undefined {
  const match = said.length > 40 ? null : title.exec(said);
  if (!match) return undefined;
  if (match[1]) return (value) => (isPassword(value, 0) && !isDate(value)) || /^[A-Za-z]{4,}20\d\d$/.test(value) || (/^\p{L}{4,20}$/u.test(value) && isWordPassword(value.toLowerCase())) || /^\d{4,8}$/.test(value);
  if (match[2]) return isKey;
  return (value) => /^[*#]?\d{4,8}[*#]?$/.test(value) && !isDate(value);
}

function underHead(lines: readonly Line[], at: number, by: string): [Line, string][] {
  const found: [Line, string][] = [];
  const heads = cellsOf((lines[at] as Line).text, by);
  heads.forEach((head, column) => {
    const is = kindOf(head);
    if (!is || heads.filter(Boolean).length < 2) return;
    for (let row = at + 1; row < lines.length && row < at + 60; row += 1) {
      const line = lines[row] as Line;
      const cells = cellsOf(line.text, by);
      if (cells.length !== heads.length) break;
      const value = cells[column] as string;
      // Numbers of errors and countries are codes, too.
      if (is(value) && (!/^(?:codes?|código|番号)$/i.test(head) || place.test(`${heads.join(" ")} ${cells.join(" ")}`))) found.push([line, value]);
    }
  });
  return found;
}

/** `Passwords:`, a list below; or the one value on the next line. */
function underTitle(lines: readonly Line[], at: number): [Line, string][] {
  const found: [Line, string][] = [];
  const is = kindOf((lines[at] as Line).text.replace(/^[\s#*>-]+/, "").replace(/[\s:：*]+$/, ""));
  if (!is) return [];
  for (let row = at + 1; row < lines.length && row < at + 30; row += 1) {
    const line = lines[row] as Line;
    const [, listed, value = ""] = /^\s*(?:([-*•] .{1,60}?[ :：]|\d+[.)] .{1,60}?[ :：]) ?|`{0,3})([^\s`:：]{4,64})`?$/.exec(line.text) ?? [];
    if (listed === undefined && value === "" && (/^\s*(?:`{3}\w*)?$/.test(line.text) && row < at + 3)) continue;
    if (value === "") break;
    if (is(value) && !(/^\p{L}+$/u.test(value) && !/[:：] ?\S+$/.test(line.text))) found.push([line, value]);
    if (listed === undefined) break;
  }
  return found;
}

const turn = /^\s*(?:\[[^\]\n]{1,20}\] ?)?(?:(?:\*\*)?[^\n:：*]{1,24}?(?:\*\*)? ?[:：](?:\*\*)? ?|<\w{1,20}> |[<>] )(\S.{1,79})$/u;
const ofPassword = new RegExp(`(?:${passwords})[^\\n:]{0,32}$`, "u");
const isAsked = [callsItSecret, /wi-?fi|wlan|hotspot|无线|無線/gu];
const opens = [callsItPin, opensByDigits, /(?<!\p{L})codes?(?!\p{L})|码|番号|コード|locker|schließfach|taquilla|casier/gu];
const says = (words: readonly RegExp[], said: string): boolean => words.some((one) => said.search(one) >= 0);
const cannotEnter = /get into|log ?in|sign in|komm\S* (?:nicht|man|ich)|rein|entrer|connect|entrar|acceder|进|登|入れ|ログイン/i;
const attempt = /^(?:try|use|take|probier|versuch|nimm|essaie|prends|prueba|usa|试|用)|を試|を使/i;
const asksFor = /what|which|wie (?:ist|war|lautet|heißt)|quel|cuál|什么|多少|何/i;
/** Questions that a word answers without being the password. */
const asksElse = /(?<!\p{L})(?:who|where|when|why|how|did|do|does|have|has|is|was|can|wer|wo|wann|warum|hast|hat|ist|kann|policy|manager|reset|geändert|vergessen|qui|oublié|olvid\p{L}*|expir\p{L}*|où|quand|as|est|quién|dónde|cuándo|tienes|es)(?!\p{L})|[谁誰吗]|ますか|どこ|いつ/iu;

/** Questions that a number answers without opening anything. */
const asksNumber = /(?<!\p{L})(?:when|how (?:long|many|much|wide|big|old)|which (?:room|port|floor|version|year)|costs?|price|errors?|wann|wie (?:viel|lang|alt|breit)|welche[rs]? (?:raum|port|tag)|kostet|quand|combien|coûte|cuándo|cuánt|cuesta|lines)|多少钱|几个|何時|いつ|いくら/iu;
/** What the answer to a question for a secret says, also after an "one moment" or a question back. */
function answered(lines: readonly Line[], at: number): [number, string][] {
  const line = lines[at] as Line;
  const answer = turn.exec(line.text)?.[1];
  if (at === 0 || !answer) return [];
  const words = [...answer.matchAll(/[^\s，。、（）「」“”"'`]+?(?=[.,;!?)，。、「」“”"'`]*(?:\s|$|[，。、です]))/gu)];
  if (words.length > 9) return [];
  for (let back = at - 1; back >= Math.max(0, at - 3); back -= 1) {
    const said = (lines[back] as Line).text.toLowerCase();
    const isPin = says(opens, said) && !asksNumber.test(said);
    const isSecret = says(isAsked, said);
    const isLocked = cannotEnter.test(said) && attempt.test(answer);
    if (isPin || isSecret || isLocked) {
      const isIt = (value: string): boolean =>
        (isSecret && (/^\d{9,63}$/.test(value) || isPasswordLike(value))) ||
        (isLocked && isPasswordLike(value) && /\d/.test(value)) ||
        (isPin && ((/^[*#]?\d{4,8}[*#]?$/.test(value) && (!isDate(value) || words.length === 1)) || /^\d\d(?:-\d\d){2,3}$/.test(value))) ||
        (isSecret && words.length === 1 && /^\p{sc=Latin}{4,20}$/u.test(value) && ofPassword.test(said) && (asksFor.test(said) || (said.length < 60 && !asksElse.test(said))) && isWordPassword(value.toLowerCase()));
      const from = line.start + line.text.lastIndexOf(answer);
      return words.filter(({ 0: value }) => isIt(value)).map(({ index, 0: value }) => [from + index, value]);
    }
    if (said.length > 60 && !said.endsWith("?")) return [];
  }
  return [];
}
