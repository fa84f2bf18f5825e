import { expect } from "vitest";
import { bit, contentOf, expectRefusal, fieldsOf, keyOf, patternOf, placeOf, present, sameAsAbsent, sorted, type Command, type Op } from "./commands.ts";
import { canRead, canWrite, keyMatches, latest, now, sees, seesVersion, type Entry, type Principal, type Proposal, type State, type Version } from "./model.ts";
import { isReviewed, propose } from "./model-review.ts";
import { refuse, refused } from "./model-keys.ts";
import { importRecords, type PortableRecord } from "./model-imports.ts";
import { archive, erase, mayForget, remember, revise, type Written } from "./model-writes.ts";
import { parse } from "./reads.ts";
import { revert } from "./reverts.ts";
import type { Answer, TestServer } from "./test-server.ts";

const occurred = [Date.UTC(2026, 2, 1), Date.UTC(2026, 2, 2), Date.UTC(2026, 2, 3)];
const halfDay = 43_200_000;
const idempotencyKey = "same-for-all";

function storeArguments(server: TestServer, op: Op): Record<string, unknown> {
  return {
    content: contentOf(server, op),
    key: keyOf(op),
    namespace: placeOf(server, op),
    ...(bit(op, 1) ? {} : { metadata: storeMetadata(server, op) }),
    ...(bit(op, 32) ? { occurred_at: new Date(occurred[op.limit % occurred.length] as number).toISOString() } : {}),
    ...(bit(op, 64) ? { idempotency_key: idempotencyKey } : {}),
  };
}

const storeMetadata = (server: TestServer, op: Op): Record<string, unknown> => ({
  scope: op.visibility,
  ...(bit(op, 2) ? { tags: ["red", server.mint()] } : {}),
  ...(bit(op, 4) ? { importance: 0.9 } : {}),
  ...(bit(op, 8) ? { note: server.mint() } : {}),
  ...(bit(op, 16) ? { expiry: new Date(Date.now() + halfDay).toISOString() } : {}),
});

interface WireMetadata {
  scope?: State["visibility"];
  tags?: string[];
  importance?: number;
  expiry?: string;
}

/**
 * Wire names as the model's: what stands in `metadata` and is known there is lifted out, the rest is the caller's own;
 * who names only what is known leaves their own as it is.
 */
function given(args: Record<string, unknown>): Partial<State> {
  const { scope, tags, importance, expiry, ...metadata } = (args["metadata"] ?? {}) as WireMetadata;
  const state = {
    key: args["new_key"] ?? (args["id"] === undefined && args["new_key"] === undefined ? args["key"] : undefined),
    content: args["content"], namespace: args["namespace"], summary: args["summary"], visibility: scope, tags, importance,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    occurredAt: args["occurred_at"] === undefined ? undefined : Date.parse(args["occurred_at"] as string),
    expiresAt: expiry === undefined ? undefined : Date.parse(expiry),
  };
  return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined)) as Partial<State>;
}

const store: Command = async (server, p, op, tool) => {
  const repeated = op.limit === 6 ? server.lastStore : undefined;
  const args = repeated ?? storeArguments(server, op);
  server.lastStore = args;
  const answer = await server.tool(p, tool, args);
  const expected = storeOnce(server, p, args);
  if (refused(expected)) return expectRefusal(server, p, answer, args, expected.code);
  await server.learn();
  const { entry, outcome, left } = expected;
  const { version, state } = left ?? latest(entry);
  expect(answer.structured).toMatchObject({ outcome, memory_id: entry.id, key: state.key, version, scope: state.visibility });
  expectProposal(answer, expected);
  server.scan(p, answer, args, [{ entry, state: { namespace: state.namespace } }, ...server.model.namesakes(p, entry)]);
};

/** An idempotency key belongs to one person in one team; a repeated call is answered as the first was, as far as one still sees that. */
function storeOnce(server: TestServer, p: Principal, args: Record<string, unknown>): Written & { left?: Version | undefined } {
  if (args["idempotency_key"] === undefined || !canWrite(p)) return remember(server.model, p, given(args));
  const name = `${p.team}/${p.user}`;
  const prior = server.once.get(name);
  if (prior) {
    const { request, entry, outcome, version } = prior;
    if (request !== JSON.stringify(args)) return refuse("VALIDATION_ERROR");
    if (!sees(p, entry)) return refuse("MEMORY_NOT_FOUND");
    const left = entry.versions.find((then) => then.version === version && seesVersion(p, entry, then));
    return { outcome, entry, left, proposal: proposedBefore(server, p, prior, left ?? latest(entry), given(args).visibility ?? "private") };
  }
  const written = remember(server.model, p, given(args));
  if (!refused(written)) server.once.set(name, { request: JSON.stringify(args), version: latest(written.entry).version, ...written });
  return written;
}

