import { isAdmin, latest, now, sees, seesVersion, unknown, type Entry, type Model, type Principal, type Run, type State, type Version } from "./model.ts";
import { mayTurn, place, same, withoutReview } from "./model-keys.ts";
import { isReviewed } from "./model-review.ts";

/** The bulk revert of the model. */
export interface Planned {
  entry: Entry;
  next: State;
  by: string;
  restored: number | null;
}
export interface Plan {
  changes: Planned[];
  kept: { entry: Entry; reason: string }[];
}

/** Versions that no revert has taken back, and that are not a revert's own. */
function standing(model: Model, entry: Entry): Version[] {
  const reverts = model.reverts(entry);
  return entry.versions.filter(({ version }) =>
    reverts.every(({ after, undo, restored }) => version !== after && version !== undo && (undo !== null || version > after || version <= (restored ?? 0))));
}

/** `author`: everybody's MCP client when undefined. */
export function planRevert(model: Model, p: Principal, author: string | undefined): Plan {
  const plan: Plan = { changes: [], kept: [] };
  for (const entry of model.entries.filter((one) => sees(p, one))) {
    const versions = standing(model, entry);
    const isMeant = ({ by, isByJob }: Version): boolean => (author === undefined ? !isByJob : by === author);
    if (!versions.some((version) => isMeant(version) && seesVersion(p, entry, version))) continue;
    const before = versions.findLastIndex((version) => !isMeant(version));
    const target = versions[before];
    if (before === versions.length - 1) plan.kept.push({ entry, reason: "changed" });
    else if (target && !seesVersion(p, entry, target)) plan.kept.push({ entry, reason: "hidden" });
    else if (target) consider(model, p, plan, { entry, next: { ...target.state }, by: target.by, restored: target.version });
    else if (now(entry).archivedAt === null) consider(model, p, plan, { entry, next: { ...now(entry), archivedAt: unknown }, by: latest(entry).by, restored: null });
  }
  return inOrder(model, p, plan);
}

export function planUndo(model: Model, p: Principal, run: Run): Plan & { already: number; gone: number } {
  const plan: Plan = { changes: [], kept: [] };
  const open = run.items.filter(({ undo }) => undo === null);
  const seen = open.filter(({ entry }) => sees(p, entry));
  for (const { entry, before, after } of seen) {
    const target = entry.versions.find(({ version }) => version === before) as Version;
    if (latest(entry).version !== after) plan.kept.push({ entry, reason: "changed" });
    else if (!seesVersion(p, entry, target)) plan.kept.push({ entry, reason: "hidden" });
    else consider(model, p, plan, { entry, next: { ...target.state }, by: target.by, restored: null }, true);
  }
  return { ...inOrder(model, p, plan), already: run.items.length - open.length, gone: run.count - run.items.length + open.length - seen.length };
}

function consider(model: Model, p: Principal, plan: Plan, change: Planned, always = false): void {
  const { entry, next } = change;
  if (!mayTurn(p, entry, next)) plan.kept.push({ entry, reason: "visibility" });
  else if (isReviewed(model, p) && !same(withoutReview(p, now(entry), next), next)) plan.kept.push({ entry, reason: "review" });
  else if (always || !same(now(entry), next)) plan.changes.push(change);
}

/** Each takes its key when it is free by then; the oldest memory first. */
function inOrder(model: Model, p: Principal, { changes, kept }: Plan): Plan {
  const states = new Map(model.entries.filter(({ team }) => team === p.team).map((entry) => [entry, now(entry)]));
  const isFree = ({ entry, next }: Planned): boolean =>
    next.key === null || next.archivedAt !== null || [...states].every(([other, state]) => other === entry || state.archivedAt !== null || place(state) !== place(next));
  const ordered: Planned[] = [];
  let waiting = [...changes].sort((a, b) => (a.entry.id < b.entry.id ? -1 : 1));
  for (let before = -1; before !== waiting.length; ) {
    before = waiting.length;
    waiting = waiting.filter((change) => {
      if (!isFree(change)) return true;
      states.set(change.entry, change.next);
      ordered.push(change);
      return false;
    });
  }
  return { changes: ordered, kept: [...kept, ...waiting.map(({ entry }) => ({ entry, reason: "key" }))] };
}

export const mayUndo = (p: Principal, run: Run | undefined): run is Run => run?.team === p.team && (run.by === p.user || isAdmin(p));

/** Answers the new versions' numbers, in the order of the changes. */
export function carryOutPlan(changes: Planned[]): number[] {
  return changes.map(({ entry, next, by }) => {
    const version = latest(entry).version + 1;
    entry.versions.push({ version, at: 0, by, state: next });
    return version;
  });
}
