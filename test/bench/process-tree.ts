import { readFileSync, readdirSync } from "node:fs";

/** `pid` and everything it started that still runs, by /proc (Linux only: elsewhere just `pid`). */
export function processTree(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of listProcesses()) {
    const stat = readProc(entry, "stat");
    // The command name, in parentheses, may itself hold spaces and parentheses.
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    if (Number.isInteger(parent)) children.set(parent, [...(children.get(parent) ?? []), entry]);
  }
  const tree: number[] = [];
  const queue = [pid];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    tree.push(next);
    queue.push(...(children.get(next) ?? []));
  }
  return tree;
}

/** Resident memory of the tree in MiB; pages that its processes share are counted once for each. */
export function treeRssMiB(pid: number): number | undefined {
  const kilobytes = processTree(pid).map((entry) => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readProc(entry, "status"))?.[1] ?? 0));
  const sum = kilobytes.reduce((total, value) => total + value, 0);
  return sum === 0 ? undefined : sum / 1024;
}

/** Zombies, which have ended and only wait to be noticed, are not running. */
export function isRunning(pid: number): boolean {
  return /^State:\s+[^Z]/m.test(readProc(pid, "status"));
}

function listProcesses(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Empty when the process has just ended. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
