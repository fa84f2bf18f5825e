import { invalid, type DomainError } from "./errors.ts";

/** Text that may need a closer look. Small enough that ordinary bodies pay a scan of a microsecond and nothing else. */
const suspicious = /__proto__|\\u00(?:5f|6f|7[024])|[\d.]{16}|\de[+-]?\d{3}/i;

/**
 * The JSON of somebody outside, if nothing of it changes on the way: a key named __proto__ would vanish from the record that is
 * made of it, and a number that no double holds would become another one.
 * @throws SyntaxError; VALIDATION_ERROR that names the place
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const problem = suspicious.test(text) ? problemIn(text) : undefined;
  if (problem) throw problem;
  return value;
}

const number = /-?\d[\d.eE+-]*/y;
const colon = /\s*:/y;

/** Goes over the tokens of a text that is JSON. It keeps no stack, because the text may be nested as deep as it is long. */
function problemIn(text: string): DomainError | undefined {
  let name = "";
  for (let at = 0; at < text.length; ) {
    const character = text[at] as string;
    if (character === '"') {
      const end = endOfString(text, at);
      colon.lastIndex = end;
      if (colon.test(text)) {
        name = JSON.parse(text.slice(at, end)) as string;
        if (name === "__proto__") return invalid("__proto__ cannot be a key.", "Rename it.");
      }
      at = end;
    } else if (character === "-" || (character >= "0" && character <= "9")) {
      number.lastIndex = at;
      const [written] = number.exec(text) as RegExpExecArray;
      if (!isKept(written)) {
        return invalid(`The number ${shortened(written)}${name === "" ? "" : ` in "${shortened(name)}"`} cannot be kept as it is written.`, "Send it as text, in quotes, or with fewer digits.");
      }
      at += written.length;
    } else {
      at += 1;
    }
  }
  return undefined;
}

/** Behind the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let quote = start; ; ) {
    quote = text.indexOf('"', quote + 1);
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
}

/** Whether a reader gets back what was written. 17 digits name one double, so a fraction of so many means just that. */
function isKept(written: string): boolean {
  const value = Number(written);
  if (String(value) === written) return true;
  if (!Number.isFinite(value)) return false;
  const [given, kept] = [decimal(written), decimal(String(value))];
  if (given.digits === kept.digits && given.exponent === kept.exponent) return true;
  const isFraction = given.exponent < 0;
  return isFraction && value !== 0 && given.digits.length <= 17;
}

/** The number without its sign as `digits` × 10 to the power of `exponent`, with no zeros at either end of the digits. */
function decimal(written: string): { digits: string; exponent: number } {
  const [mantissa = "", power = "0"] = written.replace(/^-/, "").toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return end === 0 ? { digits: "", exponent: 0 } : { digits: digits.slice(0, end), exponent: Number(power) - fraction.length + digits.length - end };
}

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
