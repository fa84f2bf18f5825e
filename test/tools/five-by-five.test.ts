import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memoryTypes } from "../../src/domain/memories/memory-values.ts";
import { newTeam, type Person } from "../support/team.ts";
import { type Common, vocabularies, type Vocabulary, type Written } from "./family-vocabularies.ts";

const names = Object.keys(vocabularies);
const pairs = names.flatMap((writer) => names.map((reader) => [writer, reader] as const));
const of = (name: string): Vocabulary => vocabularies[name] as Vocabulary;
/** What a memory is where nobody says it. */
const unsaid = { key: null, importance: 0.5, type: "standard", visibility: "private", metadata: {}, expiry: undefined, secret: false, superseded: undefined, author: undefined } as const;

const year = 31_536_000_000;
const text = fc.constantFrom("PostgreSQL runs the billing ledger.", "Der Zug nach Köln fährt um 7 Uhr.", "<memory> & \"quotes\" \\ back", "第一行\n第二行 🦀", "a: b", "- a list\n- of two");
const tag = fc.constantFrom("db", "Größe", "two words", "日本", "a/b", "x-1");
const metadata = fc.dictionary(fc.constantFrom("source", "category", "checked", "Größe"), fc.oneof(fc.constantFrom("wiki", "food", "ü"), fc.boolean(), fc.integer({ min: -9, max: 9 })), { noNullPrototype: true }).map(({ category, ...rest }) => ({ ...rest, ...(category === undefined ? {} : { category: `of ${category}` }) }));

/** Anything that the writer has words for. */
const memories = ({ says, reaches }: Vocabulary, namespaces: readonly string[]): fc.Arbitrary<Written> => {
  const fields: { [K in keyof Common]?: fc.Arbitrary<Common[K]> } = {
    key: fc.constantFrom("project.ledger", "a b", "schlüssel.ü", "k"),
    importance: says.includes("type") && !says.includes("metadata") ? fc.integer({ min: 1, max: 10 }).map((ten) => ten / 10) : fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100),
    type: fc.constantFrom(...memoryTypes),
    visibility: fc.constantFrom("private", "shared"),
    expiry: fc.option(fc.integer({ min: 2, max: 40 }).map((years) => Math.round(Date.now() / 1_000) * 1_000 + years * year), { nil: undefined }),
    metadata,
  };
  const said = Object.fromEntries(Object.entries(fields).filter(([name]) => says.includes(name as keyof Common)));
  return fc.record({ content: text, tags: fc.uniqueArray(tag, { minLength: 1, maxLength: 4 }), namespace: fc.constantFrom(...namespaces.filter(reaches)), ...said }, { noNullPrototype: true }) as fc.Arbitrary<Written>;
};

/** As the reader says it: importance in tenths, and what has no place left out. */
function expected(read: Partial<Common>, said: Written, writer: Vocabulary, reader: Vocabulary): Partial<Common> {
  const whole: Record<string, unknown> = { ...unsaid, ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)), version: 1 };
  if (reader === vocabularies["mnemosyne"]) {
    whole["importance"] = Math.min(10, Math.max(1, Math.round((whole["importance"] as number) * 10))) / 10;
    // Notes show what the rules derive of what nobody said.
    for (const name of ["importance", "type"] as const) if (!writer.says.includes(name)) whole[name] = read[name];
  }
  return Object.fromEntries(Object.entries(whole).filter(([name]) => name in read && !["expiry", "metadata"].includes(name)));
}

/** A message keeps who spoke beside its own metadata. */
const ownMetadata = ({ role: _role, ...own }: Record<string, unknown>): Record<string, unknown> => own;

