import { expect } from "vitest";
import { bit, contentOf, expectRefusal, fieldsOf, keyOf, patternOf, present, reads, sorted, type Command } from "./commands.ts";
import { canRead, canWrite, keyMatches, latest, now, type Entry } from "./model.ts";
import { refused } from "./model-keys.ts";
import { isReviewed } from "./model-review.ts";
import { remember, revise } from "./model-writes.ts";
import { wordOf } from "./reads.ts";

/** The tools of the Kompanion family. The connection's project is p. */
const place = "project:p";
const idsOf = (entries: Entry[]): string[] => entries.map(({ id }) => id);

const save: Command = async (server, p, op, tool) => {
  const text = contentOf(server, op);
  const content = bit(op, 1) ? { note: text } : text;
  const tags = bit(op, 2) ? ["red", server.mint()] : undefined;
  const args = { key: keyOf(op), content, ...(tags ? { tags } : {}) };
  const answer = await server.tool(p, tool, args);
  const expected = remember(server.model, p, {
    key: keyOf(op), content: typeof content === "string" ? content : JSON.stringify(content), value: typeof content === "string" ? null : content, namespace: place, ...(tags ? { tags } : {}),
  });
  if (refused(expected)) return expectRefusal(server, p, answer, args, expected.code);
  await server.learn();
  expect(answer.structured).toMatchObject({ outcome: expected.outcome, id: expected.entry.id, version: latest(expected.entry).version });
  server.scan(p, answer, args, [{ entry: expected.entry, state: {} }]);
};

const fetchItems: Command = async (server, p, op, tool) => {
  const { model } = server;
  const kinds: [args: Record<string, unknown>, expected: () => Entry[]][] = [
    [{ key: keyOf(op) }, () => model.byKey(p, keyOf(op))],
    [{ key: patternOf(op) }, () => model.own(p).filter((entry) => keyMatches(patternOf(op), now(entry).key))],
    [{ tags: ["red"] }, () => model.own(p, { tags: ["red"] })],
    [{}, () => model.own(p)],
  ];
  const [asked, entries] = kinds[op.variant % kinds.length] as (typeof kinds)[number];
  const args = { ...asked, limit: 100 };
  const expected = canRead(p) ? entries() : [];
  await reads(server, p, tool, args, present(expected), (structured) =>
    expect(sorted(fieldsOf(structured, "items").map(({ id }) => id))).toEqual(sorted(idsOf(expected))),
  );
};

const upsert: Command = async (server, p, op, tool) => {
  const { model } = server;
  const target = server.pick(op.target);
  // The id of what one sees is a memory's; any other id is a name.
  const named = bit(op, 1) && target && model.named(p, target.id) ? target.id : undefined;
  const text = contentOf(server, op);
  const tags = bit(op, 4) ? ["red", server.mint()] : undefined;
  const metadata = { ...(bit(op, 2) ? { scope: op.visibility } : {}), ...(tags ? { tags } : {}) };
  const args = { items: [{ id: named ?? keyOf(op), text, metadata }] };
  const answer = await server.tool(p, tool, args);
  const given = { content: text, ...(bit(op, 2) ? { visibility: op.visibility } : {}), ...(tags ? { tags } : {}), ...(Object.keys(metadata).length === 0 ? { metadata: {} } : {}) };
  const expected = named === undefined ? remember(model, p, { ...given, key: keyOf(op), namespace: place }) : revise(model, p, { target: { id: named }, changes: given });
  if (refused(expected)) return expectRefusal(server, p, answer, args, expected.code);
  await server.learn();
  const { entry, outcome } = expected;
  expect(answer.structured).toMatchObject({ upserted: outcome === "proposed" ? 0 : 1, ids: [entry.id] });
  server.scan(p, answer, args, [{ entry, state: {} }]);
};

const search: Command = async (server, p, op, tool) => {
  const { model } = server;
  const scope = bit(op, 1) ? op.visibility : undefined;
  const filter = scope === undefined ? {} : { scope };
  const seen = [...model.own(p, filter), ...(scope === undefined || scope === "public" ? model.foreign(p, filter) : [])];
  const args = { query: { text: wordOf(server, op), k: 100, ...(scope === undefined ? {} : { filter }) } };
  await reads(server, p, tool, args, present(seen), (structured) =>
    expect(idsOf(seen)).toEqual(expect.arrayContaining(fieldsOf(structured, "matches").map(({ id }) => id))),
  );
};

const embed: Command = async (server, p, op, tool) => {
  const args = { texts: [wordOf(server, op)] };
  await reads(server, p, tool, args, [], ({ vectors }) => expect(vectors).toHaveLength(1));
};

const warm: Command = async (server, p, _op, tool) => {
  const answer = await server.tool(p, tool, {});
  if (!canWrite(p)) return expectRefusal(server, p, answer, {}, "PERMISSION_DENIED");
  expect(answer.structured["queued"]).toBeLessThanOrEqual(server.model.own(p).length);
  server.scan(p, answer, {});
};

const sync: Command = async (server, p, op, tool) => {
  const { model } = server;
  const args = { max_batch: op.limit };
  const answer = await server.tool(p, tool, args);
  if (!canWrite(p)) return expectRefusal(server, p, answer, args, "PERMISSION_DENIED");
  const mine = model.own(p).filter((entry) => now(entry).owner === p.user && (now(entry).visibility === "private" || !isReviewed(model, p)));
  const chosen = mine.filter((entry) => now(entry).tier === "episodic").sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, op.limit);
  for (const entry of chosen) entry.versions.push({ ...latest(entry), version: latest(entry).version + 1, state: { ...now(entry), tier: "semantic" } });
  await server.learn();
  expect(answer.structured).toMatchObject({ processed: chosen.length });
  expect(answer.structured["pending"]).toBeLessThanOrEqual(mine.length);
  server.scan(p, answer, args);
};

export const kom: Record<string, Command> = {
  save_context: save, recall_context: fetchItems, embed_text: embed, upsert_memory: upsert, search_memory: search, warm_cache: warm, sync_semantic: sync,
};
