import type { WrittenVersion } from "./reversion-store.ts";

/** Why a memory stays as it is, though something that was selected wrote it. */
export type KeptReason =
  /** Others changed it after that, or the same writer outside of what was selected. */
  | "changed"
  /** What it said before is not for the caller to see. */
  | "hidden"
  /** What it said before has expired: a memory that is that again would be erased. */
  | "expired"
  /** Its secret cannot be opened. */
  | "unreadable"
  /** It would be seen by more or fewer people, which is not for the caller to say. */
  | "visibility"
  /** The team reviews what members change of what others see. */
  | "review"
  /** Another memory has the key that it had. */
  | "key";

/** What becomes of a memory whose versions are these; undefined when nothing that was selected stands. */
export type Fate = { kind: "archive" } | { kind: "restore"; version: number } | { kind: "keep"; reason: KeptReason };

/**
 * A revert takes back an unbroken run of selected versions at the end: the memory is again what it was before it, or archived
 * where there is nothing before it. What others wrote on top of it is theirs, so such a memory is for a person to look at.
 */
export function fateOf(chain: readonly WrittenVersion[], { bySession }: { bySession: boolean }): Fate | undefined {
  const standing = chain.filter(({ stands }) => stands);
  const meant = bySession ? markInSession(standing) : standing.map(({ isSelected }) => isSelected);
  if (!standing.some(({ isVisible }, i) => isVisible && meant[i])) return undefined;
  const last = meant.lastIndexOf(false);
  if (last === meant.length - 1) return { kind: "keep", reason: "changed" };
  const before = standing[last];
  if (!before) return { kind: "archive" };
  return before.isVisible ? { kind: "restore", version: before.version } : { kind: "keep", reason: "hidden" };
}

/**
 * A store under a key keeps the session that the memory has, whoever makes it. So a version belongs to the session if it is
 * the first that names it, or by a writer who wrote in it before.
 */
function markInSession(standing: readonly WrittenVersion[]): boolean[] {
  const writers = new Set<string>();
  let inSession = false;
  return standing.map(({ actorId, tool, isSelected, isInSession }) => {
    const writer = JSON.stringify([actorId, tool]);
    if (!isInSession) writers.clear();
    else if (!inSession) writers.add(writer);
    inSession = isInSession;
    return isSelected && writers.has(writer);
  });
}
