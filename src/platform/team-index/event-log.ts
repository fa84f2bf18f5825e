import { adminAudience, type EventPage, type NumberedEvent, type TeamEvent } from "../../domain/events/team-event.ts";
import { isTeamAdmin, type Principal } from "../../domain/tenancy/principal.ts";

/** Kept for clients that come back; an older one reads anew. */
const mostKept = 10_000;
const mostAtOnce = 200;
/** Streams of `/v1/events` that wait at this object, and sessions that are told. */
const mostWaiting = 500;
const mostWatching = 200;

type Row = { id: number; event: string };

/** The event bus of a team: the last events in the object's storage, who waits for the next, and whose sessions are told of it. */
export class EventLog {
  readonly #sql: SqlStorage;
  readonly #tell: (userId: string, events: TeamEvent[]) => Promise<boolean>;
  readonly #later: (work: Promise<unknown>) => void;
  readonly #waiting = new Set<() => void>();

  constructor(sql: SqlStorage, { tell, later }: { tell: (userId: string, events: TeamEvent[]) => Promise<boolean>; later: (work: Promise<unknown>) => void }) {
    this.#sql = sql;
    this.#tell = tell;
    this.#later = later;
    sql.exec("CREATE TABLE IF NOT EXISTS team_events (id INTEGER PRIMARY KEY AUTOINCREMENT, audience TEXT NOT NULL, event TEXT NOT NULL)");
    sql.exec("CREATE TABLE IF NOT EXISTS event_watchers (user_id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID");
  }

  add(events: readonly TeamEvent[]): void {
    if (events.length === 0) return;
    for (const event of events) this.#sql.exec("INSERT INTO team_events (audience, event) VALUES (?, ?)", event.audience, JSON.stringify(event));
    this.#sql.exec("DELETE FROM team_events WHERE id <= (SELECT max(id) FROM team_events) - ?", mostKept);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
    for (const { user_id: userId } of this.#sql.exec<{ user_id: string }>("SELECT user_id FROM event_watchers").toArray()) {
      const heard = events.filter(({ audience }) => audience === "" || audience === userId);
      if (heard.length === 0) continue;
      this.#later(this.#tell(userId, heard).then((isWatching) => {
        if (!isWatching) this.#sql.exec("DELETE FROM event_watchers WHERE user_id = ?", userId);
      }));
    }
  }

  /** From now on the person's session is told, until it says that nobody there watches any more. */
  watch(userId: string, now: number): void {
    this.#sql.exec("INSERT INTO event_watchers (user_id, at) VALUES (?, ?) ON CONFLICT (user_id) DO UPDATE SET at = excluded.at", userId, now);
    this.#sql.exec("DELETE FROM event_watchers WHERE user_id NOT IN (SELECT user_id FROM event_watchers ORDER BY at DESC LIMIT ?)", mostWatching);
  }

  async read(principal: Principal, after: number | undefined, waitMs: number): Promise<EventPage> {
    const last = this.#last();
    if (after === undefined || after > last) return { events: [], last, hasGap: after !== undefined };
    const page = this.#after(principal, after);
    if (page.events.length > 0 || page.hasGap || waitMs <= 0 || this.#waiting.size >= mostWaiting) return page;
    await this.#next(waitMs);
    return this.#after(principal, after);
  }

  #after(principal: Principal, after: number): EventPage {
    const rows = this.#sql.exec<Row>("SELECT id, event FROM team_events WHERE id > ? AND audience IN ('', ?, ?) ORDER BY id LIMIT ?", after, principal.userId, isTeamAdmin(principal) ? adminAudience : "", mostAtOnce).toArray();
    const events = rows.map(({ id, event }): NumberedEvent => ({ id, ...(JSON.parse(event) as TeamEvent) }));
    const first = this.#sql.exec<{ id: number | null }>("SELECT min(id) AS id FROM team_events").one().id;
    return { events, last: events.length === mostAtOnce ? (events.at(-1)?.id ?? after) : this.#last(), hasGap: first !== null && first > after + 1 };
  }

  #last(): number {
    return this.#sql.exec<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'team_events'").toArray()[0]?.seq ?? 0;
  }

  #next(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, waitMs);
      this.#waiting.add(wake);
    });
  }
}
