/** What a task is about: what somebody says of it, and the code that they show. */
export interface TaskSubject {
  words?: readonly (string | undefined)[];
  files?: readonly (string | undefined)[];
  code?: readonly (string | undefined)[];
}

/** A search looks for 32 terms, the first ones of the question. */
const mostNames = 16;
const mostWords = 1_000;
/** The beginning of a file declares what it is about. */
const readCode = 20_000;

const declared = /\b(?:function|class|interface|type|enum|struct|trait|impl|module|def|fn|func|record|object|const|let|var|val)\s+\*?\s*([\p{L}_$][\p{L}\p{N}_$]*)/gu;
const called = /[\p{L}_$][\p{L}\p{N}_$]{3,}/gu;
/** Words of languages, which say nothing of what a code is about. */
const syntax = new Set(
  `abstract assert async await boolean break byte case catch class const continue crate default defer delete double elif else enum except export extends extern false final
  finally float from func function global goto implements import impl include instanceof int interface lambda long match module namespace native none null number object
  override package pass private protected public raise readonly record return self short signed static string struct super switch template this throw throws trait true
  type typedef typeof undefined union unsigned using value void volatile where while with yield`.split(/\s+/),
);

/**
 * The question by which memories about a task are looked up: what was said of it, the names of its files, then what its code
 * declares, then what that names most often.
 */
export function questionAbout({ words = [], files = [], code = [] }: TaskSubject): string {
  const text = code.join("\n").slice(0, readCode);
  const uses = new Map<string, number>();
  for (const [name] of text.matchAll(called)) uses.set(name, (uses.get(name) ?? 0) + 1);
  const byUse = [...uses].sort(([, a], [, b]) => b - a).map(([name]) => name);
  const names = [...new Set([...[...text.matchAll(declared)].map(([, name]) => String(name)), ...byUse])].filter((name) => name.length > 2 && !syntax.has(name.toLowerCase()));
  return [...words.map((said) => said?.slice(0, mostWords)), ...files.map((file) => file && stemOf(file)), names.slice(0, mostNames).join(" ")].filter(Boolean).join("\n");
}

/** `src/session/recall-cache.ts` is about session, recall and cache. */
const stemOf = (file: string): string => file.split(/[/\\]/).slice(-2).join(" ").replace(/\.\w{1,5}$/, "");
