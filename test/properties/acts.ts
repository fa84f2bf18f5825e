import { expect } from "vitest";
import type { Op } from "./commands.ts";
import { canRead, canWrite, isAdmin, now, type Proposal, type Role } from "./model.ts";
import { decide } from "./model-review.ts";
import type { Link } from "./roster.ts";
import { everyScope, type Credential, type Person, type Town } from "./town.ts";
import type { Answer } from "./world.ts";
import { omnWrites } from "./writes.ts";

/** What is done in a team beside its memories: each as the roster says, through REST by key or browser. */
export type Act = (town: Town, p: Credential, op: Op) => Promise<void>;

const roles: Role[] = ["owner", "admin", "member", "viewer"];
const roleOf = (op: Op): Role => roles[op.key % roles.length] as Role;
const anybody = (town: Town, op: Op): Person => town.people[op.target % town.people.length] as Person;
/** Mostly another one of the team. */
function someone(town: Town, p: Credential, op: Op): Person {
  const mates = town.roster.members(p.team).filter(({ user }) => user !== p.user);
  return op.limit > 1 && mates.length > 0 ? town.person((mates[op.target % mates.length] as { user: string }).user) : anybody(town, op);
}
/** Mostly one that is good still. */
const someLink = ({ roster: { links } }: Town, op: Op): Link | undefined => (op.limit > 2 ? links.findLast(({ state }) => state === "open") : undefined) ?? links[op.target % Math.max(1, links.length)];

/** Who is not in the team is told that there is none; whose key has ended, that it is none. Access tokens are for MCP. */
export const stopped = ({ kind, active }: Credential): number | undefined => (kind === "grant" ? 401 : active ? undefined : kind === "web" ? 404 : 401);

/** Asks, and answers what was answered if that was no refusal. `expected` also changes the model. */
export async function ask(town: Town, p: Credential, method: string, path: string, body: unknown, expected: () => number): Promise<Answer | undefined> {
  const answer = await town.rest(p, method, path, body);
  const status = stopped(p) ?? expected();
  expect(answer.status, `${p.name}, ${p.role}: ${method} ${path} ${JSON.stringify(body)}: ${answer.raw}`).toBe(status);
  if (status < 400) return answer;
  town.scan(p, answer, [path, body]);
  return undefined;
}

const invite: Act = async (town, p, op) => {
  const role = roleOf(op);
  const answer = await ask(town, p, "POST", "/invitations", { role, expires_in_days: op.limit }, () => town.roster.mayInvite(p, role));
  if (!answer) return;
  const { token, invitation } = answer.structured as { token: string; invitation: { id: string } };
  town.roster.links.push({ id: invitation.id, token, team: p.team, role, by: p.user, state: "open" });
};

const acceptAs = (town: Town, person: Person, link: Link | undefined): Promise<Answer> =>
  town.asPerson(person, "POST", "/v1/invitations/accept", { token: link?.token ?? "no-such-link" });

const accept: Act = async (town, _p, op) => {
  const link = someLink(town, op);
  const newcomers = town.people.filter(({ user }) => link && town.roster.roleOf(link.team, user) === undefined);
  const among = op.flag && newcomers.length > 0 ? newcomers : town.people;
  const person = among[op.place % among.length] as Person;
  const answer = await acceptAs(town, person, link);
  const expected = link ? town.roster.accept(person.user, link) : { status: 404 };
  expect(answer.status, `${person.name} accepts ${JSON.stringify(link)}`).toBe(expected.status);
  if (expected.status === 200) expect(answer.structured).toEqual({ team: link?.team, joined: expected.joined });
  else for (const { id, organization } of town.teams) expect(answer.raw).not.toMatch(`${id}|${organization}`);
};

/** One link, two people at the same moment: it lets in one of them at most. */
const acceptAtOnce: Act = async (town, _p, op) => {
  const link = someLink(town, op);
  if (!link) return;
  const both = [anybody(town, op), town.people[(op.target + 1 + op.place % (town.people.length - 1)) % town.people.length] as Person];
  const answers = await Promise.all(both.map((person) => acceptAs(town, person, link)));
  const joined = both.filter((_, i) => answers[i]?.structured["joined"] === true);
  const newcomers = both.filter(({ user }) => town.roster.roleOf(link.team, user) === undefined);
  for (const person of joined) expect(town.roster.accept(person.user, link)).toEqual({ status: 200, joined: true });
  if (joined.length > 0) return;
  for (const person of newcomers) expect(town.roster.accept(person.user, link).status, "nobody could come").toBe(404);
};

/** Somebody who was in the team is invited again: what they had in hand then opens nothing, what they kept for themselves is there. */
const comeBack: Act = async (town, p, op) => {
  const owner = town.seats.find(({ team, active, role }) => active && team === p.team && role === "owner");
  const gone = town.people.filter(({ user }) => town.roster.wasIn(p.team, user) && town.roster.roleOf(p.team, user) === undefined);
  const back = gone[op.target % Math.max(1, gone.length)];
  if (!owner || !back) return remove(town, owner ?? p, op);
  await invite(town, owner, op);
  const link = town.roster.links.at(-1) as Link;
  expect((await acceptAs(town, back, link)).structured).toEqual({ team: p.team, joined: true });
  expect(town.roster.accept(back.user, link).joined).toBe(true);
};

