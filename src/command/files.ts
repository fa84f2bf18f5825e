import { lstatSync, mkdirSync, readFileSync, readlinkSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** At once: whoever reads the file meanwhile sees it as it was or as it is. A link stays one. */
export function rewrite(path: string, change: (text: string) => string): void {
  const before = textOf(path);
  const after = change(before);
  if (after === before) return;
  mkdirSync(dirname(path), { recursive: true });
  const file = linkedFrom(path);
  const draft = `${file}.omnimemory-${process.pid}`;
  writeFileSync(draft, after, { mode: (statSync(file, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777 });
  renameSync(draft, file);
}

/** Where a link leads, also one to a file that is not there yet. */
function linkedFrom(path: string): string {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink ? linkedFrom(resolve(realpathSync(dirname(path)), readlinkSync(path))) : path;
}

/** What a file says; one that is not there says nothing. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
