import { findInstructions } from "../guard/find-instructions.ts";
import { findSecrets } from "../guard/find-secrets.ts";

/** In characters of what is looked at and of what is stored: patterns are made of how commands begin. */
const longestLooked = 2_000;
const longestKept = 200;
const longestWord = 40;

/** A word as a shell splits them, quotes included. */
const words = /(?:[^\s"'`]+|"(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`|["'`])+/g;
const separators = /^(?:&&|\|\|?|;|&)$/;
const placeholder = /^<[a-z]+>$/;
const assignment = /^[A-Za-z_]\w*=/;

/**
 * The form of a command in which it is learned: what differs from call to call becomes a placeholder, so that
 * `git commit -m "fix login"` and `git commit -m "add tests"` are one action, and values are not stored. What the write guard
 * finds is masked first. A command in this form stays as it is.
 */
export function generalise(command: string): string {
  let form = generalForm(command);
  // What stands for one thing may read like another together with its neighbours.
  for (let pass = 0, next = ""; pass < mostPasses && (next = generalForm(form)) !== form; pass += 1) form = next;
  return form;
}

const mostPasses = 4;

function generalForm(command: string): string {
  const [text] = withoutSecrets(command).slice(0, longestLooked).split(/<<-?\s*["'\\]?\w/) as [string];
  const kept: string[] = [];
  let isProgram = true;
  let length = 0;
  for (const [word] of text.trim().replaceAll(/\\?\r?\n/g, (end) => (end.startsWith("\\") ? " " : " ; ")).matchAll(words)) {
    const said = isProgram ? programOf(word) : generalWord(word);
    isProgram = separators.test(word) || (isProgram && (assignment.test(word) || word === "sudo"));
    // `cat a b c` does what `cat a` does.
    if (placeholder.test(said) && said === kept.at(-1)) continue;
    length += said.length + 1;
    if (length + 1 > longestKept) {
      kept.push("…");
      break;
    }
    kept.push(said);
  }
  const form = kept.join(" ") || "…";
  return findInstructions(form).length > 0 ? masked : form;
}

/** Stands for a command that reads like an order to a model. */
const masked = "<masked>";

function withoutSecrets(text: string): string {
  let [open, at] = ["", 0];
  for (const { start, end } of findSecrets(text)) {
    open += `${text.slice(at, start)}<secret>`;
    at = end;
  }
  return open + text.slice(at);
}

/** Of a program its name, wherever it lies. */
function programOf(word: string): string {
  if (assignment.test(word) || /["'`$]/.test(word) || placeholder.test(word)) return generalWord(word);
  const name = word.split(/[/\\]/).findLast((part) => part !== "") ?? word;
  return name.length > longestWord ? "<text>" : name;
}

/** What a word is generalised to, by its form; the first that fits. */
const forms: readonly (readonly [form: RegExp, general: (match: RegExpExecArray) => string])[] = [
  [placeholder, ([word]) => word],
  [/^(?:[a-z][a-z0-9+.-]*:\/\/|[\w.-]+@[\w.-]+:)/i, () => "<url>"],
  [/^(\d?[<>]{1,2}&?)(.+)$/, ([, sign, rest]) => `${sign}${/^\d$/.test(rest as string) ? rest : generalWord(rest as string)}`],
  [/^([A-Za-z_]\w*|--[\w-]+)=/, ([, name]) => `${name}=<value>`],
  [/^\$/, () => "<value>"],
  [/["'`]/, () => "<text>"],
  [/<secret>/, () => "<secret>"],
  [/^(?:&&|\|\|?|;|&|\.\.\.|…)$/, ([word]) => word],
  [/^(-[A-Za-z])(?:<value>|\S*\d\S*)$/, ([, name]) => `${name}<value>`],
  [/^-p\S{3,}$/, () => "-p<value>"],
  [/^--?[A-Za-z][\w-]*$/, ([word]) => word],
  [/^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i, () => "<email>"],
  [/[/\\]|^~|^\.{1,2}$|^\.\w|^[\w@.-]+\.[A-Za-z]\w{0,9}$/, () => "<path>"],
  [/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i, () => "<id>"],
  [/^(?=.*\d)[0-9a-f]{7,64}$/i, () => "<hash>"],
  [/^#?[\d.,:]+[a-z%]{0,2}$/i, () => "<n>"],
  [/^(?=.*\d)(?=.*\p{L}).{8,}$/u, () => "<id>"],
];

function generalWord(word: string): string {
  for (const [form, general] of forms) {
    const match = form.exec(word);
    if (match) return general(match);
  }
  return word.length > longestWord ? "<text>" : word;
}