/** Who sent a link becomes less, or is removed, before somebody uses it. */
const inviterFalls: Act = async (town, p, op) => {
  const here = town.seats.filter(({ team, active }) => active && team === p.team);
  const owner = here.find(({ role }) => role === "owner");
  const mates = here.filter((one) => one !== owner);
  const inviter = mates[op.target % Math.max(1, mates.length)];
  if (!owner || !inviter) return;
  const turn = (role: Role) => ask(town, owner, "PATCH", `/members/${inviter.user}`, { role }, () => town.roster.changeRole(owner, inviter.user, role));
  await turn("admin");
  town.follow();
  await invite(town, inviter, op);
  if (op.limit > 4) await ask(town, owner, "DELETE", `/members/${inviter.user}`, undefined, () => town.roster.remove(owner, inviter.user));
  else await turn("member");
  town.follow();
  await accept(town, p, { ...op, limit: 6, flag: true });
};

const revokeLink: Act = async (town, p, op) => {
  const link = someLink(town, op);
  if (!link) return;
  let revoked: boolean | undefined;
  const answer = await ask(town, p, "DELETE", `/invitations/${link.id}`, undefined, () => {
    const expected = town.roster.revoke(p, link);
    revoked = expected.revoked;
    return expected.status;
  });
  if (answer) expect(answer.structured).toEqual({ revoked });
};

const outliveLinks: Act = async (town) => town.outliveLinks();

const changeRole: Act = async (town, p, op) => {
  const { user } = someone(town, p, op);
  await ask(town, p, "PATCH", `/members/${user}`, { role: roleOf(op) }, () => town.roster.changeRole(p, user, roleOf(op)));
};

const remove: Act = async (town, p, op) => {
  const { user } = someone(town, p, op);
  await ask(town, p, "DELETE", `/members/${user}`, undefined, () => town.roster.remove(p, user));
};

const leave: Act = async (town, p) => {
  await ask(town, p, "DELETE", `/members/${p.user}`, undefined, () => town.roster.remove(p, p.user));
};

const transfer: Act = async (town, p, op) => {
  const { user } = someone(town, p, op);
  await ask(town, p, "POST", "/transfer", { user_id: user }, () => town.roster.transfer(p, user));
};

/** All owners go, or step down, at the same moment: all but one of them can. */
const ownersGoAtOnce: Act = async (town, p, op) => {
  const owners = town.seats.filter(({ team, user }) => team === p.team && town.roster.roleOf(team, user) === "owner");
  const answers = await Promise.all(owners.map((owner) => (op.flag ? town.rest(owner, "DELETE", `/members/${owner.user}`) : town.rest(owner, "PATCH", `/members/${owner.user}`, { role: "member" }))));
  const went = owners.filter((_, i) => answers[i]?.status === 200);
  expect(answers.filter(({ status }) => status === 409), answers.map(({ raw }) => raw).join()).toHaveLength(owners.length - went.length);
  expect(went).toHaveLength(owners.length - 1);
  for (const { user } of went) town.roster.set(p.team, user, op.flag ? undefined : "member");
};

const review: Act = async (town, p, op) => {
  const required = op.variant % 8 !== 0;
  await ask(town, p, "PUT", "/review", { required }, () => {
    if (!isAdmin(p)) return 403;
    if (required) town.model.reviewed.add(p.team);
    else town.model.reviewed.delete(p.team);
    return 200;
  });
};

const statuses: Record<string, number> = { PERMISSION_DENIED: 403, MEMORY_NOT_FOUND: 404, CONFLICT: 409 };

const decideOn = (town: Town, p: Credential, proposal: Proposal | undefined, accept: boolean): Promise<Answer | undefined> =>
  ask(town, p, "POST", `/proposals/${proposal?.id ?? crypto.randomUUID()}/${accept ? "accept" : "refuse"}`, undefined, () => {
    const refusal = decide(town.model, p, proposal, accept);
    return refusal ? (statuses[refusal.code] as number) : 200;
  });

/** What waits is written anew by its author: nobody sees or shares what was not proposed. */
const changeWhatWaits: Act = async (town, p, op) => {
  const proposal = town.model.proposals.find(({ state, entry }) => state === "pending" && entry.team === p.team);
  const author = town.credentials.find((one) => one.active && canWrite(one) && one.user === proposal?.by && one.team === proposal.entry.team);
  if (!proposal || !author) return decideOne(town, p, op);
  const target = town.indexOf(proposal.entry);
  await omnWrites["omn_update_memory"]?.(town, author, { ...op, target, variant: op.flag ? 1 : 3, limit: 1 }, "omn_update_memory");
  if (town.model.proposals.includes(proposal)) await decideOn(town, p, proposal, true);
};