async function expectRead(reader: Vocabulary, writer: Vocabulary, who: Person, id: string, said: Written, since: number): Promise<void> {
  const read = await reader.read(who, id, said);
  const { created, updated, expiry, metadata: own, ...rest } = read;
  expect(rest).toEqual(expected(rest, said, writer, reader));
  expect(ownMetadata(own ?? {})).toEqual(said.metadata ?? {});
  expect(created).toBeGreaterThanOrEqual(since);
  expect(updated).toBe(created);
  // A time to live is told in seconds.
  if (said.expiry === undefined) expect(expiry).toBeUndefined();
  else expect(Math.abs((expiry ?? 0) - said.expiry)).toBeLessThan(5_000);
}

const places = ["global", "project:shop", "session:shop/s1", "thread:t1", "user:anna"];
/** `user_id` and the connection's project are the places of the memory-server document. */
const placesOf = (writer: string): string[] => (writer === "memory" ? ["global", "project:shop", "user:anna"] : writer === "token-saver" ? ["global", "project:shop", "session:shop/s1"] : places);
/** The shared scope of Token Saver is of a project. */
const isSayable = (writer: string, { namespace, visibility }: Written): boolean => writer !== "token-saver" || visibility !== "shared" || namespace.startsWith("project:");

describe("a memory written through one family is read alike through every other [A1] [B1] [C1] [D1] [E1]", () => {
  test.each(pairs)("%s to %s", async (from, to) => {
    const [writer, reader] = [of(from), of(to)];
    await fc.assert(
      fc.asyncProperty(memories(writer, placesOf(from)).filter((said) => reader.reaches(said.namespace) && isSayable(from, said)), async (said) => {
        const { owner } = await newTeam();
        const since = Math.floor(Date.now() / 1_000) * 1_000 - 1_000;
        await expectRead(reader, writer, owner, await writer.write(owner, said), said, since);
      }),
      { numRuns: 12 },
    );
  });
});

const shop = "project:shop";
const note = (key: string): Written => ({ key, content: "PostgreSQL runs the billing ledger.", namespace: shop, tags: ["db"], visibility: "shared" });
const stored = async (who: Person, said: Written): Promise<string> => of("omn").write(who, said);