/** Of what the team holds only the first call proposes; that a memory of one's own be shared is proposed again. */
function proposedBefore(server: TestServer, p: Principal, { outcome, entry }: { outcome: string; entry: Entry }, then: Version, wanted: State["visibility"]): Proposal | undefined {
  if (wanted === "private" || !isReviewed(server.model, p)) return undefined;
  if (outcome !== "proposed" || then.state.visibility === "private") return propose(server.model, p, entry, { ...then.state, visibility: wanted }, then);
  return server.model.proposals.findLast((one) => one.entry === entry && one.by === p.user && one.version === then.version);
}

/** Who asked for more than they may alone is told what became of it; nobody else is told anything. */
export function expectProposal(answer: Answer, { proposal }: { proposal?: Proposal | undefined }): void {
  expect(answer.structured["proposal"]).toEqual(proposal && { id: proposal.id, scope: proposal.visibility, state: proposal.state });
}

const update: Command = async (server, p, op, tool) => {
  const target = server.pick(op.target);
  const byKey = op.limit > 4;
  const version = op.flag ? (target ? latest(target).version : 1) : 1;
  const args: Record<string, unknown> = {
    ...(byKey ? { key: keyOf(op) } : { id: target?.id ?? crypto.randomUUID() }),
    ...(bit(op, 1) ? { content: contentOf(server, op) } : {}),
    ...(bit(op, 2) ? { metadata: { scope: op.visibility } } : {}),
    ...(bit(op, 4) && bit(op, 8) ? { new_key: keyOf(op) } : {}),
    ...(bit(op, 16) && bit(op, 8) ? { namespace: placeOf(server, op) } : {}),
    ...(bit(op, 32) ? { archived: false } : {}),
    ...(bit(op, 64) ? { expected_version: version } : {}),
    ...(bit(op, 4) && !bit(op, 8) ? { summary: `summary ${server.mint()}` } : {}),
  };
  const answer = await server.tool(p, tool, args);
  const changes = { ...given({ ...args, key: undefined }), ...(bit(op, 32) ? { archivedAt: null } : {}) };
  const expected = revise(server.model, p, {
    target: byKey ? { key: keyOf(op), near: "project:p" } : { id: args["id"] as string },
    changes,
    ...(bit(op, 64) ? { expectedVersion: version } : {}),
  });
  const blind = !refused(expected) && expected.outcome === "conflict" && !canRead(p);
  if (refused(expected) || blind) {
    const code = refused(expected) ? expected.code : "CONFLICT";
    // Of a key that is gone, what was archived is told.
    const archived = byKey && code === "MEMORY_NOT_FOUND" ? server.model.own(p, {}, true).filter((entry) => now(entry).key === args["key"]) : [];
    expectRefusal(server, p, answer, args, code, archived);
    for (const { id } of archived.slice(0, 5)) expect(answer.raw).toContain(id);
    if (code === "MEMORY_NOT_FOUND" && archived.length === 0) await sameAsAbsent(server, p, "tools/call", { name: tool, arguments: args }, (args["id"] ?? args["key"]) as string, answer);
    return;
  }
  await server.learn();
  const { entry, outcome } = expected;
  expect(answer.structured).toMatchObject(outcome === "conflict" ? { outcome, current: { memory_id: entry.id, content: now(entry).content } } : { outcome, memory_id: entry.id, version: latest(entry).version });
  expectProposal(answer, expected);
  server.scan(p, answer, args, outcome === "conflict" ? present([entry]) : [{ entry, state: canRead(p) ? { namespace: now(entry).namespace } : {} }]);
};