/** What others see is changed, archived or restored by a member: they see it as it was until an admin has accepted that. */
const changeWhatIsShared: Act = async (town, p, op) => {
  const shared = town.model.entries.filter((entry) => entry.team === p.team && now(entry).visibility !== "private");
  const members = town.credentials.filter((one) => one.active && one.team === p.team && canWrite(one) && canRead(one) && !isAdmin(one));
  const entry = shared[op.target % Math.max(1, shared.length)];
  const author = members[op.who % Math.max(1, members.length)];
  if (!entry || !author) return decideOne(town, p, { ...op, limit: 6, flag: true });
  const target = town.indexOf(entry);
  if (op.limit > 4) await omnWrites["omn_forget_memory"]?.(town, author, { ...op, target, variant: 0, limit: 1, flag: false }, "omn_forget_memory");
  else await omnWrites["omn_update_memory"]?.(town, author, { ...op, target, variant: now(entry).archivedAt === null ? (op.variant & 5) | 1 : 32, limit: 1 }, "omn_update_memory");
  const proposal = town.model.proposals.findLast((one) => one.entry === entry && one.by === author.user && one.state === "pending");
  if (proposal && op.place > 2) await decideOn(town, p, proposal, op.flag);
};

const decideOne: Act = async (town, p, op) => {
  const { proposals } = town.model;
  const waiting = proposals.filter(({ state, entry }) => state === "pending" && entry.team === p.team);
  const among = op.limit > 1 && waiting.length > 0 ? waiting : proposals;
  const proposal = among[op.target % Math.max(1, among.length)];
  const answer = await decideOn(town, p, proposal, op.flag);
  // And once more, as if nothing had been decided.
  if (answer) await decideOn(town, p, proposal, op.limit > 3);
  const entry = proposal?.entry;
  if (!answer || !entry) return;
  if (op.flag) expect(answer.structured).toMatchObject({ accepted: true, memory: { memory_id: entry.id } });
  town.scan(p, answer, {}, entry.versions.slice(-1).map(({ state }) => ({ entry, state })));
};

const enough = 13;
const someScopes = (op: Op): string[] => everyScope.filter((_, i) => (op.variant >> i) % 2 === 0 || i === op.key % 3);

const newKey: Act = async (town, p, op) => {
  if (town.credentials.filter(({ active }) => active).length >= enough) return;
  const scopes = someScopes(op);
  const may = p.scopes.includes("memory:admin") && p.role !== "viewer" && scopes.every((scope) => p.scopes.includes(scope));
  const answer = await ask(town, p, "POST", "/keys", { name: "laptop", scopes }, () => (may ? 201 : 403));
  if (!answer) return;
  const { token, key } = answer.structured as { token: string; key: { key_id: string } };
  town.issued(p, { kind: "key", token, keyId: key.key_id, scopes });
};

const revokeKey: Act = async (town, p, op) => {
  const keys = town.credentials.filter(({ kind, team }) => kind === "key" && (team === p.team || op.limit === 1));
  const key = keys[op.target % Math.max(1, keys.length)];
  if (!key) return;
  await ask(town, p, "DELETE", `/keys/${key.keyId}`, undefined, () => {
    if (!p.scopes.includes("memory:admin") || p.role === "viewer") return 403;
    if (key.team !== p.team || (key.user !== p.user && !isAdmin(p))) return 400;
    key.ended = true;
    return 200;
  });
};

const connect: Act = async (town, p, op) => {
  if (town.credentials.filter(({ active }) => active).length >= enough) return;
  const scope = someScopes(op).join(" ");
  const isIn = town.roster.roleOf(p.team, p.user) !== undefined;
  const tokens = await town.connect(town.person(p.user), p.team, scope);
  expect(tokens?.access_token !== undefined, `a client of ${p.name} gets a token`).toBe(isIn);
  if (!tokens?.access_token) return;
  // The same client asked again: what it was allowed before gives way.
  for (const grant of town.credentials) if (grant.kind === "grant" && grant.team === p.team && grant.user === p.user) grant.ended = true;
  town.issued(p, { kind: "grant", token: tokens.access_token, scopes: tokens.scope.split(" ") });
};

/** How often each is drawn, against the writes to memories. */
export const acts: Record<string, { weight: number; act: Act }> = {
  invite: { weight: 3, act: invite }, accept: { weight: 4, act: accept }, "accept at once": { weight: 2, act: acceptAtOnce },
  "inviter falls": { weight: 4, act: inviterFalls }, "come back": { weight: 4, act: comeBack },
  "revoke link": { weight: 1, act: revokeLink }, "links expire": { weight: 1, act: outliveLinks },
  "change role": { weight: 4, act: changeRole }, remove: { weight: 3, act: remove }, leave: { weight: 2, act: leave },
  transfer: { weight: 2, act: transfer }, "owners go at once": { weight: 1, act: ownersGoAtOnce },
  review: { weight: 1, act: review }, decide: { weight: 7, act: decideOne },
  "change what waits": { weight: 3, act: changeWhatWaits }, "change what is shared": { weight: 8, act: changeWhatIsShared },
  "new key": { weight: 2, act: newKey }, "revoke key": { weight: 1, act: revokeKey }, connect: { weight: 4, act: connect },
};
