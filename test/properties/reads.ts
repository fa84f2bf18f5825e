import { expect } from "vitest";
import { bit, fieldsOf, keyOf, patternOf, present, reads, sameAsAbsent, sorted, trees, type Command, type Op, type Shown } from "./commands.ts";
import { canRead, keyMatches, latest, now, sees, type Entry, type Filter, type Principal, type State } from "./model.ts";
import { tokensOf, type TestServer } from "./test-server.ts";

/** One of the secret words that a memory holds or held, or a plain one. */
export function wordOf(server: TestServer, op: Op): string {
  const target = server.pick(op.target);
  const words = [...tokensOf(target?.versions.map(({ state }) => [state.content, state.summary, state.tags]))];
  return (op.flag ? undefined : words[op.limit % Math.max(1, words.length)]) ?? (trees[op.key % 2] as string);
}

function filterOf(server: TestServer, op: Op): { args: Record<string, unknown>; filter: Filter } {
  const namespace = ["global", "project:p", "project:*", "thread:*"][op.place % 4] as string;
  const author = (server.principals[op.target % server.principals.length] as Principal).user;
  const choices: { args: Record<string, unknown>; filter: Filter }[] = [
    { args: { scope: op.visibility }, filter: { scope: op.visibility } },
    { args: { namespace }, filter: { namespaces: [namespace] } },
    { args: { author }, filter: { author } },
    { args: { tags: ["red"] }, filter: { tags: ["red"] } },
    { args: { min_importance: 0.8, scope: op.visibility }, filter: { minImportance: 0.8, scope: op.visibility } },
  ];
  return choices[op.place % choices.length] as (typeof choices)[number];
}

const asFound = ({ entry, state }: Shown, version: number) => ({ memory_id: entry.id, content: state.content, version });
const found = (list: Record<string, unknown>[]) => sorted(list.map(({ memory_id, content, version = 1 }) => ({ memory_id, content, version })));

/** Whatever matches, so that the model can say what that is: by words to the letter, by meaning nobody knows beforehand. */
const everything = { min_relevance: 0, without: ["dedupe", "diversity"], mode: "text" };
const anything = { ...everything, mode: "hybrid" };

const retrieve: Command = async (server, p, op, tool) => {
  const { model } = server;
  const target = server.pick(op.target);
  const kind = op.variant % 10;
  const { args: filters, filter } = filterOf(server, op);
  const word = wordOf(server, op);
  const lookups: [args: Record<string, unknown>, entries: () => (Entry | undefined)[], hidden?: string | number | undefined][] = [
    [{ id: target?.id ?? crypto.randomUUID() }, () => [target && model.byId(p, target.id)], target?.id],
    [{ id: target?.alias ?? 1 }, () => [model.byAlias(p, target?.alias ?? 1)], target?.alias],
    [{ key: keyOf(op) }, () => model.byKey(p, keyOf(op)), keyOf(op)],
    [{ key: patternOf(op) }, () => model.own(p).filter((entry) => keyMatches(patternOf(op), now(entry).key))],
    [{ query: word, ...everything }, () => model.byText(p, word)],
    [{ query: word, filters, ...everything }, () => model.byText(p, word, filter)],
    [{ filters }, () => model.own(p, filter)],
  ];
  if (kind === lookups.length) return retrieveNear(server, p, op, tool, word);
  const [lookup, entries, hidden] = lookups[kind] ?? [];
  if (!lookup || !entries) return retrieveAsOf(server, p, op, tool);
  // With a small limit, what is hidden must not take the place of what is not.
  const limit = "query" in lookup && bit(op, 64) ? op.limit : 100;
  const args = { ...lookup, limit };
  const expected = present(canRead(p) ? entries().filter((entry) => entry !== undefined) : []);
  const answer = await reads(server, p, tool, args, withSuccessors(server, p, expected), (structured) => {
    const memories = found(fieldsOf(structured, "memories"));
    const all = sorted(expected.map((shown) => asFound(shown, latest(shown.entry).version)));
    expect(memories).toHaveLength(Math.min(limit, all.length));
    expect(all).toEqual(limit === 100 ? memories : expect.arrayContaining(memories));
    if (limit === 100) expect(structured["total_found"]).toBe(all.length);
  });
  if (expected.length === 0 && hidden !== undefined) await sameAsAbsent(server, p, "tools/call", { name: tool, arguments: args }, hidden, answer);
};

/** Beside what was replaced stands what took its place, and the other way round where an archived memory was asked for. */
const withSuccessors = ({ model }: TestServer, p: Principal, shown: Shown[]): Shown[] => {
  const entries = shown.map(({ entry }) => entry);
  return [...shown, ...present([...entries.flatMap((entry) => model.successor(p, entry) ?? []), ...model.archivedFor(p, entries)])];
};

