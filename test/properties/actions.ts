import { expect } from "vitest";
import type { Op } from "./commands.ts";
import { canRead, canWrite, isAdmin, now, type Proposal, type Role } from "./model.ts";
import { decide } from "./model-review.ts";
import type { Link } from "./roster.ts";
import { everyScope, type Credential, type Person, type TestTeams } from "./test-teams.ts";
import type { Answer } from "./test-server.ts";
import { omnWrites } from "./writes.ts";

/** What is done in a team beside its memories: each as the roster says, through REST by key or browser. */
export type Action = (server: TestTeams, p: Credential, op: Op) => Promise<void>;

const roles: Role[] = ["owner", "admin", "member", "viewer"];
const roleOf = (op: Op): Role => roles[op.key % roles.length] as Role;
const anybody = (server: TestTeams, op: Op): Person => server.people[op.target % server.people.length] as Person;
/** Mostly another one of the team. */
function someone(server: TestTeams, p: Credential, op: Op): Person {
  const mates = server.roster.members(p.team).filter(({ user }) => user !== p.user);
  return op.limit > 1 && mates.length > 0 ? server.person((mates[op.target % mates.length] as { user: string }).user) : anybody(server, op);
}
/** Mostly one that is good still. */
const someLink = ({ roster: { links } }: TestTeams, op: Op): Link | undefined => (op.limit > 2 ? links.findLast(({ state }) => state === "open") : undefined) ?? links[op.target % Math.max(1, links.length)];

/** Who is not in the team is told that there is none; whose key has ended, that it is none. Access tokens are for MCP. */
export const stopped = ({ kind, active }: Credential): number | undefined => (kind === "grant" ? 401 : active ? undefined : kind === "web" ? 404 : 401);

/** Asks, and answers what was answered if that was no refusal. `expected` also changes the model. */
export async function ask(server: TestTeams, p: Credential, method: string, path: string, body: unknown, expected: () => number): Promise<Answer | undefined> {
  const answer = await server.rest(p, method, path, body);
  const status = stopped(p) ?? expected();
  expect(answer.status, `${p.name}, ${p.role}: ${method} ${path} ${JSON.stringify(body)}: ${answer.raw}`).toBe(status);
  if (status < 400) return answer;
  server.scan(p, answer, [path, body]);
  return undefined;
}

const invite: Action = async (server, p, op) => {
  const role = roleOf(op);
  const answer = await ask(server, p, "POST", "/invitations", { role, expires_in_days: op.limit }, () => server.roster.mayInvite(p, role));
  if (!answer) return;
  const { token, invitation } = answer.structured as { token: string; invitation: { id: string } };
  server.roster.links.push({ id: invitation.id, token, team: p.team, role, by: p.user, state: "open" });
};

const acceptAs = (server: TestTeams, person: Person, link: Link | undefined): Promise<Answer> =>
  server.asPerson(person, "POST", "/v1/invitations/accept", { token: link?.token ?? "no-such-link" });

const accept: Action = async (server, _p, op) => {
  const link = someLink(server, op);
  const newcomers = server.people.filter(({ user }) => link && server.roster.roleOf(link.team, user) === undefined);
  const among = op.flag && newcomers.length > 0 ? newcomers : server.people;
  const person = among[op.place % among.length] as Person;
  const answer = await acceptAs(server, person, link);
  const expected = link ? server.roster.accept(person.user, link) : { status: 404 };
  expect(answer.status, `${person.name} accepts ${JSON.stringify(link)}`).toBe(expected.status);
  if (expected.status === 200) expect(answer.structured).toEqual({ team: link?.team, joined: expected.joined });
  else for (const { id, organization } of server.teams) expect(answer.raw).not.toMatch(`${id}|${organization}`);
};

