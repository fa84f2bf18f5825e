import { beforeEach, describe, expect, test } from "vitest";
import { rpc } from "../support/mcp.ts";
import { indexed, newTeam, type Person } from "../support/team.ts";

let ada: Person;
beforeEach(async () => {
  ada = (await newTeam()).owner;
});

const call = async (name: string, args: Record<string, unknown>): Promise<Record<string, any>> => {
  const { body } = await rpc(ada.token, "tools/call", { name, arguments: args }, "?surface=all&project=shop");
  expect(body.result?.isError, JSON.stringify(body)).toBeUndefined();
  return body.result.structuredContent;
};

/** What a memory says, as far as a family has a place for it; undefined where it has none. */
interface Said {
  key?: string | null;
  content: unknown;
  tags?: string[];
  importance?: number;
  type?: string;
  namespace?: string;
  visibility?: string;
  expiry?: number | undefined;
}

/** What the rules derive where nobody said a type: notes of Mnemosyne are enriched, the other vocabularies show what was said. */
const derivedType = "entity";

const text = "PostgreSQL runs the billing ledger.";
const value = { engine: "PostgreSQL", nodes: 3 };
const expiry = "2099-01-01T00:00:00.000Z";
const at = Date.parse(expiry);
const hour = 3_600;

/** How each family writes, with all that it has a place for. */
const writers: Record<string, { write(): Promise<string>; said: Said }> = {
  omn: {
    write: async () => (await call("omn_store_memory", { key: "ledger", content: text, type: "architecture_decision", metadata: { tags: ["db"], importance: 0.8, scope: "shared", expiry } }))["memory_id"],
    said: { key: "ledger", content: text, tags: ["db"], importance: 0.8, type: "architecture_decision", namespace: "project:shop", visibility: "shared", expiry: at },
  },
  "token-saver": {
    write: async () => (await call("write_memory", { key: "ledger", value, scope: "shared", tags: ["db"], ttl: hour }))["id"],
    said: { key: "ledger", content: value, tags: ["db"], namespace: "project:shop", visibility: "shared" },
  },
  "kom, a context": {
    write: async () => (await call("save_context", { key: "ledger", content: value, tags: ["db"], ttl_seconds: hour }))["id"],
    said: { key: "ledger", content: value, tags: ["db"], namespace: "project:shop", visibility: "private" },
  },
  "kom, a text": {
    write: async () => (await call("upsert_memory", { items: [{ id: "ledger", text, metadata: { tags: ["db"], importance: 0.8, scope: "shared", expiry } }] }))["ids"][0],
    said: { key: "ledger", content: text, tags: ["db"], importance: 0.8, namespace: "project:shop", visibility: "shared", expiry: at },
  },
  mnemosyne: {
    write: async () => (await call("mnemosyne_remember", { content: text, importance: 8, memory_type: "ArchitectureDecision", tags: ["db"], scope: "shared", expires_at: expiry }))["memory_id"],
    said: { key: null, content: text, tags: ["db"], importance: 0.8, type: "architecture_decision", namespace: "project:shop", visibility: "shared", expiry: at },
  },
};

const instant = (iso: string | undefined): number | undefined => (iso === undefined ? undefined : Date.parse(iso));

