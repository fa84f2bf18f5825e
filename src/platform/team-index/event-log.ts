import { adminAudience, type EventPage, type NumberedEvent, type TeamEvent } from "../../domain/events/team-event.ts";
import { isTeamAdmin, type Principal } from "../../domain/tenancy/principal.ts";

/** Kept for clients that come back; an older one reads anew. Finding the last of them reads them all, so it is done once in so many. */
const leastKept = 10_000;
const droppedAtOnce = 1_000;
const mostAtOnce = 200;
/** Ids of one millisecond. They are of the time and not counted, so that nobody counts what others do. */
const idsOfMs = 100;
/** Streams of `/v1/events` that wait at this object, and sessions that are told. */
const mostWaiting = 500;
const mostWatching = 200;

type Row = { id: number; event: string };

const heard = "audience IN ('', ?, ?)";
const earsOf = (principal: Principal): [string, string] => [principal.userId, isTeamAdmin(principal) ? adminAudience : ""];

/** The event bus of a team: the last events in the object's storage, who waits for the next, and whose sessions are told of it. */
export class EventLog {
  readonly #sql: SqlStorage;
  readonly #tell: (userId: string, events: TeamEvent[]) => Promise<boolean>;
  readonly #later: (work: Promise<unknown>) => void;
  readonly #waiting = new Set<() => void>();
  /** Nothing at first: an object may live for less than so many events. */
  #untilDrop = 0;

  constructor(sql: SqlStorage, { tell, later }: { tell: (userId: string, events: TeamEvent[]) => Promise<boolean>; later: (work: Promise<unknown>) => void }) {
    this.#sql = sql;
    this.#tell = tell;
    this.#later = later;
    sql.exec("CREATE TABLE IF NOT EXISTS team_events (id INTEGER PRIMARY KEY AUTOINCREMENT, audience TEXT NOT NULL, event TEXT NOT NULL)");
    // Whoever hears little asks again from far back, and reads none of what others hear.
    sql.exec("CREATE INDEX IF NOT EXISTS team_events_audience ON team_events (audience)");
    sql.exec("CREATE TABLE IF NOT EXISTS team_events_kept (after INTEGER NOT NULL)");
    sql.exec("INSERT INTO team_events_kept SELECT coalesce((SELECT min(id) - 1 FROM team_events), ?) WHERE NOT EXISTS (SELECT 1 FROM team_events_kept)", Date.now() * idsOfMs);
    sql.exec("CREATE TABLE IF NOT EXISTS event_watchers (user_id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID");
  }

  add(events: readonly TeamEvent[]): void {
    if (events.length === 0) return;
    const first = Math.max(this.#last() + 1, Date.now() * idsOfMs);
    for (const [i, event] of events.entries()) this.#sql.exec("INSERT INTO team_events (id, audience, event) VALUES (?, ?, ?)", first + i, event.audience, JSON.stringify(event));
    this.#untilDrop -= events.length;
    if (this.#untilDrop <= 0) this.#dropOld();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
    for (const { user_id: userId, at } of this.#sql.exec<{ user_id: string; at: number }>("SELECT user_id, at FROM event_watchers").toArray()) {
      const heard = events.filter(({ audience }) => audience === "" || audience === userId);
      if (heard.length === 0) continue;
      this.#later(this.#tell(userId, heard).then((isWatching) => {
        // Whoever has begun to watch since then stays.
        if (!isWatching) this.#sql.exec("DELETE FROM event_watchers WHERE user_id = ? AND at = ?", userId, at);
      }));
    }
  }

  /** From now on the person's session is told, until it says that nobody there watches any more. */
  watch(userId: string, now: number): void {
    this.#sql.exec("INSERT INTO event_watchers (user_id, at) VALUES (?, ?) ON CONFLICT (user_id) DO UPDATE SET at = excluded.at", userId, now);
    this.#sql.exec("DELETE FROM event_watchers WHERE user_id NOT IN (SELECT user_id FROM event_watchers ORDER BY at DESC LIMIT ?)", mostWatching);
  }

  async read(principal: Principal, after: number | undefined, waitMs: number): Promise<EventPage> {
    if (after === undefined || after > Math.max(this.#last(), this.#keptAfter())) return { events: [], last: this.#lastHeard(principal), hasGap: after !== undefined };
    const end = Date.now() + waitMs;
    for (;;) {
      const page = this.#after(principal, after);
      const left = end - Date.now();
      // What others hear is no answer: it would tell that they do something.
      if (page.events.length > 0 || page.hasGap || left <= 0 || this.#waiting.size >= mostWaiting) return page;
      await this.#next(left);
    }
  }

  #dropOld(): void {
    this.#untilDrop = droppedAtOnce;
    const [oldest] = this.#sql.exec<{ id: number }>("SELECT id FROM team_events ORDER BY id DESC LIMIT 1 OFFSET ?", leastKept).toArray();
    if (!oldest) return;
    this.#sql.exec("DELETE FROM team_events WHERE id <= ?", oldest.id);
    this.#sql.exec("UPDATE team_events_kept SET after = ?", oldest.id);
  }

  /** All events after this id are here. */
  #keptAfter(): number {
    return this.#sql.exec<{ after: number }>("SELECT after FROM team_events_kept").one().after;
  }

  #after(principal: Principal, after: number): EventPage {
    const rows = this.#sql.exec<Row>(`SELECT id, event FROM team_events WHERE id > ? AND ${heard} ORDER BY id LIMIT ?`, after, ...earsOf(principal), mostAtOnce).toArray();
    const events = rows.map(({ id, event }): NumberedEvent => ({ id, ...(JSON.parse(event) as TeamEvent) }));
    const keptAfter = this.#keptAfter();
    return { events, last: events.at(-1)?.id ?? Math.max(after, keptAfter), hasGap: after < keptAfter };
  }

  #lastHeard(principal: Principal): number {
    return this.#sql.exec<{ id: number | null }>(`SELECT max(id) AS id FROM team_events WHERE ${heard}`, ...earsOf(principal)).one().id ?? this.#keptAfter();
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
