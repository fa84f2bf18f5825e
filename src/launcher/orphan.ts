import { readFileSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const patienceMs = 2_000;

/** Set in the environment of the runtime, so that an orphan is known to be ours and not another process of the same id. */
export const ownerVariable = "WORKERD_DATA_DIR";

/**
 * A launcher that was killed outright (SIGKILL, out of memory) leaves its workerd behind where workerd.sh does not end it; it
 * then holds the port and the databases. Whoever has the lock of the data directory may end it. Linux only: elsewhere the identity of a process
 * cannot be checked as surely, and the start reports the taken port instead.
 */
export async function endOrphan(pidFile: string, dataDir: string): Promise<void> {
  const pid = Number(read(pidFile));
  if (!Number.isInteger(pid) || pid <= 1 || !isOurs(pid, dataDir)) return;
  process.kill(pid, "SIGTERM");
  for (const start = performance.now(); isOurs(pid, dataDir); await sleep(20)) {
    if (performance.now() - start > patienceMs) process.kill(pid, "SIGKILL");
  }
  rmSync(pidFile, { force: true });
}

function isOurs(pid: number, dataDir: string): boolean {
  return read(`/proc/${pid}/comm`).trim() === "workerd" && read(`/proc/${pid}/environ`).split("\0").includes(`${ownerVariable}=${dataDir}`);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