/** One link, two people at the same moment: it lets in one of them at most. */
const acceptAtOnce: Action = async (server, _p, op) => {
  const link = someLink(server, op);
  if (!link) return;
  const both = [anybody(server, op), server.people[(op.target + 1 + op.place % (server.people.length - 1)) % server.people.length] as Person];
  const answers = await Promise.all(both.map((person) => acceptAs(server, person, link)));
  const joined = both.filter((_, i) => answers[i]?.structured["joined"] === true);
  const newcomers = both.filter(({ user }) => server.roster.roleOf(link.team, user) === undefined);
  for (const person of joined) expect(server.roster.accept(person.user, link)).toEqual({ status: 200, joined: true });
  if (joined.length > 0) return;
  for (const person of newcomers) expect(server.roster.accept(person.user, link).status, "nobody could come").toBe(404);
};

/** Somebody who was in the team is invited again: what they had in hand then opens nothing, what they kept for themselves is there. */
const comeBack: Action = async (server, p, op) => {
  const owner = server.seats.find(({ team, active, role }) => active && team === p.team && role === "owner");
  const gone = server.people.filter(({ user }) => server.roster.wasIn(p.team, user) && server.roster.roleOf(p.team, user) === undefined);
  const back = gone[op.target % Math.max(1, gone.length)];
  if (!owner || !back) return remove(server, owner ?? p, op);
  await invite(server, owner, op);
  const link = server.roster.links.at(-1) as Link;
  expect((await acceptAs(server, back, link)).structured).toEqual({ team: p.team, joined: true });
  expect(server.roster.accept(back.user, link).joined).toBe(true);
};

/** Who sent a link becomes less, or is removed, before somebody uses it. */
const inviterFalls: Action = async (server, p, op) => {
  const here = server.seats.filter(({ team, active }) => active && team === p.team);
  const owner = here.find(({ role }) => role === "owner");
  const mates = here.filter((one) => one !== owner);
  const inviter = mates[op.target % Math.max(1, mates.length)];
  if (!owner || !inviter) return;
  const turn = (role: Role) => ask(server, owner, "PATCH", `/members/${inviter.user}`, { role }, () => server.roster.changeRole(owner, inviter.user, role));
  await turn("admin");
  server.follow();
  await invite(server, inviter, op);
  if (op.limit > 4) await ask(server, owner, "DELETE", `/members/${inviter.user}`, undefined, () => server.roster.remove(owner, inviter.user));
  else await turn("member");
  server.follow();
  await accept(server, p, { ...op, limit: 6, flag: true });
};

const revokeLink: Action = async (server, p, op) => {
  const link = someLink(server, op);
  if (!link) return;
  let revoked: boolean | undefined;
  const answer = await ask(server, p, "DELETE", `/invitations/${link.id}`, undefined, () => {
    const expected = server.roster.revoke(p, link);
    revoked = expected.revoked;
    return expected.status;
  });
  if (answer) expect(answer.structured).toEqual({ revoked });
};

const outliveLinks: Action = async (server) => server.outliveLinks();

const changeRole: Action = async (server, p, op) => {
  const { user } = someone(server, p, op);
  await ask(server, p, "PATCH", `/members/${user}`, { role: roleOf(op) }, () => server.roster.changeRole(p, user, roleOf(op)));
};

const remove: Action = async (server, p, op) => {
  const { user } = someone(server, p, op);
  await ask(server, p, "DELETE", `/members/${user}`, undefined, () => server.roster.remove(p, user));
};

const leave: Action = async (server, p) => {
  await ask(server, p, "DELETE", `/members/${p.user}`, undefined, () => server.roster.remove(p, p.user));
};

const transfer: Action = async (server, p, op) => {
  const { user } = someone(server, p, op);
  await ask(server, p, "POST", "/transfer", { user_id: user }, () => server.roster.transfer(p, user));
};

