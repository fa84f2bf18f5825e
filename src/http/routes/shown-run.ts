import type { CuratorRun, Pause } from "../../domain/curation/run-store.ts";
import { iso, isoOrNull } from "./wire.ts";

/** What everybody in the team sees of a run: counts, and nothing of what memories say. */
export const shownRun = ({ id, kind, state, isDry, requestedBy, requestedAt, startedAt, endedAt, counts, isCut, error }: CuratorRun): Record<string, unknown> => ({
  run: id,
  kind,
  state,
  dry_run: isDry,
  requested_by: requestedBy,
  requested_at: iso(requestedAt),
  started_at: isoOrNull(startedAt),
  ended_at: isoOrNull(endedAt),
  counts,
  more: isCut,
  ...(error === null ? {} : { error }),
});

export const shownPause = (pause: Pause | undefined): Record<string, unknown> => ({ paused: pause !== undefined, ...(pause ? { paused_by: pause.by, paused_at: iso(pause.at) } : {}) });
