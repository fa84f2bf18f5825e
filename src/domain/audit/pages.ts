import type { AuditPosition, AuditRecord } from "./audit-trail.ts";

/**
 * The order of all audits together: newest first, within an instant by source, within that in the order of writing. What is
 * written late for an instant comes last of its source there, so that what was counted as seen stays what was seen.
 */
export const inOrder = (a: AuditRecord, b: AuditRecord): number => b.at - a.at || (a.source < b.source ? -1 : a.source > b.source ? 1 : a.id - b.id);

/** The first `limit` entries of all lists behind the position, and where to go on if there are more. */
export function mergePage(lists: readonly AuditRecord[][], from: AuditPosition | undefined, limit: number): { entries: AuditRecord[]; next?: AuditPosition } {
  const toSkip = new Map(from?.seen);
  const unseen = lists.flat().sort(inOrder).filter(({ at, source }) => {
    const skip = at === from?.at ? (toSkip.get(source) ?? 0) : 0;
    if (skip > 0) toSkip.set(source, skip - 1);
    return skip === 0;
  });
  const entries = unseen.slice(0, limit);
  const last = entries.at(-1);
  return { entries, ...(unseen.length > limit && last ? { next: positionAfter(entries, last.at, from) } : {}) };
}

function positionAfter(shown: readonly AuditRecord[], at: number, from: AuditPosition | undefined): AuditPosition {
  const seen = new Map(from?.at === at ? from.seen : []);
  for (const entry of shown) if (entry.at === at) seen.set(entry.source, (seen.get(entry.source) ?? 0) + 1);
  return { at, seen };
}

const cursorForm = /^(\d{1,15})((?:~[\w-]{1,40}\.\d{1,4})*)$/;

export const cursorOf = ({ at, seen }: AuditPosition): string => `${at}${[...seen].map(([source, count]) => `~${source}.${count}`).join("")}`;

/** `undefined` for what is no cursor of ours. */
export function parseCursor(cursor: string): AuditPosition | undefined {
  const [, at, seen] = cursorForm.exec(cursor) ?? [];
  if (at === undefined || seen === undefined) return undefined;
  const counts = seen.split("~").slice(1).map((part) => part.split(".") as [string, string]);
  return { at: Number(at), seen: new Map(counts.map(([source, count]) => [source, Number(count)])) };
}