/** How each family reads; only what the family can say is answered. */
const readers: Record<string, (id: string) => Promise<Partial<Said> & { created?: number | undefined }>> = {
  omn: async (id) => {
    const [memory] = (await call("omn_retrieve_memory", { id }))["memories"];
    const { tags, importance = 0.5, scope = "private", expiry } = memory.metadata;
    return { key: memory.key ?? null, content: memory.value ?? memory.content, tags, importance, type: memory.type ?? "standard", namespace: memory.namespace, visibility: scope, expiry: instant(expiry), created: instant(memory.created_at) };
  },
  "token-saver": async (id) => {
    const found = [...(await call("list_memories", { limit: 100 }))["memories"]].find((memory) => memory.id === id);
    const { metadata } = found;
    return { key: found.key, content: found.value, tags: metadata.tags, visibility: found.scope === "shared" ? "shared" : "private", created: instant(metadata.created_at), ...(metadata.ttl === undefined ? {} : { expiry: Date.parse(metadata.updated_at) + metadata.ttl * 1_000 }) };
  },
  chatgpt: async (id) => {
    const document = await call("fetch", { id });
    return { content: parsed(document["text"]), tags: document["metadata"].tags, namespace: document["metadata"].namespace, visibility: document["metadata"].scope ?? "private" };
  },
  kom: async (id) => {
    const item = (await call("recall_context", { limit: 100 }))["items"].find((one: { id: string }) => one.id === id);
    return { key: item.key ?? null, content: item.content, tags: item.tags, importance: item.importance ?? 0.5, type: item.type ?? "standard", namespace: item.namespace, visibility: item.scope ?? "private", expiry: instant(item.expires_at), created: instant(item.created_at) };
  },
  "kom by search": async (id) => {
    const match = (await call("search_memory", { query: { text: "PostgreSQL", k: 10 } }))["matches"].find((one: { id: string }) => one.id === id);
    return { key: match.key ?? null, content: parsed(match.text), tags: match.metadata.tags, importance: match.metadata.importance ?? 0.5, type: match.type ?? "standard", namespace: match.namespace, visibility: match.scope ?? "private", expiry: instant(match.expires_at) };
  },
  mnemosyne: async (id) => {
    const [note] = (await call("mnemosyne_context", { memory_ids: [id] }))["memories"];
    const snake = (name: string): string => name.replaceAll(/(?!^)[A-Z]/g, "_$&").toLowerCase();
    return { key: note.key ?? null, content: parsed(note.content), tags: note.tags, importance: note.importance / 10, type: snake(note.memory_type), namespace: note.namespace, visibility: note.scope ?? "private", expiry: instant(note.expires_at), created: instant(note.created_at) };
  },
};

/** A family without values shows the JSON of one. */
function parsed(content: string): unknown {
  return content.startsWith("{") ? JSON.parse(content) : content;
}

describe("a memory written in one vocabulary is read in every other [A1] [B1] [E1]", () => {
  for (const [family, { write, said }] of Object.entries(writers)) {
    test.each(Object.keys(readers))(`${family} to %s`, async (reader) => {
      const before = Date.now();
      const id = await write();
      await indexed(ada.principal);
      const { created, expiry: until, ...read } = await (readers[reader] as (typeof readers)[string])(id);
      const isDerived = family === "kom, a text" && reader === "mnemosyne";
      const { expiry: wanted, ...expected } = { importance: 0.5, type: isDerived ? derivedType : "standard", ...said };
      expect(read).toEqual(Object.fromEntries(Object.entries(expected).filter(([name]) => name in read)));
      if (created !== undefined) expect(created).toBeGreaterThanOrEqual(before);
      // A time to live ends an hour after the write.
      if (until !== undefined) expect(Math.abs(until - (wanted ?? before + hour * 1_000))).toBeLessThan(10_000);
    });
  }

  test.each([
    ["omn_update_memory", (id: string) => ({ id, content: "MySQL runs it." })],
    ["mnemosyne_update", (id: string) => ({ memory_id: id, content: "MySQL runs it." })],
    ["upsert_memory", (id: string) => ({ items: [{ id, text: "MySQL runs it." }] })],
  ])("a value that %s replaces by a text is that text in every vocabulary", async (name, args) => {
    const id = (await call("write_memory", { key: "ledger", value }))["id"];
    await call(name, args(id));
    // The search of the other tests asks for what it said before.
    const { "kom by search": _, ...byName } = readers;
    const read = await Promise.all(Object.values(byName).map(async (reader) => (await reader(id)).content));
    expect(read).toEqual(read.map(() => "MySQL runs it."));
  });

  test.each([
    ["omn_forget_memory", async (id: string) => call("omn_forget_memory", { id, confirm: (await call("omn_forget_memory", { id }))["confirm"] })],
    ["mnemosyne_delete", (id: string) => call("mnemosyne_delete", { memory_id: id })],
    ["delete_memory", () => call("delete_memory", { key: "ledger" })],
  ])("what %s archives is gone in every vocabulary", async (_name, forget) => {
    const id = (await call("save_context", { key: "ledger", content: text }))["id"];
    await forget(id);
    expect((await call("omn_retrieve_memory", { id }))["memories"]).toEqual([]);
    expect((await call("read_memory", { key: "ledger" }))["memory"]).toBeNull();
    expect((await call("recall_context", { key: "ledger" }))["items"]).toEqual([]);
    expect((await call("search_memory", { query: { text: "PostgreSQL ledger" } }))["matches"]).toEqual([]);
    expect((await call("mnemosyne_context", { memory_ids: [id] }))["missing"]).toEqual([id]);
    expect((await call("search", { query: "PostgreSQL ledger" }))["results"]).toEqual([]);
  });
});
