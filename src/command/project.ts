import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { isRemote, projectIdentity } from "../domain/project.ts";
import { git, projectFolder } from "./git.ts";

/** Bytes of a CLAUDE.md that are looked at: its head. */
const headBytes = 4_096;

/**
 * The project of a folder: the git remote, else what the CLAUDE.md at the root calls it, else the root's path. A name that a file gives
 * counts only where no remote says it, and never as a remote: what was downloaded must not open the memories of another project.
 */
export async function projectOf(folder: string): Promise<string> {
  const remote = await git(folder, "remote", "get-url", "origin");
  const identity = remote === undefined ? "" : projectIdentity(remote);
  if (identity !== "") return identity;
  const root = await projectFolder(folder);
  return declaredIn(join(root, "CLAUDE.md")) ?? projectIdentity(root);
}

/** `project:` in the YAML front matter. A heading is no name: most files begin with "CLAUDE.md". */
function declaredIn(path: string): string | undefined {
  const [, frontMatter = ""] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(headOf(path)) ?? [];
  const name = /^project:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^#\n]*))/m.exec(frontMatter)?.slice(1).find((text) => text !== undefined)?.trim() ?? "";
  const identity = projectIdentity(name);
  return /^[\p{L}\p{N}][\p{L}\p{N} _.-]{0,99}$/u.test(identity) && !isRemote(identity) ? identity : undefined;
}

function headOf(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(headBytes);
      return bytes.subarray(0, readSync(file, bytes)).toString("utf8");
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}
