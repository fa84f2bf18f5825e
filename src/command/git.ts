import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The root of the repository that a folder lies in; undefined where it lies in none. */
export const rootOf = (folder: string): Promise<string | undefined> => git(folder, "rev-parse", "--show-toplevel");

/** The folder that a project's files belong into: the root of its repository, or the folder itself where it lies in none. */
export const projectFolder = async (folder: string): Promise<string> => (await rootOf(folder)) ?? folder;

/** What git answers in this folder, without the last line's end; undefined where it has no answer. It runs no program that the repository's configuration names. */
export async function git(cwd: string, ...args: string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run("git", ["-c", "log.showSignature=false", "-c", "core.fsmonitor=false", ...args], {
      cwd,
      timeout: 3_000,
      // The names of a commit's files, which may be all of a large tree.
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, GIT_OPTIONAL_LOCKS: "0", GIT_PAGER: "cat", LC_ALL: "C" },
    });
    return stdout.replace(/\n$/, "");
  } catch {
    return undefined;
  }
}
