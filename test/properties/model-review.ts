import { isAdmin, latest, now, sees, type Entry, type Model, type Principal, type Proposal, type Visibility } from "./model.ts";
import { holderOf, isWider, refuse, type Refusal } from "./model-homes.ts";

/** Of the model: what members wish to share, and who decides. */
export const isReviewed = (model: Model, p: Principal, wanted: Visibility): boolean =>
  wanted !== "private" && !isAdmin(p) && model.reviewed.has(p.team);

/**
 * What was wanted and not done waits, in place of what waited of that memory before; what was proposed before in the very
 * same version stands as it is. Nothing is proposed of a version that is not the present one any more.
 */
export function propose(model: Model, p: Principal, entry: Entry, wanted: Visibility, then = latest(entry)): Proposal | undefined {
  if (wanted === "private" || !isWider(wanted, then.state.visibility)) return undefined;
  const { version } = then;
  if (version === latest(entry).version) {
    const givesWay = (one: Proposal): boolean => one.entry === entry && one.state === "pending" && (one.version !== version || one.visibility !== wanted);
    model.proposals = model.proposals.filter((one) => !givesWay(one));
    if (!standing(model, entry, version, wanted)) model.proposals.push({ id: "", entry, version, visibility: wanted, by: p.user, state: "pending", decidedBy: null });
  }
  return standing(model, entry, version, wanted);
}

const standing = (model: Model, entry: Entry, version: number, wanted: Visibility): Proposal | undefined =>
  model.proposals.find((one) => one.entry === entry && one.version === version && one.visibility === wanted);

export const isOutdated = ({ state, version, entry }: Proposal): boolean =>
  state === "pending" && (version !== latest(entry).version || now(entry).archivedAt !== null);

/** Newest first: an admin's queue, and of everybody else their own. */
export const proposalsFor = (model: Model, p: Principal, state: Proposal["state"]): Proposal[] =>
  model.proposals.filter((one) => one.entry.team === p.team && one.state === state && (isAdmin(p) || one.by === p.user)).sort((a, b) => (a.id < b.id ? 1 : -1));

/** What is private is shown only as it was proposed, and while it is. */
export const showsMemory = (p: Principal, proposal: Proposal): boolean =>
  sees(p, proposal.entry) || (proposal.state === "pending" && !isOutdated(proposal));

export function decide(model: Model, p: Principal, proposal: Proposal | undefined, accept: boolean): Refusal | undefined {
  if (!isAdmin(p)) return refuse("PERMISSION_DENIED");
  if (proposal?.entry.team !== p.team) return refuse("MEMORY_NOT_FOUND");
  if (proposal.state !== "pending") return refuse("CONFLICT");
  if (accept) {
    if (isOutdated(proposal)) return refuse("CONFLICT");
    const { entry, visibility } = proposal;
    const { version, by, state } = latest(entry);
    const next = { ...state, visibility };
    const holder = holderOf(model, p.team, next);
    if (holder && holder !== entry) return refuse("CONFLICT");
    entry.versions.push({ version: version + 1, at: 0, by, state: next });
  }
  Object.assign(proposal, { state: accept ? "accepted" : "refused", decidedBy: p.user });
  return undefined;
}
