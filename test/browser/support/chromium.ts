import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** `CHROMIUM_PATH`, or the first Chromium on the PATH. */
export function chromiumPath(env = process.env): string {
  if (env["CHROMIUM_PATH"]) return env["CHROMIUM_PATH"];
  const folders = (env["PATH"] ?? "").split(delimiter);
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
  if (found === undefined) throw new Error("No Chromium here: install chromium or google-chrome, or say with CHROMIUM_PATH where it is.");
  return found;
}

/** It finds nobody but this machine. */
export const startChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath(), args: ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"] });

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
