import { invalid } from "../errors.ts";
import { auditActions } from "../tenancy/audit-entry.ts";
import { type AuditFilter, type AuditPerson, memoryActions, systemActor } from "./audit-trail.ts";

/** The filter as a reader asks for it. A filter that nothing can match is refused: an empty list would look like an answer. */
export interface AuditWish extends Omit<AuditFilter, "userIds"> {
  /** Id, name or mail address of who did it. */
  actor?: string | undefined;
}

/** Who may be meant: people by all that they are called, and whoever has left an entry by their id. */
export interface Actors {
  people(): Promise<readonly AuditPerson[]>;
  hasActed(userId: string): Promise<boolean>;
}

export async function toFilter({ actor, ...filter }: AuditWish, actors: Actors): Promise<AuditFilter> {
  const { action, since, until } = filter;
  if (action !== undefined) requireKnown(action);
  if (since !== undefined && until !== undefined && until < since) throw invalid("until is before since.", "Swap them.");
  return { ...filter, userIds: actor === undefined ? undefined : await idsOf(actor, actors) };
}

async function idsOf(actor: string, { people, hasActed }: Actors): Promise<string[]> {
  if (actor === systemActor) return [systemActor];
  const wanted = folded(actor);
  const meant = (await people()).filter(({ id, names }) => id === actor || names.some((name) => folded(name) === wanted)).map(({ id }) => id);
  if (meant.length > 0) return meant;
  if (await hasActed(actor)) return [actor];
  throw invalid(`actor: nobody here has the id, name or mail address "${actor}".`, "Give it whole, as a member has it, or the user_id of an entry.");
}

/** As people write names and addresses: without regard to case. */
const folded = (name: string): string => name.normalize("NFKC").trim().toLowerCase();

const known = [...auditActions, ...memoryActions.map((action) => `memory.${action}`)].sort();
const familyOf = (action: string): string => `${action.split(".", 1)[0] ?? ""}.`;

function requireKnown(action: string): void {
  if (known.some((each) => each.startsWith(action))) return;
  const family = known.filter((each) => familyOf(each) === familyOf(action));
  const hint = family.length > 0 ? `Actions of this kind: ${family.join(", ")}.` : `Actions begin with one of: ${[...new Set(known.map(familyOf))].join(", ")}.`;
  throw invalid(`action: none begins with "${action}".`, hint);
}