/** What matches by words is found, and beside it nothing that the principal may not see. */
async function retrieveNear(server: TestServer, p: Principal, op: Op, tool: string, word: string): Promise<void> {
  const { model } = server;
  const { args: filters, filter } = bit(op, 32) ? filterOf(server, op) : { args: undefined, filter: {} };
  const seen = [...model.own(p, filter), ...(filter.scope === undefined || filter.scope === "public" ? model.foreign(p, filter) : [])];
  const args = { query: word, ...anything, limit: 100, ...(filters === undefined ? {} : { filters }) };
  await reads(server, p, tool, args, present(seen), (structured) => {
    const ids = found(fieldsOf(structured, "memories")).map(({ memory_id }) => memory_id);
    expect(ids).toEqual(expect.arrayContaining(model.byText(p, word, filter).map(({ id }) => id)));
    expect(seen.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  });
}

const retrieveAsOf: Command = async (server, p, op, tool) => {
  const { model } = server;
  const at = server.marks[op.limit % Math.max(1, server.marks.length)];
  if (at === undefined) return;
  const target = server.pick(op.target);
  const as_of = new Date(at).toISOString();
  const pattern = patternOf(op);
  const word = wordOf(server, op);
  const then = (which: (entry: Entry, state: State) => boolean): Shown[] =>
    model.own(p, {}, "all").flatMap((entry) => {
      const version = model.stateAt(p, entry, at);
      return version && which(entry, version.state) ? [{ entry, state: version.state }] : [];
    });
  const lookups: [args: Record<string, unknown>, shown: () => Shown[]][] = [
    [{ id: target?.id ?? crypto.randomUUID() }, () => then((entry) => target !== undefined && entry === model.named(p, target.id))],
    [{ key: pattern }, () => then((_, state) => keyMatches(pattern, state.key))],
    [{ query: word, ...everything }, () => model.byTextAt(p, word, at)],
    [{ filters: { scope: op.visibility } }, () => then((_, state) => state.visibility === op.visibility)],
  ];
  const [lookup, shown] = lookups[op.key % lookups.length] as (typeof lookups)[number];
  const expected = shown();
  await reads(server, p, tool, { ...lookup, as_of, limit: 100 }, withSuccessors(server, p, expected), (structured) => {
    expect(found(fieldsOf(structured, "memories"))).toEqual(
      sorted(expected.map((one) => asFound(one, model.stateAt(p, one.entry, at)?.version ?? 0))),
    );
  });
};

const search: Command = async (server, p, op, tool) => {
  const query = wordOf(server, op);
  const expected = server.model.byText(p, query);
  const seen = [...server.model.own(p), ...server.model.foreign(p)];
  await reads(server, p, tool, { query }, present(seen), (structured) => {
    const ids = fieldsOf(structured, "results").map(({ id }) => id);
    // By default a search returns what probably was asked for: something where a memory holds the word, otherwise leads by meaning at most.
    expect(ids.length).toBeGreaterThanOrEqual(Math.min(1, expected.length));
    expect(ids.length).toBeLessThanOrEqual(10);
    expect(seen.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  });
};

const fetchOne: Command = async (server, p, op, tool) => {
  const id = server.pick(op.target)?.id ?? crypto.randomUUID();
  const entry = server.model.byId(p, id);
  if (entry || !canRead(p)) {
    await reads(server, p, tool, { id }, present(entry ? [entry] : []), (structured) => expect(structured).toMatchObject({ id: (entry as Entry).id, text: now(entry as Entry).content }));
    return;
  }
  const answer = await server.tool(p, tool, { id });
  expect(answer.code).toBe("MEMORY_NOT_FOUND");
  server.scan(p, answer, { id });
  await sameAsAbsent(server, p, "tools/call", { name: tool, arguments: { id } }, id, answer);
};

/** Plain lists leave out what was said in conversations. */
const isMessage = ({ key, namespace }: State): boolean => namespace.startsWith("thread:") && (key ?? "").startsWith("messages.");

const list: Command = async (server, p, op, tool) => {
  const { args: filters, filter } = filterOf(server, op);
  const archived = bit(op, 1);
  const pattern = bit(op, 4) ? patternOf(op) : undefined;
  const asked: Filter = bit(op, 2) ? filter : {};
  const isPlain = pattern === undefined && asked.namespaces === undefined && asked.tags === undefined;
  const expected = server.model.own(p, asked, archived).filter((e) => (pattern === undefined || keyMatches(pattern, now(e).key)) && !(isPlain && isMessage(now(e))));
  const args = { limit: op.limit, archived, full: op.flag, ...(bit(op, 2) ? { filters } : {}), ...(pattern === undefined ? {} : { key: pattern }) };
  await pages(server, p, tool, args, expected, op.limit, "memories", (record) => record["memory_id"], (entry) => present([entry]));
};

const exportAll: Command = async (server, p, op, tool) => {
  const { model } = server;
  const expected = model.own(p, {}, "all");
  const limit = bit(op, 1) ? op.limit : 100;
  const args = { limit, include_history: !bit(op, 2), format: op.flag ? "json" : "ndjson" };
  const shown = (entry: Entry): Shown[] => [{ entry, state: now(entry) }, ...(bit(op, 2) ? [] : model.earlier(p, entry)).map(({ state }) => ({ entry, state }))];
  await pages(server, p, tool, args, expected, limit, "data", ({ id }) => id, shown, (structured) => {
    const records = parse(structured["data"] as string);
    expect(structured["count"]).toBe(records.length);
    for (const record of records) {
      const entry = expected.find(({ id }) => id === record["id"]) as Entry;
      const history = ((record["history"] ?? []) as { state: { content: string } }[]).map(({ state }) => state.content);
      expect(history).toEqual(bit(op, 2) ? [] : model.earlier(p, entry).map(({ state }) => state.content));
      expect(record).toMatchObject({ content: now(entry).content, version: latest(entry).version - (entry.versions.length - model.exported(entry).length), visibility: now(entry).visibility });
    }
    if (!bit(op, 1) && records.length > 0) server.exports.push(structured as (typeof server.exports)[number]);
    return records;
  });
};

export function parse(data: string): Record<string, unknown>[] {
  if (data.startsWith("{\"format\"")) return (JSON.parse(data) as { memories: Record<string, unknown>[] }).memories;
  return data.split("\n").filter(Boolean).map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Walks a listing to its end: page by page what the model says, in its order, and a cursor only where more follows. */
async function pages(
  server: TestServer, p: Principal, tool: string, args: Record<string, unknown>, expected: Entry[], limit: number, field: string,
  idOf: (record: Record<string, unknown>) => unknown, shown: (entry: Entry) => Shown[],
  records: (structured: Record<string, unknown>) => Record<string, unknown>[] = (structured) => fieldsOf(structured, field),
): Promise<void> {
  let cursor: string | undefined;
  for (let from = 0; from === 0 || from < expected.length; from += limit) {
    const page = expected.slice(from, from + limit);
    await reads(server, p, tool, { ...args, ...(cursor === undefined ? {} : { cursor }) }, page.flatMap(shown), (structured) => {
      expect(records(structured).map(idOf)).toEqual(page.map(({ id }) => id));
      cursor = structured["next_cursor"] as string | undefined;
      expect(cursor).toBe(from + limit < expected.length ? page.at(-1)?.id : undefined);
    });
    if (!canRead(p)) return;
  }
}

const stats: Command = async (server, p, _op, tool) => {
  const shown = server.model.own(p).map((entry) => ({ state: { namespace: now(entry).namespace, tags: now(entry).tags } }));
  await reads(server, p, tool, {}, shown, (structured) => expect(structured).toMatchObject(server.model.stats(p, Date.now())));
};

/** Of calls, no more than one's own; of memories, what `omn_memory_stats` counts. */
const savings: Command = async (server, p, _op, tool) => {
  const { total, archived } = server.model.stats(p, Date.now()) as { total: number; archived: number };
  await reads(server, p, tool, {}, [], (structured) => expect(structured).toMatchObject({ of: "own", memories: { total, archived } }));
};

const health: Command = async (server, p, _op, tool) => {
  const answer = await server.tool(p, tool, { deep: true });
  expect(answer.structured).toMatchObject({ status: "ok", dependencies: { database: { ok: true }, search_index: { ok: true } } });
  // What waits for others' memories is none of this person's business.
  const { outbox, dead_letters } = answer.structured["dependencies"] as { outbox: { waiting?: number }; dead_letters: { set_aside?: number } };
  const waiting = [outbox.waiting, dead_letters.set_aside];
  const visible = server.model.entries.filter((entry) => sees(p, entry)).length;
  if (canRead(p)) expect(Math.max(...waiting.map(Number))).toBeLessThanOrEqual(visible);
  else expect(waiting, "how much waits says something of memories").toEqual([undefined, undefined]);
  server.scan(p, answer, {});
};

/** What it answers is the text of the call, and of no memory. */
const compressed: Command = async (server, p, op, tool) => {
  const text = `Nobody moved ${wordOf(server, op)} on Monday. It rained.`;
  const answer = await server.tool(p, tool, { text, target_tokens: 4 });
  expect(answer.structured).toMatchObject({ compressed_text: `Nobody moved ${wordOf(server, op)} on Monday.` });
  server.scan(p, answer, { text });
};

/** What the report card may name; of what is archived, no more than which it is, and of conversations what the person said. */
export const reportable = (server: TestServer, p: Principal): { entry?: Entry; state: Partial<State> }[] => {
  const { model } = server;
  return [{ state: { content: [...server.saidBy(p)].join(" ") } }, ...present(model.own(p)), ...model.own(p, {}, true).map((entry) => ({ entry, state: {} }))];
};

const memoryHealth: Command = async (server, p, _op, tool) => {
  const shown = reportable(server, p);
  await reads(server, p, tool, {}, shown, (structured) => expect(structured).toMatchObject({ quarantined: [] }));
};

export const omnReads: Record<string, Command> = {
  omn_retrieve_memory: retrieve, search, fetch: fetchOne, omn_list_memories: list, omn_export_memories: exportAll,
  omn_memory_stats: stats, omn_memory_health: memoryHealth, omn_health_check: health, omn_get_stats: savings, omn_compress_text: compressed,
};