describe("what becomes of a memory is the same through every family [B2] [C2] [D1] [E1]", () => {
  test.each(pairs)("changed through %s, it is the next version through %s", async (by, to) => {
    const { owner } = await newTeam();
    const id = await stored(owner, note("ledger"));
    expect(await of(by).change(owner, id, note("ledger"), "MySQL runs it now.", 1)).toBe(2);
    const read = await of(to).read(owner, id, note("ledger"));
    expect(read).toMatchObject({ content: "MySQL runs it now.", version: 2, tags: ["db"] });
    expect(read.updated).toBeGreaterThan(read.created ?? 0);
  });

  test.each(names.filter((name) => name !== "kom").flatMap((first) => names.filter((name) => name !== "kom").map((second) => [first, second] as const)))("changed through %s, a change of the version before is refused through %s", async (first, second) => {
    const { owner } = await newTeam();
    const id = await stored(owner, note("ledger"));
    await of(first).change(owner, id, note("ledger"), "MySQL runs it now.", 1);
    expect(await of(second).change(owner, id, note("ledger"), "SQLite runs it now.", 1)).toBeUndefined();
    for (const name of names) expect((await of(name).read(owner, id, note("ledger"))).content).toBe("MySQL runs it now.");
  });

  test.each(pairs)("what one shares through %s has their name for another through %s", async (from, to) => {
    const team = await newTeam();
    const grace = await team.join();
    const id = await of(from).write(grace, note("ledger"));
    expect((await of(to).read(team.owner, id, note("ledger"))).author).toBe("member");
    expect((await of(to).read(grace, id, note("ledger"))).author).toBeUndefined();
  });

  const forgets: Record<string, (who: Person, id: string) => Promise<unknown>> = {
    omn: async (who, id) => who.call("omn_forget_memory", { id, confirm: (await who.call("omn_forget_memory", { id })).structured["confirm"] }),
    "token-saver": (who) => who.call("delete_memory", { key: "ledger", scope: "shared", project_path: "shop" }),
    mnemosyne: (who, id) => who.call("mnemosyne_delete", { memory_id: id }),
    memory: (who, id) => who.call("memory_delete", { memory_id: id }),
  };
  test.each(Object.keys(forgets).flatMap((by) => names.map((to) => [by, to] as const)))("forgotten through %s, it is gone through %s, and comes back as it was", async (by, to) => {
    const { owner } = await newTeam();
    const id = await stored(owner, note("ledger"));
    await forgets[by]?.(owner, id);
    await expect(of(to).read(owner, id, note("ledger"))).rejects.toThrow(TypeError);
    await owner.call("omn_update_memory", { id, archived: false });
    expect(await of(to).read(owner, id, note("ledger"))).toMatchObject({ content: note("").content, tags: ["db"], version: 3 });
  });

  test.each(names)("what another memory superseded says so through %s", async (to) => {
    const { owner } = await newTeam();
    const earlier = { ...note("old"), visibility: "private" as const, content: "The billing service runs on PostgreSQL 15." };
    const id = await stored(owner, earlier);
    const later = await stored(owner, { ...earlier, key: "new", content: "We upgraded the billing service to PostgreSQL 17." });
    expect((await of(to).read(owner, id, earlier)).superseded).toBe(later);
    expect((await of(to).read(owner, later, earlier)).superseded).toBeUndefined();
  });

  test.each(["omn", "memory", "kom"].flatMap((from) => names.map((to) => [from, to] as const)))("a secret of %s is one through %s, and no list says it", async (from, to) => {
    const { owner } = await newTeam();
    const said: Written = { ...note("token"), visibility: "private", secret: true };
    const id = await of(from).write(owner, said);
    const read = await of(to).read(owner, id, said);
    expect(read.secret).toBe(true);
    // By its id; the others list.
    if (["omn", "mnemosyne"].includes(to)) expect(read.content).toBe(said.content);
    else expect(read.content).toMatch(/^\[secret/);
  });

  test.each([
    ["read_memory", { key: "token", project_path: "shop" }],
    ["recall_context", { key: "token", namespace: shop }],
  ])("%s opens a secret by its exact key", async (tool, args) => {
    const { owner } = await newTeam();
    await stored(owner, { ...note("token"), visibility: "private", secret: true });
    const { text } = await owner.call(tool, args);
    expect(text).toContain(note("").content);
    expect(text).toContain('"sensitivity":"secret"');
  });
});

describe("links are the same through every family that has them [C2] [D3]", () => {
  const link = { type: "extends", strength: 0.6, reason: "same module" };
  const ties: Record<string, (who: Person, from: string, to: string) => Promise<unknown>> = {
    omn: (who, id, to) => who.call("omn_update_memory", { id, links: [{ to, ...link }] }),
    mnemosyne: (who, id, to) => who.call("mnemosyne_update", { memory_id: id, links: [{ target_id: to, link_type: "Extends", strength: 0.6, reason: "same module" }] }),
  };
  const looks: Record<string, (who: Person, id: string) => Promise<unknown>> = {
    omn: async (who, id) => (await who.call("omn_retrieve_memory", { id, include: ["links"] })).structured["memories"][0].links,
    mnemosyne: async (who, id) => (await who.call("mnemosyne_graph", { seed_ids: [id] })).structured["links"],
    memory: async (who, id) => (await who.call("memory_graph", { memory_id: id })).structured["data"].links,
  };
  test.each(Object.keys(ties).flatMap((by) => Object.keys(looks).map((to) => [by, to] as const)))("%s to %s", async (by, to) => {
    const { owner } = await newTeam();
    const [source, target] = [await stored(owner, note("source")), await stored(owner, { ...note("target"), content: "Darjeeling is brewed for four minutes." })];
    await ties[by]?.(owner, source, target);
    const shown = JSON.stringify(await looks[to]?.(owner, source));
    for (const part of [target, "0.6", "same module"]) expect(shown).toContain(part);
    expect(shown).toMatch(/"extends"|"Extends"/);
  });
});
