import { expect } from "vitest";
import { bit, contentOf, expectRefusal, fieldsOf, keyOf, patternOf, present, reads, sameAsAbsent, type Command, type Op } from "./commands.ts";
import { canRead, canWrite, keyMatches, latest, now, type Entry, type Filter, type Principal, type Visibility } from "./model.ts";
import { refused } from "./model-keys.ts";
import { archive, remember } from "./model-writes.ts";
import { reportable } from "./reads.ts";
import { expectProposal } from "./writes.ts";

/** The tools of the Token Saver family and the resources: other words for the same memories. */
const scopes = ["global", "project", "session", "shared"] as const;
type Scope = (typeof scopes)[number];

const where = { project_path: "/home/me/p", session_id: "s1" };
const placeOf = (scope: Scope): { namespace: string; visibility: Visibility } =>
  ({
    global: { namespace: "global", visibility: "private" as const },
    project: { namespace: "project:p", visibility: "private" as const },
    session: { namespace: "session:p/s1", visibility: "private" as const },
    shared: { namespace: "project:p", visibility: "shared" as const },
  })[scope];

const scopeOf = (op: Op): Scope | undefined => scopes[op.place % 5];

function filterOf(scope: Scope | undefined): Filter {
  if (scope === undefined) return { namespaces: ["global", "project:p", "session:p/s1"] };
  const { namespace, visibility } = placeOf(scope);
  return { namespaces: [namespace], scope: visibility };
}

const scoped = (op: Op): Record<string, unknown> => ({ ...where, ...(scopeOf(op) === undefined ? {} : { scope: scopeOf(op) }) });

const write: Command = async (server, p, op, tool) => {
  const scope = scopeOf(op) ?? "project";
  const text = contentOf(server, op);
  const value = bit(op, 1) ? { note: text } : text;
  const tags = bit(op, 2) ? ["red", server.mint()] : undefined;
  const args = { ...where, key: keyOf(op), value, scope, ...(tags ? { tags } : {}) };
  const answer = await server.tool(p, tool, args);
  const expected = remember(server.model, p, {
    key: keyOf(op), content: typeof value === "string" ? value : JSON.stringify(value), value: typeof value === "string" ? null : value,
    ...placeOf(scope), ...(tags ? { tags } : {}),
  });
  if (refused(expected)) return expectRefusal(server, p, answer, args, expected.code);
  await server.learn();
  const { entry, outcome } = expected;
  expect(answer.structured).toMatchObject({ outcome, id: entry.id, key: keyOf(op), version: latest(entry).version });
  expectProposal(answer, expected);
  server.scan(p, answer, args, [{ entry, state: {} }, ...server.model.namesakes(p, entry)]);
};

const read: Command = async (server, p, op, tool) => {
  const { model } = server;
  const exact = op.flag;
  const args = { ...scoped(op), ...(exact ? { key: keyOf(op) } : { pattern: patternOf(op) }) };
  const own = model.own(p, filterOf(scopeOf(op)));
  const matching = own.filter((entry) => (exact ? now(entry).key === keyOf(op) : keyMatches(patternOf(op), now(entry).key)));
  const answer = await reads(server, p, tool, args, present(matching), ({ memory }) => {
    if (!exact) return expect((memory as { id: string }[]).map(({ id }) => id)).toEqual(matching.map(({ id }) => id));
    const best = firstOf(matching, p);
    return expect((memory as { id: string } | null)?.id).toBe(best?.id);
  });
  if (exact && matching.length === 0) await sameAsAbsent(server, p, "tools/call", { name: tool, arguments: args }, keyOf(op), answer);
};

/** The nearest: of the session, of the project, of none. Among those one's own before what the team holds, then the newest. */
function firstOf(matching: Entry[], p: Principal): Entry | undefined {
  const near = ["session:p/s1", "project:p", "global"];
  const distance = (entry: Entry): number => near.indexOf(now(entry).namespace);
  const isOwn = (entry: Entry): boolean => now(entry).visibility === "private" && now(entry).owner === p.user;
  return matching.toSorted((a, b) => distance(a) - distance(b) || Number(isOwn(b)) - Number(isOwn(a)) || latest(b).at - latest(a).at)[0];
}

const list: Command = async (server, p, op, tool) => {
  const filter = { ...filterOf(scopeOf(op)), ...(bit(op, 1) ? { tags: ["red"] } : {}) };
  const args = { ...scoped(op), limit: op.limit, ...(bit(op, 1) ? { tags: ["red"] } : {}), ...(op.flag ? { pattern: patternOf(op) } : {}) };
  const expected = server.model.own(p, filter).filter((entry) => !op.flag || keyMatches(patternOf(op), now(entry).key)).slice(0, op.limit);
  await reads(server, p, tool, args, present(expected), (structured) =>
    expect(fieldsOf(structured, "memories").map(({ id }) => id)).toEqual(expected.map(({ id }) => id)),
  );
};

