import { existsSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "./log.ts";
import { codeOf, messageOf, StartFailure } from "./start-failure.ts";

const megabyte = 1024 * 1024;
/** With less than this on the disk nothing new is stored. */
const lowWater = 16 * megabyte;
/**
 * Given back when the disk is nearly full. Reading needs room as well: every query of local D1 notes its bookmark, and each
 * open database may fill a log of 4 MB before it is written back.
 */
const reserved = 32 * megabyte;
const lookEveryMs = 500;

/**
 * Keeps a data directory readable on a full disk, as a database server does: it holds room in reserve, and while the disk is
 * nearly full it refuses what would be stored and leaves the reserve to those who read.
 */
export class DiskRoom {
  readonly #reserve: string;
  readonly #dataDir: string;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  #isFull = false;

  private constructor(dataDir: string, log: Logger) {
    this.#dataDir = dataDir;
    this.#reserve = join(dataDir, "reserve");
    this.#log = log;
    this.#timer = setInterval(() => {
      try {
        this.#look();
      } catch (error) {
        // Somebody took the directory away under the server, which has worse to report then.
        log("debug", messageOf(error));
      }
    }, lookEveryMs);
    this.#timer.unref();
  }

  /** @throws StartFailure when there is no room to start in */
  static open(dataDir: string, log: Logger): DiskRoom {
    const reserve = join(dataDir, "reserve");
    if (freeBytes(dataDir) < lowWater + (existsSync(reserve) ? 0 : reserved) || !makeReserve(reserve)) throw full(dataDir);
    return new DiskRoom(dataDir, log);
  }

  /** As it is now: an import may have filled the disk since the last look. */
  get isFull(): boolean {
    this.#look();
    return this.#isFull;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const free = freeBytes(this.#dataDir);
    if (!this.#isFull && free < lowWater) {
      this.#isFull = true;
      rmSync(this.#reserve, { force: true });
      this.#log("error", `The disk of ${this.#dataDir} is full. Memories can be read, and nothing is stored until ${(2 * lowWater + reserved) / megabyte} MB are free.`);
    } else if (this.#isFull && free > 2 * lowWater + reserved && makeReserve(this.#reserve)) {
      this.#isFull = false;
      this.#log("warn", `The disk of ${this.#dataDir} has room again: memories are stored as before.`);
    }
  }
}

/** Why a start failed, if it was for want of room: what it wrote before may have taken the last. */
export function fullDisk(dataDir: string, error: unknown): StartFailure | undefined {
  const isFull = codeOf(error) === "ENOSPC" || freeBytes(dataDir) < megabyte;
  return isFull ? full(dataDir) : undefined;
}

function full(dataDir: string): StartFailure {
  const needed = (lowWater + reserved) / megabyte;
  return new StartFailure(`The disk of the data directory ${dataDir} is full. Free ${needed} MB there, or move the directory to another disk and set OMNIMEMORY_DATA_DIR; then start again with: npm start`);
}

/** False when the disk has no room for it. */
function makeReserve(path: string): boolean {
  if (existsSync(path)) return true;
  try {
    writeFileSync(path, Buffer.alloc(reserved), { mode: 0o600 });
    return true;
  } catch (error) {
    rmSync(path, { force: true });
    if (codeOf(error) === "ENOSPC" || codeOf(error) === "EDQUOT") return false;
    throw error;
  }
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
