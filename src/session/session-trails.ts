import type { TeamEvent } from "../domain/events/team-event.ts";
import { asDomainError } from "../domain/errors.ts";
import { sessionEvent } from "../domain/events/work-events.ts";
import { isPlain } from "../domain/guard/screen.ts";
import { retryOnConflict } from "../domain/memories/retry-on-conflict.ts";
import { WriteConflict } from "../domain/memories/write-conflict.ts";
import type { SessionOwner, SessionStore, WorkSession } from "../domain/sessions/session-store.ts";
import { longestQuery, type TraceEntry, withEntries } from "../domain/sessions/session-trace.ts";
import type { SessionTrail, TrailEvent } from "../domain/sessions/session-trail.ts";
import { newSession } from "../domain/sessions/sessions.ts";
import { addTurns, type GivenTurn, screenedTurn } from "../domain/sessions/turns.ts";
import { coalesce } from "./coalesce.ts";

/** How long what the calls of a person leave behind lies in the object alone. */
const saveEveryMs = 5 * 60 * 1_000;
/** While it cannot be saved, the oldest gives way. */
const most = { entries: 2_000, bytes: 4 * 1_024 * 1_024 } as const;
/** Of turns that are written at once, as the object holds them: with their compressed forms they stay below D1's 2 MB for a parameter. No entry is longer. */
const bundleBytes = 500_000;

/** A client tool in a project, as the connection names both. */
interface Place {
  client: string;
  project: string;
}

interface Noted extends Place {
  entry: TraceEntry | { kind: "turn"; turn: GivenTurn };
}

interface TrailOptions {
  sessions: SessionStore;
  report(error: unknown): void;
  /** Something was noted, which whoever reads the session or its conversation sees from now on. */
  changed(what: { session: boolean; conversations: string[] | undefined }): void;
  /** A session began by the calls of a client. */
  tell(owner: SessionOwner, event: TeamEvent): void;
}

type Row = { seq: number; client: string; project: string; entry: string; bytes: number };
type Saying = { row: Row; turn: GivenTurn };

const dropOldest = `DELETE FROM trail WHERE seq <= (SELECT max(seq) FROM
  (SELECT seq, row_number() OVER newest AS place, sum(octet_length(entry)) OVER newest AS bytes FROM trail WINDOW newest AS (ORDER BY seq DESC)) WHERE place > ? OR bytes > ?)`;

/**
 * What the calls of a person leave behind of their sessions. A call only notes it in memory; a second later it is screened and
 * stored in the object, which survives eviction and deployment, and every five minutes an alarm saves it to the database. The tools of
 * sessions save at once, before they answer.
 */
export class SessionTrails {
  readonly #storage: DurableObjectStorage;
  readonly #sessions: SessionStore;
  readonly #report: (error: unknown) => void;
  readonly #changed: TrailOptions["changed"];
  readonly #tell: TrailOptions["tell"];
  readonly #gather = coalesce(() => this.#digestSoon());
  #pending: Noted[] = [];
  #owner: SessionOwner | undefined;
  #saving: Promise<void> = Promise.resolve();
  /** Since the save that is under way began. */
  #isDropped = false;

  constructor(storage: DurableObjectStorage, { sessions, report, changed, tell }: TrailOptions) {
    this.#storage = storage;
    this.#sessions = sessions;
    this.#report = report;
    this.#changed = changed;
    this.#tell = tell;
    storage.sql.exec(`
      CREATE TABLE IF NOT EXISTS trail (seq INTEGER PRIMARY KEY AUTOINCREMENT, client TEXT NOT NULL, project TEXT NOT NULL, entry TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS trail_session (client TEXT NOT NULL, project TEXT NOT NULL, session_id TEXT NOT NULL, PRIMARY KEY (client, project)) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS trail_owner (one INTEGER PRIMARY KEY CHECK (one = 1), team_id TEXT NOT NULL, user_id TEXT NOT NULL, shard TEXT NOT NULL)`);
  }