/** All owners go, or step down, at the same moment: all but one of them can. */
const ownersGoAtOnce: Action = async (server, p, op) => {
  const owners = server.seats.filter(({ team, user }) => team === p.team && server.roster.roleOf(team, user) === "owner");
  const answers = await Promise.all(owners.map((owner) => (op.flag ? server.rest(owner, "DELETE", `/members/${owner.user}`) : server.rest(owner, "PATCH", `/members/${owner.user}`, { role: "member" }))));
  const went = owners.filter((_, i) => answers[i]?.status === 200);
  expect(answers.filter(({ status }) => status === 409), answers.map(({ raw }) => raw).join()).toHaveLength(owners.length - went.length);
  expect(went).toHaveLength(owners.length - 1);
  for (const { user } of went) server.roster.set(p.team, user, op.flag ? undefined : "member");
};

const review: Action = async (server, p, op) => {
  const required = op.variant % 8 !== 0;
  await ask(server, p, "PUT", "/review", { required }, () => {
    if (!isAdmin(p)) return 403;
    if (required) server.model.reviewed.add(p.team);
    else server.model.reviewed.delete(p.team);
    return 200;
  });
};

const statuses: Record<string, number> = { PERMISSION_DENIED: 403, NOT_FOUND: 404, CONFLICT: 409 };

const decideOn = (server: TestTeams, p: Credential, proposal: Proposal | undefined, accept: boolean): Promise<Answer | undefined> =>
  ask(server, p, "POST", `/proposals/${proposal?.id ?? crypto.randomUUID()}/${accept ? "accept" : "refuse"}`, undefined, () => {
    const refusal = decide(server.model, p, proposal, accept);
    return refusal ? (statuses[refusal.code] as number) : 200;
  });

/** What waits is written anew by its author: nobody sees or shares what was not proposed. */
const changeWhatWaits: Action = async (server, p, op) => {
  const proposal = server.model.proposals.find(({ state, entry }) => state === "pending" && entry.team === p.team);
  const author = server.credentials.find((one) => one.active && canWrite(one) && one.user === proposal?.by && one.team === proposal.entry.team);
  if (!proposal || !author) return decideOne(server, p, op);
  const target = server.indexOf(proposal.entry);
  await omnWrites["omn_update_memory"]?.(server, author, { ...op, target, variant: op.flag ? 1 : 3, limit: 1 }, "omn_update_memory");
  if (server.model.proposals.includes(proposal)) await decideOn(server, p, proposal, true);
};

/** What others see is changed, archived or restored by a member: they see it as it was until an admin has accepted that. */
const changeWhatIsShared: Action = async (server, p, op) => {
  const shared = server.model.entries.filter((entry) => entry.team === p.team && now(entry).visibility !== "private");
  const members = server.credentials.filter((one) => one.active && one.team === p.team && canWrite(one) && canRead(one) && !isAdmin(one));
  const entry = shared[op.target % Math.max(1, shared.length)];
  const author = members[op.who % Math.max(1, members.length)];
  if (!entry || !author) return decideOne(server, p, { ...op, limit: 6, flag: true });
  const target = server.indexOf(entry);
  if (op.limit > 4) await omnWrites["omn_forget_memory"]?.(server, author, { ...op, target, variant: 0, limit: 1, flag: false }, "omn_forget_memory");
  else await omnWrites["omn_update_memory"]?.(server, author, { ...op, target, variant: now(entry).archivedAt === null ? (op.variant & 5) | 1 : 32, limit: 1 }, "omn_update_memory");
  const proposal = server.model.proposals.findLast((one) => one.entry === entry && one.by === author.user && one.state === "pending");
  if (proposal && op.place > 2) await decideOn(server, p, proposal, op.flag);
};

