import { expect } from "vitest";
import { ask, stopped } from "./actions.ts";
import { everything, expectRefusal, present, sorted, type Command, type Op } from "./commands.ts";
import { canRead, canWrite, isAdmin, now, type Proposal } from "./model.ts";
import { isOutdated, proposalsFor, showsMemory, wantedState } from "./model-review.ts";
import { mayForget } from "./model-writes.ts";
import { omnReads, parse } from "./reads.ts";
import { resources, tokenSaver } from "./token-saver.ts";
import type { Answer } from "./test-server.ts";
import type { Credential, TestTeams } from "./test-teams.ts";

const { omn_retrieve_memory, omn_list_memories, omn_export_memories, omn_memory_stats, search, fetch } = omnReads as Record<string, Command>;
const { read_memory, list_memories, smart_resume } = tokenSaver as Record<string, Command>;
/** Everything that reads memories; what recalls takes turns with the rest, so that answers are kept and asked for again. */
const reading = Object.entries({
  omn_list_memories, omn_retrieve_memory, omn_export_memories, read_memory, "resources/read": resources["resources/read"], search,
  smart_resume, omn_memory_stats, "resources/list": resources["resources/list"], list_memories, fetch,
}) as [string, Command][];

/** After a step everybody tries with all that they ever had in hand, and sees and may do just what they are by now. */
export async function everybodyObserves(server: TestTeams, step: number, op: Op): Promise<void> {
  const outcomes = await Promise.allSettled([
    ...server.credentials.map((p, i) => (p.active ? reads(server, p, op, step + i) : isOut(server, p, step + i))),
    ...server.seats.map((p, i) => ((step + i) % (p.active ? 2 : 4) === 0 ? visits(server, p, (step + i) >> 1) : undefined)),
  ]);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

async function isOut(server: TestTeams, p: Credential, turn: number): Promise<void> {
  const args = turn % 2 === 0 ? { limit: 100 } : { content: "not for keeping", key: "deploy.notes" };
  const answer = await server.tool(p, turn % 2 === 0 ? "omn_list_memories" : "omn_store_memory", args);
  expect(answer, `${p.name} is refused`).toMatchObject({ status: 401 });
  server.scan(p, answer, args);
}

async function reads(server: TestTeams, p: Credential, op: Op, turn: number): Promise<void> {
  const [name, command] = reading[turn % reading.length] as (typeof reading)[number];
  await command(server, p, { ...op, variant: turn % 10, limit: 50 }, name);
  if (!canWrite(p)) {
    const args = { content: "not for keeping", key: "deploy.notes", metadata: { scope: op.visibility } };
    expectRefusal(server, p, await server.tool(p, "omn_store_memory", args), args, "PERMISSION_DENIED");
  } else await triesToErase(server, p, op);
}

/** Anybody's memory may be erased by an admin, and by others only their own. Nothing is, without a confirmation. */
async function triesToErase(server: TestTeams, p: Credential, op: Op): Promise<void> {
  const mine = server.model.own(p);
  const entry = mine.find((one) => now(one).owner !== p.user) ?? mine[op.target % Math.max(1, mine.length)];
  const args = { ids: [entry?.id ?? crypto.randomUUID()], mode: "erase" };
  const answer = await server.tool(p, "omn_forget_memory", args);
  const code = !canRead(p) ? "PERMISSION_DENIED" : !entry ? "MEMORY_NOT_FOUND" : mayForget(p, [entry], "erase") ? undefined : "PERMISSION_DENIED";
  if (code !== undefined) return expectRefusal(server, p, answer, args, code);
  expect(answer.structured, answer.raw).toMatchObject({ outcome: "preview", count: 1 });
  server.scan(p, answer, args, entry ? present([entry]) : []);
}

type Look = (server: TestTeams, p: Credential) => Promise<void>;

const look = async (server: TestTeams, p: Credential, path: string, status = 200): Promise<Record<string, unknown>[] | undefined> => {
  const answer = await ask(server, p, "GET", path, undefined, () => status);
  if (!answer) return undefined;
  server.scan(p, answer, { team: p.team, organization: p.organization });
  return (Object.values(answer.structured)[0] ?? []) as Record<string, unknown>[];
};

const teams: Look = async (server, p) => {
  const answer = await server.asPerson(server.person(p.user), "GET", "/v1/teams");
  const listed = (answer.structured["teams"] as { id: string; role: string; personal: boolean }[]).filter(({ personal }) => !personal);
  expect(sorted(listed.map(({ id, role }) => ({ id, role })))).toEqual(sorted(server.roster.teamsOf(p.user).map((id) => ({ id, role: server.roster.roleOf(id, p.user) }))));
};

const members: Look = async (server, p) => {
  const listed = await look(server, p, "/members");
  if (listed) expect(sorted(listed.map(({ user_id, role }) => ({ user: user_id, role })))).toEqual(sorted(server.roster.members(p.team)));
};

const links: Look = async (server, p) => {
  const listed = await look(server, p, "/invitations", isAdmin(p) ? 200 : 403);
  if (listed) expect(sorted(listed.map(({ id }) => id))).toEqual(sorted(server.roster.open(p.team).map(({ id }) => id)));
};

const keys: Look = async (server, p) => {
  const listed = await look(server, p, "/keys");
  const known = server.credentials.filter(({ kind, team, user }) => kind === "key" && team === p.team && (isAdmin(p) || user === p.user));
  if (listed) expect(sorted(listed.map(({ key_id }) => key_id))).toEqual(sorted(known.map(({ keyId }) => keyId)));
};

const queue = (state: Proposal["state"]): Look => async (server, p) => {
  const answer = await ask(server, p, "GET", `/proposals?state=${state}&limit=100`, undefined, () => 200);
  if (!answer) return;
  const expected = proposalsFor(server.model, p, state);
  const listed = answer.structured["proposals"] as { id: string; memory_id: string; outdated?: boolean; memory?: { content: string }; changes?: { content?: { after: string } } }[];
  expect(listed.map(({ id, memory_id, outdated, memory, changes }) => ({ id, memory_id, outdated, before: memory?.content, after: changes?.content?.after }))).toEqual(
    expected.map((one) => {
      const [before, after] = [now(one.entry).content, wantedState(one).content];
      const isShown = showsMemory(p, one);
      return { id: one.id, memory_id: one.entry.id, outdated: isOutdated(one) || undefined, before: isShown ? before : undefined, after: isShown && state !== "accepted" && after !== before ? after : undefined };
    }),
  );
  server.scan(p, answer, {}, shownOf(p, expected));
};

const shownOf = (p: Credential, shown: readonly Proposal[]) => shown.flatMap((one) => (showsMemory(p, one) ? [now(one.entry), wantedState(one)] : [{}]).map((state) => ({ entry: one.entry, state })));

/** What the person's browser shows of the queue: the newest 20, and buttons where they decide. */
const queuePage = (state: Proposal["state"]): Look => async (server, p) => {
  const answer = await server.asPerson(server.person(p.user), "GET", `/memories/${p.team}/proposals?state=${state}`);
  expect(answer.status, answer.raw).toBe(stopped(p) ?? 200);
  const expected = stopped(p) === undefined ? proposalsFor(server.model, p, state).slice(0, 20) : [];
  expect(answer.raw.match(/<li>/g)?.length ?? 0).toBe(expected.length);
  const decided = state === "pending" && isAdmin(p) ? expected.map(({ id }) => id) : [];
  expect([...answer.raw.matchAll(/action="[^"]*\/proposals\/([^/"]+)\/refuse"/g)].map(([, id]) => id)).toEqual(decided);
  server.scan(p, answer, { team: p.team }, shownOf(p, expected));
};

/** What the person's browser shows of the team: everybody in it, and open links and buttons where they manage it. */
const teamPage: Look = async (server, p) => {
  const answer = await server.asPerson(server.person(p.user), "GET", `/teams/${p.team}`);
  expect(answer.status, answer.raw).toBe(stopped(p) ?? 200);
  const links = stopped(p) === undefined && isAdmin(p) ? server.roster.open(p.team).map(({ id }) => id) : [];
  expect(answer.raw.match(/<li>/g)?.length ?? 0).toBe(stopped(p) === undefined ? server.roster.members(p.team).length + links.length : 0);
  expect(sorted([...answer.raw.matchAll(/\/invitations\/([^/"]+)\/revoke"/g)].map(([, id]) => id))).toEqual(sorted(links));
  if (!isAdmin(p)) expect(answer.raw).not.toMatch(/\/(?:role|remove|invitations)"/);
  server.scan(p, answer, { team: p.team, organization: p.organization });
};

const exported: Look = async (server, p) => {
  const answer = await ask(server, p, "GET", "/export", undefined, () => 200);
  if (!answer) return;
  const own = server.model.own(p, {}, "all");
  expect(parse(answer.raw).map(({ id }) => id)).toEqual(own.map(({ id }) => id));
  server.scan(p, answer, {}, [...everything(server, p), ...own.flatMap((entry) => server.model.earlier(p, entry).map(({ state }) => ({ entry, state })))]);
};

/** What the person's browser shows of the team's memories, and of one of them. */
const pages = (archived: boolean): Look => async (server, p) => {
  const open = (path: string): Promise<Answer> => server.asPerson(server.person(p.user), "GET", `/memories/${p.team}${path}`);
  const list = await open(archived ? "?archived=yes" : "");
  expect(list.status, list.raw).toBe(stopped(p) ?? 200);
  const own = stopped(p) === undefined ? server.model.own(p, {}, archived) : [];
  expect(sorted([...list.raw.matchAll(/<li><p dir="auto"><a href="\/memories\/[^/"]+\/([^"]+)"/g)].map(([, id]) => id))).toEqual(sorted(own.map(({ id }) => id)));
  server.scan(p, list, { team: p.team }, present(own));
  const entry = server.model.entries[own.length % Math.max(1, server.model.entries.length)];
  if (!entry) return;
  // An id may lead to the copy that an import made of it.
  const told = stopped(p) === undefined ? server.model.named(p, entry.id) : undefined;
  const one = await open(`/${entry.id}`);
  expect(one.status, one.raw).toBe(told ? 200 : 404);
  server.scan(p, one, { team: p.team, id: entry.id }, told ? [...present([told]), ...server.model.earlier(p, told).map(({ state }) => ({ entry: told, state }))] : []);
};

/** Which memories there are is in the audit, what they say is not. */
const audit = (path: string, may: (p: Credential) => boolean): Look => async (server, p) => {
  const answer = await ask(server, p, "GET", `${path}?limit=200`, undefined, () => (may(p) ? 200 : 403));
  const theirs = server.teams.filter(({ id, organization }) => id === p.team || (organization === p.organization && server.roster.roleOf(id, p.user) === "owner"));
  const told = server.model.entries.filter(({ team }) => theirs.some(({ id }) => id === team));
  if (answer) server.scan(p, answer, theirs, present(told).map(({ entry }) => ({ entry, state: {} })));
};

const looks: Look[] = [
  members, teamPage, queue("pending"), exported, pages(false), teams, links, queue("accepted"), audit("/audit", isAdmin), exported, keys, queue("refused"),
  audit("/organization/audit", (p) => p.role === "owner"), queue("pending"), pages(true), queuePage("pending"), queuePage("refused"), queuePage("accepted"),
];

async function visits(server: TestTeams, p: Credential, turn: number): Promise<void> {
  const visit = looks[turn % looks.length] as Look;
  await visit(server, p);
  expect(stopped(p)).toBe(p.active ? undefined : 404);
}
