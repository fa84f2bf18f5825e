import { guarded } from "../guarded.ts";
import { uuidv7 } from "../ids.ts";
import { type AuditEvent, type Finding, findings, isUse, type KnownUses, longestWindowMs } from "./anomalies.ts";

/** How far an audit was looked through. */
export interface WatchProgress {
  /** All entries up to this one were judged. */
  lastId: number;
  /** From the entry after this one on, entries may still count in a window. */
  windowId: number;
}

export type LastRead = Pick<AuditEvent, "id" | "at">;

export interface AuditFeed {
  /** The directory, and each shard. */
  sources(): Promise<string[]>;
  /**
   * The next entries that a rule looks at, together with those of the open window; `upTo`: the last entry that was read,
   * whatever it was of, `undefined` when there is nothing new.
   */
  read(source: string, from: WatchProgress, limit: number): Promise<{ events: AuditEvent[]; upTo: LastRead | undefined }>;
  /** The uses that the entries up to `lastId` show. */
  knownUses(credentialIds: readonly string[], lastId: number): Promise<KnownUses>;
}

export type NewAlert = Finding & { id: string; createdAt: number };

export interface AlertWriter {
  progressOf(source: string): Promise<WatchProgress>;
  /**
   * Stores the alerts and the progress together, or nothing. An alert like one that was raised shortly before is left out;
   * answers those that were not. Progress that another run made in the meantime stays.
   */
  raise(source: string, before: WatchProgress, after: WatchProgress, alerts: readonly NewAlert[]): Promise<NewAlert[]>;
}

export interface WatchPorts {
  feed: AuditFeed;
  alerts: AlertWriter;
  report(event: string, error: unknown): void;
}

const entriesAtOnce = 1_000;

/** Looks through what was written since the last run, as far as the deadline allows. One audit's trouble does not stop the others. */
export async function watchAudits(ports: WatchPorts, now: number, clock: () => number, deadline: number): Promise<{ raised: number }> {
  let raised = 0;
  for (const source of await ports.feed.sources()) {
    await guarded(ports, "audit.watch", async () => {
      for (let more = true; more && clock() < deadline; ) {
        const step = await watchSome(ports, source, now);
        raised += step.raised;
        more = step.more;
      }
    });
  }
  return { raised };
}

async function watchSome({ feed, alerts, report }: WatchPorts, source: string, now: number): Promise<{ raised: number; more: boolean }> {
  const before = await alerts.progressOf(source);
  const { events, upTo } = await feed.read(source, before, entriesAtOnce);
  if (upTo === undefined) return { raised: 0, more: false };
  const used = events.filter((event) => event.id > before.lastId && isUse(event)).flatMap(({ subject }) => subject ?? []);
  const known = used.length === 0 ? new Map() : await feed.knownUses([...new Set(used)], before.lastId);
  const found = findings(events, before.lastId, known).map((finding): NewAlert => ({ ...finding, id: uuidv7(now), createdAt: now }));
  const raised = await alerts.raise(source, before, { lastId: upTo.id, windowId: windowAfter(events, upTo) }, found);
  // Nobody's team is to see these; the operator is.
  for (const { rule, subject, details } of raised.filter(({ teamId }) => teamId === null)) report("audit.alert", new Error(`${rule}: ${subject} ${JSON.stringify(details)}`));
  return { raised: raised.length, more: true };
}

const windowAfter = (events: readonly AuditEvent[], upTo: LastRead): number =>
  Math.min(upTo.id, ...events.filter(({ at }) => at > upTo.at - longestWindowMs).map(({ id }) => id - 1));
