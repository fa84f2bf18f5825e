import { homedir } from "node:os";
import { resolve } from "node:path";
import { git } from "../git.ts";
import { type HookInput, printedBy } from "./hook-input.ts";

export interface Commit {
  folder: string;
  hash: string;
  subject: string;
  body: string;
  files: number;
  /** The commit whose place it took. */
  amended: string | undefined;
}

/** Of the memories of commits. */
export const commitTag = "commit";

/** Of one command. */
const most = 5;
/** How long ago a commit may be that a command made without saying so, where Claude Code does not say how long the command ran. */
const usualMs = 120_000;
const longestBody = 3_000;

/** The commits that the command of a Bash call made, and no others: a commit that failed, or was there before, is none. */
export async function commitsOf(input: HookInput, now: number): Promise<Commit[]> {
  const command = input.tool_input?.command ?? "";
  if (input.tool_name !== "Bash" || !/\bgit\b[^|;&\n]*\bcommit\b/.test(command)) return [];
  const folders = foldersOf(command, input.cwd);
  const printed = hashesIn(printedBy(input));
  const found = printed.length > 0 ? await named(folders, printed) : await made(folders, now - (input.duration_ms ?? usualMs) - 1_000);
  return (await Promise.all(found.slice(0, most).map(describe))).filter((commit) => commit !== undefined);
}

interface Place {
  folder: string;
  hash: string;
}

/** Where the command may have committed: `cd sub && git commit`, `git -C sub commit`. */
function foldersOf(command: string, cwd: string): string[] {
  const said = [...command.matchAll(/(?:\bcd|\bgit(?:\s+-c\s+\S+)*\s+-C)\s+(?:"([^"\n]+)"|'([^'\n]+)'|([^\s;&|]+))/g)].map(([, ...forms]) => forms.find((form) => form !== undefined) ?? "");
  const folders = said.map((path) => resolve(cwd, path.replace(/^~(?=\/|$)/, homedir())));
  return [...new Set([cwd, ...folders])].slice(0, 8);
}

/** `[main (root-commit) 1a2b3c4] Subject` */
const hashesIn = (printed: string): string[] => [...new Set([...printed.matchAll(/^\[[^\]\n]*?\b([0-9a-f]{7,64})\] /gm)].map(([, hash]) => hash as string))];

async function named(folders: readonly string[], hashes: readonly string[]): Promise<Place[]> {
  const found = await Promise.all(
    hashes.map(async (short) => {
      for (const folder of folders) {
        const hash = await git(folder, "rev-parse", "--verify", "--quiet", `${short}^{commit}`);
        if (hash !== undefined) return { folder, hash };
      }
      return undefined;
    }),
  );
  return found.filter((place) => place !== undefined);
}

/** Of a commit that printed nothing, the log of HEAD tells when it was made. */
async function made(folders: readonly string[], since: number): Promise<Place[]> {
  for (const folder of folders) {
    const log = (await git(folder, "log", "--walk-reflogs", `--max-count=${most}`, "--date=unix", "--format=%H%x09%gd%x09%gs", "HEAD")) ?? "";
    const places = log.split("\n").flatMap((line) => {
      const [hash = "", at = "", what = ""] = line.split("\t");
      const seconds = Number(/\{(\d+)\}/.exec(at)?.[1]);
      return /^commit\b/.test(what) && seconds * 1_000 >= since ? [{ folder, hash }] : [];
    });
    if (places.length > 0) return places;
  }
  return [];
}

async function describe({ folder, hash }: Place): Promise<Commit | undefined> {
  const [message, names, log] = await Promise.all([
    git(folder, "show", "--no-patch", "--format=%s%x00%b", hash),
    git(folder, "diff-tree", "--root", "--no-commit-id", "--name-only", "-r", "-m", "--first-parent", "-z", hash),
    git(folder, "log", "--walk-reflogs", "--max-count=20", "--format=%H%x09%gs", "HEAD"),
  ]);
  if (message === undefined) return undefined;
  const [subject = "", body = ""] = message.split("\0");
  const entries = (log ?? "").split("\n").map((line) => line.split("\t"));
  const at = entries.findIndex(([entry, what]) => entry === hash && what?.startsWith("commit (amend)"));
  return { folder, hash, subject, body: body.trim().slice(0, longestBody).toWellFormed(), files: (names ?? "").split("\0").filter(Boolean).length, amended: at < 0 ? undefined : entries[at + 1]?.[0] };
}