  of({ teamId, userId, shard }: SessionOwner, place: Place): SessionTrail {
    this.#owner ??= { teamId, userId, shard };
    return {
      note: (event) => this.#note(place, event),
      session: async () => {
        await this.save();
        return this.#find(place);
      },
      shown: async () => {
        await this.save().catch((error: unknown) => {
          if (!isFull(error)) throw error;
        });
        return this.#find(place);
      },
      attach: (id) => this.#attach(place, id),
      release: (id) => void this.#storage.sql.exec("DELETE FROM trail_session WHERE session_id = ?", id),
    };
  }

  /** Saves what was noted until now, one after the other. */
  save(): Promise<void> {
    const saved = this.#saving.then(() => this.#save());
    this.#saving = saved.catch(() => undefined);
    return saved;
  }

  /** The object's alarm. What could not be saved is tried again at the next. */
  async alarm(): Promise<void> {
    await this.save().catch((error: unknown) => this.#report(error));
    if (this.#rows(1).length > 0) await this.#storage.setAlarm(Date.now() + saveEveryMs);
  }

  /** Nothing that was noted is saved any more, if the caller empties the tables at once. Until what was on its way has ended. */
  drop(): Promise<void> {
    this.#pending = [];
    this.#isDropped = true;
    return this.#saving;
  }

  #note({ client, project }: Place, event: TrailEvent): void {
    this.#pending.push({ client, project, entry: event.kind === "turn" ? event : { ...event, at: Date.now() } });
    this.#gather();
  }

  #attach({ client, project }: Place, id: string): void {
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec("DELETE FROM trail_session WHERE session_id = ?", id);
      this.#storage.sql.exec("INSERT OR REPLACE INTO trail_session (client, project, session_id) VALUES (?, ?, ?)", client, project, id);
    });
  }

  #digestSoon(): void {
    try {
      if (this.#digest()) void this.#arm().catch((error: unknown) => this.#report(error));
    } catch (error) {
      this.#report(error);
    }
  }

  /** Stores what is pending but secrets and orders to models. Whether there is something to save by it. */
  #digest(): boolean {
    const rows = this.#pending.flatMap(({ client, project, entry }) => {
      const screened = screenedEntry(entry);
      return screened ? { client, project, text: JSON.stringify(screened) } : [];
    });
    const said = this.#pending.filter(({ entry }) => entry.kind === "turn");
    const isMore = this.#pending.length > said.length;
    this.#pending = [];
    const owner = this.#owner;
    if (rows.length === 0 || !owner) return false;
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec("INSERT OR REPLACE INTO trail_owner (one, team_id, user_id, shard) VALUES (1, ?, ?, ?)", owner.teamId, owner.userId, owner.shard);
      // One by one: together they may be longer than the 2 MB that SQLite takes for a value here.
      for (const { client, project, text } of rows) this.#storage.sql.exec("INSERT INTO trail (client, project, entry) SELECT ?, ?, ?3 WHERE octet_length(?3) <= ?", client, project, text, bundleBytes);
      this.#storage.sql.exec(dropOldest, most.entries, most.bytes);
    });
    this.#changed({ session: isMore, conversations: said.length === 0 ? undefined : [...new Set(said.flatMap((place) => this.#bound(place) ?? []))] });
    return true;
  }

  /** An alarm that is set stays: who calls all the time would put it off for ever. */
  async #arm(): Promise<void> {
    if ((await this.#storage.getAlarm()) === null) await this.#storage.setAlarm(Date.now() + saveEveryMs);
  }

  async #save(): Promise<void> {
    this.#isDropped = false;
    this.#digest();
    const rows = this.#rows(most.entries);
    const owner = this.#ownerStored();
    if (rows.length === 0 || !owner) return;
    for (const group of Map.groupBy(rows, ({ client, project }) => JSON.stringify([client, project])).values()) await this.#saveGroup(owner, group as [Row, ...Row[]]);
  }

  async #saveGroup(owner: SessionOwner, rows: [Row, ...Row[]]): Promise<void> {
    const [{ client, project }] = rows;
    const noted = rows.map((row) => ({ row, entry: JSON.parse(row.entry) as Noted["entry"] }));
    const traced = noted.flatMap(({ row, entry }) => (entry.kind === "turn" ? [] : { row, entry }));
    const turns = noted.flatMap(({ row, entry }) => (entry.kind === "turn" ? { row, turn: entry.turn } : []));
    const now = Date.now();
    const session = await retryOnConflict("this session", async () => {
      const open = await this.#find({ client, project });
      this.#requireKept();
      const before = open ?? (await this.#sessions.create(owner, newSession({ tool: client, project, now })));
      if (!open) this.#tell(owner, sessionEvent({ principal: owner, now, tool: client, requestId: `trail:${before.id}` }, before, "created"));
      if (traced.length > 0 && !(await this.#sessions.save(owner, { ...before, activeAt: now, trace: withEntries(before.trace, traced.map(({ entry }) => entry)) }))) throw new WriteConflict();
      return before;
    });
    this.#requireKept();
    this.#attach({ client, project }, session.id);
    this.#drop(traced);
    for (const bundle of bundles(turns)) await this.#saveTurns(owner, session.id, bundle);
  }

  /** Each bundle leaves the object as it is written: a failure later on repeats nothing. */
  async #saveTurns(owner: SessionOwner, id: string, turns: Saying[]): Promise<void> {
    try {
      await addTurns(this.#sessions, owner, id, turns.map(({ turn }) => turn));
    } catch (error) {
      if (!isRefused(error)) throw error;
      if (turns.length > 1) for (const one of turns) await this.#saveTurns(owner, id, [one]);
      // It would be refused for ever, and all behind it with it.
      else this.#report(error);
    }
    this.#requireKept();
    this.#drop(turns);
  }

  #requireKept(): void {
    if (this.#isDropped) throw new Error("What was noted is saved no further: it was dropped");
  }

  #drop(saved: readonly { row: Row }[]): void {
    this.#storage.sql.exec("DELETE FROM trail WHERE seq IN (SELECT value FROM json_each(?))", JSON.stringify(saved.map(({ row }) => row.seq)));
  }

  async #find({ client, project }: Place): Promise<WorkSession | undefined> {
    const owner = this.#ownerStored() ?? this.#owner;
    if (!owner) return undefined;
    const bound = this.#bound({ client, project });
    const session = bound === undefined ? undefined : await this.#sessions.find(owner, bound);
    return session?.endedAt === null ? session : this.#sessions.findOpen(owner, { tool: client, project });
  }

  #bound({ client, project }: Place): string | undefined {
    return this.#storage.sql.exec<{ session_id: string }>("SELECT session_id FROM trail_session WHERE client = ? AND project = ?", client, project).toArray()[0]?.session_id;
  }

  #rows(limit: number): Row[] {
    return this.#storage.sql.exec<Row>("SELECT seq, client, project, entry, octet_length(entry) AS bytes FROM trail ORDER BY seq LIMIT ? + 0", limit).toArray();
  }

  /** The alarm comes without a caller. */
  #ownerStored(): SessionOwner | undefined {
    const [row] = this.#storage.sql.exec<{ team_id: string; user_id: string; shard: string }>("SELECT team_id, user_id, shard FROM trail_owner").toArray();
    return row && { teamId: row.team_id, userId: row.user_id, shard: row.shard };
  }
}

function bundles(turns: readonly Saying[]): Saying[][] {
  const found: Saying[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const one of turns) {
    bytes += one.row.bytes;
    if (bytes <= bundleBytes) found.at(-1)?.push(one);
    else {
      found.push([one]);
      bytes = one.row.bytes;
    }
  }
  return found;
}

/** By the database for what it is, and not because the database is away. */
const isRefused = (error: unknown): boolean => /SQLITE_TOOBIG|NOT NULL constraint failed/.test(String(error));

const isFull = (error: unknown): boolean => ["QUOTA_EXCEEDED", "STORAGE_FULL"].includes(asDomainError(error)?.code ?? "");

/** A question with a secret in it, or with orders to a model, leaves no trace. */
function screenedEntry(entry: Noted["entry"]): Noted["entry"] | undefined {
  switch (entry.kind) {
    case "turn": {
      const turn = screenedTurn(entry.turn);
      return turn && { kind: "turn", turn };
    }
    case "search":
      return entry.query.length <= longestQuery && isPlain(entry.query) ? entry : undefined;
    case "file":
      return isPlain(entry.path) ? entry : undefined;
    default:
      return entry;
  }
}