const forget: Command = async (server, p, op, tool) => {
  const args = { ...scoped(op), key: keyOf(op) };
  const matching = server.model.own(p, filterOf(scopeOf(op))).filter((entry) => now(entry).key === keyOf(op));
  const answer = await server.tool(p, tool, args);
  if (!canWrite(p)) return expectRefusal(server, p, answer, args, "PERMISSION_DENIED");
  if (matching.length > 1) return expectRefusal(server, p, answer, args, "CONFLICT");
  const { proposals } = archive(server.model, p, matching);
  await server.learn();
  expect(answer.structured).toMatchObject({ deleted: matching.length === 1 && proposals.length === 0 });
  expectProposal(answer, { proposal: proposals[0] });
  server.scan(p, answer, args, matching.map((entry) => ({ entry, state: {} })));
  if (matching.length === 0) await sameAsAbsent(server, p, "tools/call", { name: tool, arguments: args }, keyOf(op), answer);
};

const resume: Command = async (server, p, _op, tool) => {
  // What was replaced is told by what took its place.
  const expected = server.model.own(p, filterOf(undefined)).filter((entry) => server.model.successor(p, entry) === undefined);
  const isCurrent = (entry: Entry): boolean => now(entry).namespace.startsWith("session:") || (now(entry).key ?? "").startsWith("current.");
  const isOwn = (entry: Entry): boolean => now(entry).visibility === "private";
  // Of the last session it tells what the person searched and decided.
  const ownWords = { state: { content: [...server.saidBy(p)].join(" ") } };
  await reads(server, p, tool, where, [...present(expected), ownWords], ({ context, token_count }) => {
    // As much of each group as the briefing's budget holds, newest first.
    const groups = context as Record<"project" | "current" | "shared", { key: string | null }[]>;
    const begins = (group: { key: string | null }[], entries: Entry[]): void =>
      expect(group.map(({ key }) => key)).toEqual(entries.slice(0, group.length).map((entry) => now(entry).key));
    begins(groups.project, expected.filter((entry) => isOwn(entry) && !isCurrent(entry)));
    begins(groups.current, expected.filter((entry) => isOwn(entry) && isCurrent(entry)));
    begins(groups.shared, expected.filter((entry) => !isOwn(entry)));
    if (expected.length > 0) expect(token_count).toBeGreaterThan(0);
  });
};

/** -32602 is "Invalid params"; the SDK has a code of its own for a resource that is not there. */
const resourcesList: Command = async (server, p) => {
  const answer = await server.request(p, "resources/list", {});
  if (!canRead(p)) return expectResourceRefusal(answer.code);
  const expected = server.model.own(p).slice(0, 50);
  expect(fieldsOf(answer.structured, "resources").map(({ uri }) => uri)).toEqual(["omnimemory://memories/recent", "omnimemory://health", "omnimemory://user/preferences", "omnimemory://session/current", "omnimemory://workflows", "kom://resources/memory/kom.memory.v1/sync-jobs", ...expected.map(({ id }) => `omnimemory://memory/${id}`)]);
  expect(answer.structured["nextCursor"]).toBeUndefined();
  server.scan(p, answer, {}, present(expected));
};

const expectResourceRefusal = (code: string | undefined): void => expect(code).toMatch(/^-32\d{3}$/);

/** The report card names nothing that the principal may not see. */
const cardRead: Command = async (server, p) => {
  const uri = "omnimemory://health";
  const answer = await server.request(p, "resources/read", { uri });
  if (!canRead(p)) return expectResourceRefusal(answer.code);
  server.scan(p, answer, { uri }, reportable(server, p));
};

const resourcesRead: Command = async (server, p, op, tool) => {
  if (bit(op, 64)) return cardRead(server, p, op, tool);
  const id = server.pick(op.target)?.id ?? crypto.randomUUID();
  const uri = op.flag ? "omnimemory://memories/recent" : `omnimemory://memory/${id}`;
  const expected = op.flag ? server.model.own(p).slice(0, 20) : [server.model.byId(p, id)].filter((entry) => entry !== undefined);
  const answer = await server.request(p, "resources/read", { uri });
  if (!canRead(p) || (!op.flag && expected.length === 0)) {
    expectResourceRefusal(answer.code);
    server.scan(p, answer, { uri });
    if (!op.flag) await sameAsAbsent(server, p, "resources/read", { uri }, id, answer);
    return;
  }
  const [content] = fieldsOf(answer.structured, "contents") as [{ text: string }];
  const body = JSON.parse(content.text) as { memories?: { memory_id: string }[]; memory_id: string };
  expect((body.memories ?? [body]).map(({ memory_id }) => memory_id)).toEqual(expected.map((entry) => entry.id));
  server.scan(p, answer, { uri }, present(expected));
};

export const tokenSaver: Record<string, Command> = {
  write_memory: write, read_memory: read, list_memories: list, delete_memory: forget, smart_resume: resume,
};

export const resources: Record<string, Command> = { "resources/list": resourcesList, "resources/read": resourcesRead };
