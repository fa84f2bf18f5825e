import { type AuditRecord, systemActor } from "./audit-trail.ts";

export const alertRules = ["failed-keys", "failed-keys-from-address", "new-client", "new-country", "mass-export", "mass-delete"] as const;
export type AlertRule = (typeof alertRules)[number];

export type AuditEvent = Pick<AuditRecord, "id" | "at" | "teamId" | "userId" | "action" | "subject" | "count" | "client" | "address" | "country">;

export interface Finding {
  rule: AlertRule;
  /** `null` when no team is known to be meant. */
  teamId: string | null;
  subject: string;
  /** The new client or country; '' where the rule is about an amount. */
  value: string;
  at: number;
  details: Record<string, string | number>;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A key is pasted, not typed: one or two that are wrong are a mistake, ten in ten minutes are a program that tries. */
export const failedKeysOfTeam = { failures: 10, withinMs: 10 * minuteMs };
/** An office shares an address: more than one person's mistakes, and still no more than three a minute. */
export const failedKeysFromAddress = { failures: 30, withinMs: 10 * minuteMs };
/** Work needs tens of memories at a time; a thousand is all that a project has (requirement B5). */
export const massExport = { memories: 1_000, withinMs: hourMs };
/** Cleaning up by hand goes through a preview of each batch; a hundred in an hour is worth a second look while it can be undone. */
export const massDelete = { memories: 100, withinMs: hourMs };
/** An alert that goes on is raised once an hour. */
export const quietMs = hourMs;
/** How far back any rule looks. */
export const longestWindowMs = hourMs;

/**
 * Failures whose secret was wrong or whose key was revoked. Expired keys do not count: they were proven once, and a forgotten
 * client uses them. Access tokens expire every hour, and each client shows its old one once.
 */
const failedKey = new Set(["authenticate.malformed", "authenticate.unknown", "authenticate.revoked"]);
const use = new Set(["key.use", "grant.use"]);
const exporting = new Set(["memory.export"]);
const deleting = new Set(["memory.erase", "memory.archive", "memory.revert"]);
/** The actions that any rule looks at. */
export const watchedActions: readonly string[] = [...failedKey, ...use, ...exporting, ...deleting];

/** From which clients and countries each credential was used before. */
export type KnownUses = ReadonlyMap<string, { clients: ReadonlySet<string>; countries: ReadonlySet<string> }>;

export const isUse = ({ action }: Pick<AuditEvent, "action">): boolean => use.has(action);

/** The alerts that the events behind `after` give reason for, oldest first; the events before count in the windows. */
export function findings(events: readonly AuditEvent[], after: number, known: KnownUses): Finding[] {
  const inTime = [...events].sort((a, b) => a.at - b.at || a.id - b.id);
  const isNew = ({ id }: AuditEvent): boolean => id > after;
  const failures = inTime.filter(({ action }) => failedKey.has(action));
  return [
    ...failedKeys(failures, isNew),
    ...failuresFromAddress(failures, isNew),
    ...amounts("mass-export", massExport, inTime.filter(({ action }) => exporting.has(action)), isNew),
    ...amounts("mass-delete", massDelete, inTime.filter(({ action }) => deleting.has(action)), isNew),
    ...newUses(inTime.filter((event) => isUse(event) && isNew(event)), known),
  ].sort((a, b) => a.at - b.at);
}

function failedKeys(failures: AuditEvent[], isNew: (event: AuditEvent) => boolean): Finding[] {
  return [...Map.groupBy(failures.filter(({ teamId }) => teamId !== null), ({ teamId }) => teamId)].flatMap(([teamId, group]) =>
    bursts(group, isNew, failedKeysOfTeam.failures, failedKeysOfTeam.withinMs, () => 1).map(({ at, total }): Finding => ({
      rule: "failed-keys", teamId, subject: teamId ?? "", value: "", at, details: { failures: total, minutes: failedKeysOfTeam.withinMs / minuteMs },
    })),
  );
}

/** Told to each team whose keys were tried from there; to nobody's team when all keys were invented. */
function failuresFromAddress(failures: AuditEvent[], isNew: (event: AuditEvent) => boolean): Finding[] {
  const { failures: most, withinMs } = failedKeysFromAddress;
  return [...Map.groupBy(failures.filter(({ address }) => address !== null), ({ address }) => address)].flatMap(([address, group]) =>
    bursts(group, isNew, most, withinMs, () => 1).flatMap(({ at, total, window }) => {
      const teams = new Set(window.flatMap(({ teamId }) => teamId ?? []));
      return (teams.size === 0 ? [null] : [...teams]).map((teamId): Finding => ({
        rule: "failed-keys-from-address", teamId, subject: address ?? "", value: "", at, details: { failures: total, minutes: withinMs / minuteMs },
      }));
    }),
  );
}

function amounts(rule: AlertRule, { memories, withinMs }: { memories: number; withinMs: number }, events: AuditEvent[], isNew: (event: AuditEvent) => boolean): Finding[] {
  const byPerson = Map.groupBy(events.filter(({ userId }) => userId !== systemActor), ({ teamId, userId }) => JSON.stringify([teamId, userId]));
  return [...byPerson.values()].flatMap((group) =>
    bursts(group, isNew, memories, withinMs, ({ count }) => count ?? 1).map(({ at, total }): Finding => ({
      rule, teamId: group[0]?.teamId ?? null, subject: group[0]?.userId ?? "", value: "", at, details: { memories: total, minutes: withinMs / minuteMs },
    })),
  );
}

interface Burst {
  at: number;
  total: number;
  window: AuditEvent[];
}

/** Where the weight of a window that ends with a new event reaches `most`; the next one no sooner than after the quiet. */
function bursts(events: AuditEvent[], isNew: (event: AuditEvent) => boolean, most: number, withinMs: number, weight: (event: AuditEvent) => number): Burst[] {
  const found: Burst[] = [];
  let first = 0;
  let total = 0;
  for (const [i, event] of events.entries()) {
    total += weight(event);
    for (let oldest = events[first]; oldest && oldest.at <= event.at - withinMs; oldest = events[++first]) total -= weight(oldest);
    const last = found.at(-1);
    if (total >= most && isNew(event) && (!last || event.at >= last.at + quietMs)) found.push({ at: event.at, total, window: events.slice(first, i + 1) });
  }
  return found;
}

/** The first use of all is nothing new: it is what later ones are compared with. */
function newUses(uses: AuditEvent[], known: KnownUses): Finding[] {
  const clients = new Map([...known].map(([credential, { clients: seen }]) => [credential, new Set(seen)]));
  const countries = new Map([...known].map(([credential, { countries: seen }]) => [credential, new Set(seen)]));
  return uses.flatMap((event) => {
    const { subject: credential, teamId, at, address } = event;
    if (credential === null) return [];
    const seen = [["new-client", clients, clientName(event.client)], ["new-country", countries, event.country]] as const;
    return seen.flatMap(([rule, before, value]): Finding[] => {
      if (value === null) return [];
      const values = before.get(credential) ?? new Set();
      const isFirst = values.size === 0;
      const isKnown = values.has(value);
      before.set(credential, values.add(value));
      return isFirst || isKnown ? [] : [{ rule, teamId, subject: credential, value, at, details: { action: event.action, ...(address === null ? {} : { address }) } }];
    });
  });
}

/** Programs that do not say their name are one client. */
export const clientName = (client: string | null): string => client ?? "unnamed";
