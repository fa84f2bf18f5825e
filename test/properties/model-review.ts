import { isAdmin, latest, now, sees, type Entry, type Model, type Principal, type Proposal, type State } from "./model.ts";
import { holderOf, refuse, same, type Refusal } from "./model-keys.ts";

/** Of the model: what members change for others, and who decides. */
export const isReviewed = (model: Model, p: Principal): boolean => !isAdmin(p) && model.reviewed.has(p.team);

/**
 * What was wanted and not done waits, in place of what the same person had waiting of that memory; the very same wish of the
 * very same version stands as it is. Nothing is proposed of a version that is not the present one any more.
 */
export function propose(model: Model, p: Principal, entry: Entry, wanted: State, then = latest(entry)): Proposal | undefined {
  const { visibility } = wanted;
  if (visibility === "private" || same(then.state, wanted)) return undefined;
  const { version } = then;
  const proposed = same({ ...then.state, visibility }, wanted) ? null : wanted;
  const isSame = (one: Proposal): boolean =>
    one.entry === entry && one.by === p.user && one.version === version && one.visibility === visibility && sameChange(one.proposed, proposed);
  if (version === latest(entry).version) {
    model.proposals = model.proposals.filter((one) => !(one.entry === entry && one.by === p.user && one.state === "pending" && !isSame(one)));
    if (!model.proposals.some(isSame)) model.proposals.push({ id: "", entry, version, visibility, proposed, by: p.user, state: "pending", decidedBy: null });
  }
  return model.proposals.find(isSame);
}

/** When it is to be archived makes no difference. */
const sameChange = (a: State | null, b: State | null): boolean =>
  a === null || b === null ? a === b : same({ ...a, archivedAt: null }, { ...b, archivedAt: null }) && (a.archivedAt === null) === (b.archivedAt === null);

export const isOutdated = ({ state, version, entry, proposed }: Proposal): boolean =>
  state === "pending" && (version !== latest(entry).version || (now(entry).archivedAt !== null && proposed === null));

export const wantedState = ({ proposed, visibility, entry }: Proposal): State => proposed ?? { ...now(entry), visibility };

/** Newest first: an admin's queue, and of everybody else their own. */
export const proposalsFor = (model: Model, p: Principal, state: Proposal["state"]): Proposal[] =>
  model.proposals.filter((one) => one.entry.team === p.team && one.state === state && (isAdmin(p) || one.by === p.user)).sort((a, b) => (a.id < b.id ? 1 : -1));

/** What is private is shown only as it was proposed, and while it is. */
export const showsMemory = (p: Principal, proposal: Proposal): boolean =>
  sees(p, proposal.entry) || (proposal.state === "pending" && !isOutdated(proposal));

export function decide(model: Model, p: Principal, proposal: Proposal | undefined, accept: boolean): Refusal | undefined {
  if (!isAdmin(p)) return refuse("PERMISSION_DENIED");
  if (proposal?.entry.team !== p.team) return refuse("NOT_FOUND");
  if (proposal.state !== "pending") return refuse("CONFLICT");
  if (accept) {
    if (isOutdated(proposal)) return refuse("CONFLICT");
    const { entry, proposed } = proposal;
    const { version, by } = latest(entry);
    const next = wantedState(proposal);
    const holder = next.archivedAt === null ? holderOf(model, p.team, next) : undefined;
    if (holder && holder !== entry) return refuse("CONFLICT");
    entry.versions.push({ version: version + 1, at: 0, by: proposed ? proposal.by : by, state: next });
  }
  Object.assign(proposal, accept ? { state: "accepted", decidedBy: p.user, proposed: null } : { state: "refused", decidedBy: p.user });
  return undefined;
}