const forget: Command = async (server, p, op, tool) => {
  const { model } = server;
  const targets = [server.pick(op.target), op.flag ? server.pick(op.target + op.key + 1) : undefined].filter((e) => e !== undefined);
  const ids = [...new Set(targets.map(({ id }) => id))];
  const own = model.own(p);
  const choices: [args: Record<string, unknown>, chosen: Entry[], hidden?: string | undefined][] = [
    [{ ids }, ids.every((id) => model.named(p, id)) ? [...new Set(ids.map((id) => model.named(p, id) as Entry))] : [], ids.length === 1 ? ids[0] : undefined],
    [{ key: keyOf(op) }, own.filter((e) => now(e).key === keyOf(op)), keyOf(op)],
    [{ key: patternOf(op) }, own.filter((e) => keyMatches(patternOf(op), now(e).key))],
    [{ filters: { scope: op.visibility, tags: ["red"] } }, model.own(p, { scope: op.visibility, tags: ["red"] })],
  ];
  const [selection, chosen, hidden] = choices[[0, 0, 0, 1, 1, 2, 3][op.limit] as number] as (typeof choices)[number];
  if (targets.length === 0 && "ids" in selection) return;
  const mode = bit(op, 1) ? "erase" : "archive";
  const args = { ...selection, mode };
  const preview = await server.tool(p, tool, args);
  const code = !canWrite(p) || !canRead(p) ? "PERMISSION_DENIED" : chosen.length === 0 ? "MEMORY_NOT_FOUND" : mayForget(p, chosen, mode) ? undefined : "PERMISSION_DENIED";
  if (code !== undefined) {
    expectRefusal(server, p, preview, args, code);
    if (code === "MEMORY_NOT_FOUND" && hidden !== undefined) await sameAsAbsent(server, p, "tools/call", { name: tool, arguments: args }, hidden, preview);
    return;
  }
  expect(preview.structured).toMatchObject({ outcome: "preview", count: chosen.length });
  expect(sorted(fieldsOf(preview.structured, "would_forget").map(({ memory_id }) => memory_id))).toEqual(sorted(chosen.map(({ id }) => id)));
  server.scan(p, preview, args, present(chosen));
  await server.learn();
  if (bit(op, 2)) return;
  const confirmed = { ...args, confirm: preview.structured["confirm"] };
  const answer = await server.tool(p, tool, confirmed);
  const { gone, proposals } = mode === "archive" ? archive(model, p, chosen) : { gone: chosen, proposals: [] };
  if (mode === "erase") erase(model, chosen);
  const waiting = proposals.filter(({ state }) => state === "pending").length;
  for (const [name, { entry }] of server.once) if (mode === "erase" && chosen.includes(entry)) server.once.delete(name);
  await server.learn();
  const outcome = mode === "erase" ? "erased" : gone.length > 0 ? "archived" : waiting > 0 ? "proposed" : "unchanged";
  const { memory_ids, ...told } = answer.structured;
  expect(sorted(memory_ids as string[])).toEqual(sorted(gone.map(({ id }) => id)));
  const { advice, ...figures } = told;
  expect(advice !== undefined, "whoever proposes is told so").toBe(proposals.length > 0);
  expect(figures).toEqual({ outcome, count: gone.length, ...(waiting > 0 ? { proposed: waiting } : {}), ...(proposals.length > waiting ? { refused: proposals.length - waiting } : {}) });
  server.scan(p, answer, confirmed, chosen.map((entry) => ({ entry, state: {} })));
};

const bring: Command = async (server, p, op, tool) => {
  const target = server.pick(op.target);
  const exported = server.exports[op.target % Math.max(1, server.exports.length)];
  const on_conflict = op.flag ? "update" : "skip";
  const fresh = (): PortableRecord => ({
    content: contentOf(server, op),
    ...(bit(op, 2) ? { key: keyOf(op) } : {}),
    ...(bit(op, 4) ? { namespace: placeOf(server, op) } : {}),
    ...(bit(op, 8) ? { visibility: op.visibility } : {}),
    ...(bit(op, 16) ? { tags: ["red", server.mint()] } : {}),
    // Of whomever that memory is, or nobody's.
    ...(bit(op, 64) ? { superseded_by: server.pick(op.target + op.key + 1)?.id ?? crypto.randomUUID(), superseded_reason: "It says so." } : {}),
  });
  /** A record that claims to be a memory that is there already, with a history that would continue it. */
  const claimed = (): PortableRecord => ({
    ...fresh(),
    ...(target ? { id: target.id } : {}),
    ...(bit(op, 32) && target ? { version: latest(target).version + 2, history: [{ version: latest(target).version + 1, state: fresh() }] } : {}),
  });
  const kind = op.limit % 3;
  const records = kind === 0 && exported ? (parse(exported.data) as unknown as PortableRecord[]) : kind === 1 ? [claimed()] : [fresh(), { content: contentOf(server, op) }];
  const wire = records.map((record) => ({ ...record, ...(record.history ? { history: record.history.map((entry) => ({ at: "2026-01-01T00:00:00Z", actor_id: "somebody", tool: "t", action: "create", ...entry })) } : {}) }));
  const args = kind === 0 && exported ? { data: exported.data, sha256: exported.sha256, count: exported.count, on_conflict } : { memories: wire, on_conflict };
  const answer = await server.tool(p, tool, args);
  // What names no place is stored in the project of the connection, as by a store.
  const placed = "data" in args ? records : records.map((record) => (record.id === undefined && record.history === undefined && record.namespace === undefined ? { ...record, namespace: "project:p" } : record));
  const expected = importRecords(server.model, p, placed, on_conflict);
  await server.learn();
  if (refused(expected)) return expectRefusal(server, p, answer, args, expected.code);
  const { entries, proposed, renamed, ...counts } = expected;
  expect(answer.structured).toMatchObject({ ...counts, memory_ids: entries.map(({ id }) => id) });
  expect(answer.structured["proposed"] ?? 0).toBe(proposed);
  expect(answer.structured["renamed"] ?? []).toEqual(renamed.map(({ former, id }) => ({ from: former, to: id })));
  server.scan(p, answer, args, entries.map((entry) => ({ entry, state: {} })));
};

export const omnWrites: Record<string, Command> = {
  omn_store_memory: store, omn_update_memory: update, omn_forget_memory: forget, omn_import_memories: bring, omn_revert: revert,
};
