import { randomBytes } from "node:crypto";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sqlite } from "./sqlite.ts";
import { truthIn } from "./state-files.ts";
import { codeOf, messageOf, StartFailure } from "./start-failure.ts";

/** The address and key by which the person and their tools reach the server; `local.json`, for the owner's eyes only. */
export interface LocalFile {
  url: string;
  apiKey: string;
}

/**
 * ```
 * local.json   url and apiKey (mode 0600)
 * master-keys.json   what opens the secrets of this directory (mode 0600): without it they are lost
 * lock         held while a server uses the directory
 * workerd.pid  the runtime, so that the next start finds one whose launcher was killed
 * state/       D1 databases and Durable Objects, as Miniflare lays them out
 * state/d1/prepared   digest of the migrations and shards that these databases have (prepare.ts), and the files they are in
 * reserve      room that is given back when the disk is full (disk-room.ts)
 * ```
 */
export class DataDir {
  readonly path: string;
  #release: (() => void) | undefined;

  private constructor(path: string, release: () => void) {
    this.path = path;
    this.#release = release;
  }

  /** Creates the directory and takes its lock. */
  static open(path: string): DataDir {
    try {
      makeDirectory(join(path, "state", "d1"));
      accessSync(path, constants.W_OK);
      return new DataDir(path, lock(path));
    } catch (error) {
      if (error instanceof StartFailure) throw error;
      throw new StartFailure(
        `Cannot write to the data directory ${path} (${codeOf(error) ?? messageOf(error)}). Set OMNIMEMORY_DATA_DIR to one that you may write to.`,
        { cause: error },
      );
    }
  }

  get stateDir(): string {
    return join(this.path, "state");
  }

  get pidFile(): string {
    return join(this.path, "workerd.pid");
  }

  /** `undefined` when there is none, or what is there cannot be read as one: then a new key is made. */
  readLocal(): LocalFile | undefined {
    return readLocalFile(this.path);
  }

  writeLocal(local: LocalFile): void {
    writeAtomically(join(this.path, "local.json"), `${JSON.stringify(local, null, 2)}\n`);
  }

  /**
   * MASTER_KEYS of this directory; the first start makes one. What is there is never replaced, and what is missing only with
   * `makeNew`: what the lost key sealed opens with no other, so the new one has an id that no key had before.
   */
  masterKeys(makeNew: boolean): string {
    const path = join(this.path, "master-keys.json");
    const known = readIfThere(path);
    if (known !== undefined) return known;
    const isFirst = truthIn(this.stateDir).length === 0;
    if (!isFirst && !makeNew) throw masterKeysGone(path);
    const made = JSON.stringify([{ id: isFirst ? "local-1" : `local-${randomBytes(4).toString("hex")}`, key: randomBytes(32).toString("base64") }]);
    writeAtomically(path, `${made}\n`);
    return made;
  }

  /** The digest of what the databases contain, and their files, relative to the state directory. */
  readPrepared(): { digest: string | undefined; databases: string[] } {
    const [digest, ...databases] = readIfThere(this.#prepared)?.split("\n") ?? [];
    return { digest, databases };
  }

  writePrepared(digest: string): void {
    writeAtomically(this.#prepared, [digest, ...truthIn(this.stateDir)].join("\n"));
  }

  /** Inside the databases' folder, so that deleting them deletes the claim that they are prepared. */
  get #prepared(): string {
    return join(this.stateDir, "d1", "prepared");
  }

  close(): void {
    // Twice is no error; by the second time the directory may be another's.
    if (this.#release) rmSync(this.pidFile, { force: true });
    this.#release?.();
    this.#release = undefined;
  }
}

/** Not `{ recursive: true }`: Node 22 never returns from that where the file system refuses with ENOENT (/proc, some mounts). */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const parent = dirname(path);
    if (codeOf(error) === "EEXIST" && statSync(path).isDirectory()) return;
    if (codeOf(error) !== "ENOENT" || existsSync(parent)) throw error;
    makeDirectory(parent);
    makeDirectory(path);
  }
}

/**
 * A lock that the operating system gives back however the process ends, on every system and without guessing whether a
 * process id was reused: an open exclusive transaction on an empty SQLite file.
 */
function lock(path: string): () => void {
  const { DatabaseSync } = sqlite();
  const database = new DatabaseSync(join(path, "lock"));
  try {
    database.exec("pragma journal_mode = memory; begin exclusive");
  } catch (error) {
    database.close();
    if (!messageOf(error).includes("locked")) throw error;
    const url = readLocalFile(path)?.url;
    throw new StartFailure(`Another OmniMemory uses the data directory ${path}${url ? ` and answers at ${url}` : ""}. Stop it, or set OMNIMEMORY_DATA_DIR.`, { cause: error });
  }
  return () => database.close();
}

function masterKeysGone(path: string): StartFailure {
  return new StartFailure(
    `The master key of this data is not there: ${path}. Without it nobody can open stored secrets and what is in quarantine. Nothing was changed. Put this file back from a backup, or set ` +
      "MASTER_KEYS as before; then start again with: npm start. If the key is lost for good, this makes another one, and everything else is as before: OMNIMEMORY_NEW_MASTER_KEY=on npm start",
  );
}

function readLocalFile(path: string): LocalFile | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(path, "local.json"), "utf8"));
    const { url, apiKey } = value as Record<string, unknown>;
    return typeof url === "string" && typeof apiKey === "string" ? { url, apiKey } : undefined;
  } catch {
    return undefined;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function writeAtomically(path: string, text: string): void {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  // To the disk before it has its name: after a power cut a key that is empty would be as good as lost.
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  renameSync(draft, path);
}
