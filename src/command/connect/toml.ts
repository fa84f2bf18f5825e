/** A table's header, or a key with its value. */
export interface Statement {
  kind: "table" | "tables" | "value";
  /** Names from the root on. */
  path: string[];
  /** Of the table that it stands in; a header stands in its own. */
  table: string[];
  /** The first character of its line, and the one after the line's end. */
  start: number;
  end: number;
  /** Of a value, without a comment behind it. */
  value: { from: number; to: number };
}

const blank = /(?:\s|#[^\n]*)*/y;
const name = /[ \t]*(?:([\w-]+)|"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)')[ \t]*/y;
const restOfLine = /[ \t]*(?:#[^\n]*)?(?:\n|\r\n|$)/y;
const token = /(?<string>"""(?:[^\\]|\\[^])*?"{3,5}|'''[^]*?'{3,5}|"(?!"")(?:[^"\\\n]|\\.)*"|'(?!'')[^'\n]*')|(?<open>[[{])|(?<close>[\]}])|(?<space>[ \t]+)|(?<line>\r?\n)|(?<comment>#[^\n]*)|(?<bare>[^\s"'#[\]{}]+)/y;

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The statements of a TOML file and where they stand; undefined where the text is none. Values are not looked into. */
export function statementsOf(text: string): Statement[] | undefined {
  const statements: Statement[] = [];
  let table: string[] = [];
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  for (;;) {
    at += match(blank, text, at)?.[0].length ?? 0;
    if (at === text.length) return statements;
    const start = text.lastIndexOf("\n", at - 1) + 1;
    const brackets = text.startsWith("[[", at) ? 2 : text.startsWith("[", at) ? 1 : 0;
    const path = pathAt(text, at + brackets);
    if (!path) return undefined;
    const closed = brackets === 0 ? "=" : "]".repeat(brackets);
    if (!text.startsWith(closed, path.end)) return undefined;
    const from = path.end + closed.length + (brackets === 0 ? (match(/[ \t]*/y, text, path.end + 1)?.[0].length ?? 0) : 0);
    const to = brackets === 0 ? valueEnd(text, from) : from;
    const rest = to === undefined ? null : match(restOfLine, text, to);
    if (to === undefined || !rest) return undefined;
    if (brackets > 0) table = path.names;
    at = to + rest[0].length;
    statements.push({ kind: brackets === 0 ? "value" : brackets === 1 ? "table" : "tables", path: brackets === 0 ? [...table, ...path.names] : table, table, start, end: at, value: { from, to } });
  }
}

function pathAt(text: string, from: number): { names: string[]; end: number } | undefined {
  const names: string[] = [];
  for (let at = from; ; at += 1) {
    const found = match(name, text, at);
    if (!found) return undefined;
    const [, bare, basic, literal] = found;
    names.push(bare ?? literal ?? stringOf(`"${basic}"`) ?? "");
    at += found[0].length;
    if (text[at] !== ".") return { names, end: at };
  }
}

function valueEnd(text: string, from: number): number | undefined {
  let [at, end, depth] = [from, from, 0];
  for (;;) {
    const found = match(token, text, at);
    if (!found?.groups) return at === text.length && depth === 0 && end > from ? end : undefined;
    const { open, close, space, line, comment } = found.groups;
    if (depth === 0 && (line !== undefined || comment !== undefined)) return end > from ? end : undefined;
    if (open !== undefined) depth += 1;
    if (close !== undefined) depth -= 1;
    if (depth < 0) return undefined;
    at += found[0].length;
    if (space === undefined) end = at;
  }
}

/** What a string on one line says; undefined for any other value. */
export function stringOf(value: string): string | undefined {
  if (/^'(?!'')[^'\n]*'$/.test(value)) return value.slice(1, -1);
  if (!/^"(?!"")(?:[^"\\\n]|\\.)*"$/.test(value)) return undefined;
  try {
    return JSON.parse(value) as string;
  } catch {
    return undefined;
  }
}