const decideOne: Action = async (server, p, op) => {
  const { proposals } = server.model;
  const waiting = proposals.filter(({ state, entry }) => state === "pending" && entry.team === p.team);
  const among = op.limit > 1 && waiting.length > 0 ? waiting : proposals;
  const proposal = among[op.target % Math.max(1, among.length)];
  const answer = await decideOn(server, p, proposal, op.flag);
  // And once more, as if nothing had been decided.
  if (answer) await decideOn(server, p, proposal, op.limit > 3);
  const entry = proposal?.entry;
  if (!answer || !entry) return;
  if (op.flag) expect(answer.structured).toMatchObject({ accepted: true, memory: { memory_id: entry.id } });
  server.scan(p, answer, {}, entry.versions.slice(-1).map(({ state }) => ({ entry, state })));
};

const enough = 13;
const someScopes = (op: Op): string[] => everyScope.filter((_, i) => (op.variant >> i) % 2 === 0 || i === op.key % 3);

/** A viewer lets keys and clients read, and nothing else. */
const mayGrant = (role: Role | undefined, scope: string): boolean => role !== "viewer" || scope === "memory:read";

const newKey: Action = async (server, p, op) => {
  if (server.credentials.filter(({ active }) => active).length >= enough) return;
  const scopes = someScopes(op);
  const may = p.scopes.includes("memory:admin") && scopes.every((scope) => p.scopes.includes(scope) && mayGrant(p.role, scope));
  const answer = await ask(server, p, "POST", "/keys", { name: "laptop", scopes }, () => (may ? 201 : 403));
  if (!answer) return;
  const { token, key } = answer.structured as { token: string; key: { key_id: string } };
  server.issued(p, { kind: "key", token, keyId: key.key_id, scopes });
};

const revokeKey: Action = async (server, p, op) => {
  const keys = server.credentials.filter(({ kind, team }) => kind === "key" && (team === p.team || op.limit === 1));
  const key = keys[op.target % Math.max(1, keys.length)];
  if (!key) return;
  await ask(server, p, "DELETE", `/keys/${key.keyId}`, undefined, () => {
    if (!p.scopes.includes("memory:admin")) return 403;
    if (key.team !== p.team || (key.user !== p.user && !isAdmin(p))) return 404;
    key.ended = true;
    return 200;
  });
};

const connect: Action = async (server, p, op) => {
  if (server.credentials.filter(({ active }) => active).length >= enough) return;
  const asked = someScopes(op);
  const role = server.roster.roleOf(p.team, p.user);
  const granted = role === undefined ? [] : asked.filter((scope) => mayGrant(role, scope));
  const tokens = await server.connect(server.person(p.user), p.team, asked.join(" "));
  expect(tokens?.access_token ? tokens.scope.split(" ") : [], `what a client of ${p.name} may do`).toEqual(granted);
  if (!tokens?.access_token) return;
  // The same client asked again: what it was allowed before gives way.
  for (const grant of server.credentials) if (grant.kind === "grant" && grant.team === p.team && grant.user === p.user) grant.ended = true;
  server.issued(p, { kind: "grant", token: tokens.access_token, scopes: tokens.scope.split(" ") });
};

/** How often each is drawn, against the writes to memories. */
export const actions: Record<string, { weight: number; act: Action }> = {
  invite: { weight: 3, act: invite }, accept: { weight: 4, act: accept }, "accept at once": { weight: 2, act: acceptAtOnce },
  "inviter falls": { weight: 4, act: inviterFalls }, "come back": { weight: 4, act: comeBack },
  "revoke link": { weight: 1, act: revokeLink }, "links expire": { weight: 1, act: outliveLinks },
  "change role": { weight: 4, act: changeRole }, remove: { weight: 3, act: remove }, leave: { weight: 2, act: leave },
  transfer: { weight: 2, act: transfer }, "owners go at once": { weight: 1, act: ownersGoAtOnce },
  review: { weight: 1, act: review }, decide: { weight: 7, act: decideOne },
  "change what waits": { weight: 3, act: changeWhatWaits }, "change what is shared": { weight: 8, act: changeWhatIsShared },
  "new key": { weight: 2, act: newKey }, "revoke key": { weight: 1, act: revokeKey }, connect: { weight: 4, act: connect },
};
