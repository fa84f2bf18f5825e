import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds, type TestClient } from "./support/clients.ts";
import { opener, unwilling } from "./support/opened.ts";
import { Product } from "./support/product.ts";

let product: Product;
beforeAll(async () => {
  product = await Product.start();
});
afterAll(() => product.remove());

const titles = ["Keep it private", "Share it with your team"];

describe.each(kinds)("%s: whether others see a private memory is the person's to say [A13] [S2]", (kind, connect) => {
  const open = opener(connect, () => product);
  let notes = 0;
  const noted = async (client: TestClient, more: Record<string, unknown> = {}): Promise<string> =>
    (await client.call("omn_store_memory", { key: `${kind.replaceAll(/\W+/g, "-")}.note_${(notes += 1)}`, content: `Note ${notes} of ${kind}.`, ...more })).structured["memory_id"];
  const seen = async (id: string): Promise<Record<string, any>> => (await (await open()).call("omn_retrieve_memory", { id })).structured["memories"][0];
  const scopeOf = async (id: string): Promise<string> => (await seen(id))["metadata"]?.["scope"] ?? "private";
  const shared = { metadata: { scope: "shared" } };

  test.each([
    ["omn_update_memory", (id: string) => ({ id, content: "Note for all.", ...shared })],
    ["memory_update", (memory_id: string) => ({ memory_id, data: "Note for all.", ...shared })],
  ])("%s: once they agree, the team sees it", async (name, argsOf) => {
    const asked: { question: string; choices: readonly string[] }[] = [];
    const client = await open(async (question, choices) => (asked.push({ question, choices }), { choose: titles[1] ?? "" }));
    const id = await noted(client);
    const answer = await client.call(name, argsOf(id));
    expect(asked).toEqual([{ question: expect.stringContaining("Note for all."), choices: titles }]);
    expect(answer).toMatchObject({ isError: false, text: expect.stringContaining("shares it") });
    expect(await seen(id)).toMatchObject({ content: "Note for all.", version: 3, metadata: { scope: "shared" } });
  });

  test.each(unwilling("keeps it private", titles[0] ?? ""))("a person who %s keeps it to themselves, and the rest of the change holds", async (_how, person) => {
    const client = await open(person);
    const id = await noted(client);
    const answer = await client.call("omn_update_memory", { id, content: "Changed.", ...shared });
    expect(answer).toMatchObject({ isError: false, structured: { outcome: "updated", version: 2 }, text: expect.stringContaining("stays private") });
    expect(await seen(id)).toMatchObject({ content: "Changed.", version: 2 });
    expect(await scopeOf(id)).toBe("private");
  });

  test("what was changed while they thought stays private", async () => {
    const other = await open();
    let id = "";
    const client = await open(async () => (await other.call("omn_update_memory", { id, content: "Something else by now." }), { choose: titles[1] ?? "" }));
    id = await noted(client);
    expect((await client.call("omn_update_memory", { id, ...shared })).text).toContain("could not be done");
    expect(await scopeOf(id)).toBe("private");
  });

  test("nobody is asked where others see it already, where it is stored for them, or where it becomes private", async () => {
    const questions: string[] = [];
    const client = await open(async (question) => (questions.push(question), "no"));
    const id = await noted(client, shared);
    expect((await client.call("omn_update_memory", { id, content: "For all, again.", ...shared })).structured).toMatchObject({ outcome: "updated" });
    expect(await scopeOf(id)).toBe("shared");
    await client.call("omn_update_memory", { id, metadata: { scope: "private" } });
    expect(await scopeOf(id)).toBe("private");
    expect(questions).toEqual([]);
  });

  test("a client without forms shares at once", async () => {
    const client = await open();
    const id = await noted(client);
    expect((await client.call("omn_update_memory", { id, ...shared })).structured).toMatchObject({ outcome: "updated" });
    expect(await scopeOf(id)).toBe("shared");
  });
});
