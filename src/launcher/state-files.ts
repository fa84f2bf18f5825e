import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, sep } from "node:path";
import { sqlite } from "./sqlite.ts";
import { StartFailure } from "./start-failure.ts";

/** SQLITE_CORRUPT and SQLITE_NOTADB (sqlite.org/rescode.html); other errors, such as a full disk, say nothing about the file. */
const damage = new Set([11, 26]);

/**
 * Looks at every database before the runtime opens it, which cannot start an object on a damaged file. The memories, teams
 * and keys are in the databases of D1; everything else is made of them and is discarded when it is damaged.
 *
 * `known`: databases of D1 that were prepared, relative to the state directory; they must be there.
 * @returns what was discarded @throws StartFailure when a database of D1 is damaged or gone; nothing is touched then
 */
export function healState(dataDir: string, stateDir: string, known: readonly string[]): string[] {
  const files = readdirSync(stateDir, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".sqlite"));
  const truth = new Set([...known, ...files.filter(isTruth)]);
  for (const file of truth) {
    const reason = existsSync(join(stateDir, file)) ? damageOf(join(stateDir, file), known.includes(file)) : "it is not there";
    if (reason !== undefined) throw unusable(dataDir, join(stateDir, file), reason);
  }
  const damaged = files.filter((file) => !truth.has(file) && damageOf(join(stateDir, file), false) !== undefined);
  for (const file of damaged) for (const suffix of ["", "-wal", "-shm"]) rmSync(join(stateDir, file + suffix), { force: true });
  return damaged;
}

/** The databases of D1 themselves, and not what workerd keeps about them. */
export function truthIn(stateDir: string): string[] {
  return readdirSync(stateDir, { recursive: true, encoding: "utf8" }).filter(isTruth).sort();
}

const isTruth = (file: string): boolean => file.startsWith(`d1${sep}`) && file.endsWith(".sqlite") && !file.endsWith(`${sep}metadata.sqlite`);

/** `prepared`: an empty one has lost what it held. */
function damageOf(path: string, prepared: boolean): string | undefined {
  const { DatabaseSync } = sqlite();
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const [first] = database.prepare("PRAGMA quick_check(1)").all() as { quick_check: string }[];
    if (first?.quick_check !== "ok") return first?.quick_check ?? "it cannot be read";
    const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
    return prepared && isEmpty ? "it is empty" : undefined;
  } catch (error) {
    const { errcode, errstr } = error as { errcode?: number; errstr?: string };
    if (errcode === undefined || !damage.has(errcode & 0xff)) return undefined;
    return errstr ?? "it is damaged";
  } finally {
    database.close();
  }
}

function unusable(dataDir: string, path: string, reason: string): StartFailure {
  return new StartFailure(
    `A database with memories or accounts cannot be used: ${path} (${reason.replaceAll(/\s+/g, " ")}). Nothing was changed. Put this file back from a backup, ` +
      `or move ${join(dataDir, "state")} away to begin empty and import what you exported; then start again with: npm start`,
  );
}
