import { expect, vi } from "vitest";
import { IssuerKeys, keySetOf } from "../../src/domain/sessions/issuer-keys.ts";
import { PassportKeys } from "../../src/domain/sessions/passport-keys.ts";
import { type Signer, signPassport } from "../../src/domain/sessions/passport.ts";
import { bit, everything, expectRefusal, fieldsOf, type Command } from "./commands.ts";
import { canRead, canWrite, type Principal } from "./model.ts";
import { parse } from "./reads.ts";
import { expectAlike, rest } from "./rest.ts";
import { learnSession, linksOf, ownerOf } from "./sessions.ts";
import type { Answer, TestServer } from "./test-server.ts";

/** Links of sessions, and passports of other servers: each opens what its person may have, and tells nobody else that it is there. */

const mayRestore = (p: Principal): boolean => canWrite(p) && canRead(p);

function scan(server: TestServer, p: Principal, answer: Answer, args: unknown): void {
  server.scan(p, answer, [args, ...server.saidBy(p)], everything(server, p));
}

const claim: Command = async (server, p, op) => {
  const links = linksOf(server);
  const link = links[op.target % Math.max(1, links.length)];
  const tool = "omn_restore_session";
  const given = (url: string) => ({ passport: url, tool_id: op.flag ? "cursor" : "vscode" });
  const invented = `http://localhost/claim/${op.place > 3 ? crypto.randomUUID() : p.team}/${crypto.randomUUID().replaceAll("-", "")}AAAAAAAAAAA`;
  const url = link?.url ?? invented;
  const answer = await server.tool(p, tool, given(url));
  if (!mayRestore(p)) return expectRefusal(server, p, answer, given(url), "PERMISSION_DENIED");
  if (link && link.owner === ownerOf(p) && !link.used) {
    link.used = true;
    expect(answer.structured, answer.raw).toMatchObject({ session_id: link.session });
    learnSession(server, p, answer);
    return scan(server, p, answer, given(url));
  }
  expectRefusal(server, p, answer, given(url), "NOT_FOUND");
  expectAlike(answer, url, await server.tool(p, tool, given(invented)), invented);
};

const signerAt = (issuer: string): Signer => {
  const masters = [{ id: "key-1", secret: crypto.getRandomValues(new Uint8Array(32)) }];
  return { issuer, keys: new PassportKeys(masters), issuerKeys: new IssuerKeys(masters) };
};
const issuers = [signerAt("https://memory.neighbour.dev"), signerAt("https://memory.elsewhere.dev")];

/** Calls with the web of the other servers: they publish their keys, and there is nothing else. */
async function onTheWeb(call: () => Promise<Answer>): Promise<{ answer: Answer; asked: string[] }> {
  const asked: string[] = [];
  const web = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const { url } = new Request(input as RequestInfo, init as RequestInit);
    asked.push(url);
    const signer = issuers.find(({ issuer }) => url === `${issuer}/.well-known/jwks.json`);
    if (!signer) throw new TypeError("there is no such host");
    return Response.json(keySetOf(await signer.issuerKeys.published()));
  });
  try {
    return { answer: await call(), asked };
  } finally {
    web.mockRestore();
  }
}

/** By person and team. */
const trusted = new WeakMap<TestServer, Map<string, Set<string>>>();
function trustedBy(server: TestServer, p: Principal): Set<string> {
  const all = trusted.get(server) ?? new Map<string, Set<string>>();
  trusted.set(server, all);
  const mine = all.get(ownerOf(p)) ?? new Set();
  all.set(ownerOf(p), mine);
  return mine;
}

const at = "2026-11-01T10:00:00.000Z";
const contains = { files: 0, searches: 0, decisions: 1, tasks: 0 };
const passportBy = (signer: Signer, decision: string): Promise<Record<string, unknown>> =>
  signPassport(signer, {
    version: "2.0", session_id: `sess_${crypto.randomUUID()}`, exported_at: at, exported_by_tool: "cursor", original_tool: "cursor", project_id: "p", workspace_path: null, created_at: at, migration_count: 0,
    context: { files_accessed: [], recent_searches: [], decisions: [{ decision, timestamp: at }], workflow_state: { keys: [], recent_commands: [] } },
    metadata: { total_files_accessed: 0, total_searches: 0, session_duration_hours: 1 },
  });

/** What others trust answers nobody's question; a confirmation is good for the person who was asked, and for that passport. */
const restore: Command = async (server, p, op) => {
  const signer = issuers[op.key % issuers.length] as Signer;
  const { issuer } = signer;
  const passport = await passportBy(signer, `We use ${server.mint()} for billing.`);
  const ask = (who: Principal, confirm?: string) => onTheWeb(() => server.tool(who, "omn_restore_session", { passport, tool_id: "cursor", ...(confirm === undefined ? {} : { confirm }) }));
  const { answer, asked } = await ask(p);
  if (!mayRestore(p)) return expectRefusal(server, p, answer, passport, "PERMISSION_DENIED");
  const isRestored = (told: Answer): void => {
    expect(told.structured["session_id"], told.raw).toMatch(/^sess_/);
    learnSession(server, p, told);
    scan(server, p, told, passport);
  };
  if (trustedBy(server, p).has(issuer)) return isRestored(answer);
  expect(asked, "nothing is fetched before the person has answered").toEqual([]);
  expect(answer.structured, answer.raw).toEqual({ outcome: "untrusted", issuer, exported_at: at, contains, confirm: expect.any(String) });
  server.scan(p, answer, passport);
  const other = server.principals.find((one) => one.active && mayRestore(one) && ownerOf(one) !== ownerOf(p) && !trustedBy(server, one).has(issuer));
  if (other && bit(op, 1)) expect((await ask(other, answer.structured["confirm"] as string)).answer.structured).toMatchObject({ outcome: "untrusted" });
  if (!op.flag) return;
  isRestored((await ask(p, answer.structured["confirm"] as string)).answer);
  trustedBy(server, p).add(issuer);
};

const list: Command = async (server, p) => {
  const answer = await rest(server, p, "GET", "/passport-issuers");
  if (!canRead(p)) return expect(answer).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  expect(fieldsOf(answer.structured, "issuers").map(({ issuer }) => issuer)).toEqual([...trustedBy(server, p)].sort());
};

const distrust: Command = async (server, p, op) => {
  const { issuer } = issuers[op.key % issuers.length] as Signer;
  const path = (name: string): string => `/passport-issuers/${encodeURIComponent(name)}`;
  const answer = await rest(server, p, "DELETE", path(issuer));
  if (!canWrite(p)) return expect(answer).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  const wasTrusted = trustedBy(server, p).delete(issuer);
  expect(answer.structured).toEqual({ deleted: wasTrusted });
  if (wasTrusted) return;
  const unknown = "https://never.heard.of.dev";
  expectAlike(answer, issuer, await rest(server, p, "DELETE", path(unknown)), unknown);
};

/** An export takes along one's own work sessions and steps, and nobody else's. */
const carry: Command = async (server, p) => {
  const answer = await rest(server, p, "GET", "/export?include_sessions=true&include_workflows=true");
  if (!canRead(p)) return expect(answer).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  const work = parse(answer.raw).filter(({ kind }) => kind !== undefined);
  for (const { kind, session_id } of work) if (kind !== "work_steps") learnSession(server, p, { ...answer, structured: { session_id } });
  scan(server, p, { ...answer, raw: JSON.stringify(work) }, {});
};

export const handovers: Record<string, Command> = { "session: claim": claim, "session: carry": carry, "issuers: restore": restore, "issuers: list": list, "issuers: distrust": distrust };
