import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds, type Person, type TestClient } from "./support/clients.ts";
import { opener } from "./support/opened.ts";
import { Product } from "./support/product.ts";

let product: Product;
beforeAll(async () => {
  product = await Product.start();
});
afterAll(() => product.remove());

describe.each(kinds)("%s [A1] [S2]", (kind, connect) => {
  const asked: string[] = [];
  const opened = opener(connect, () => product);
  const open = (person?: Person): Promise<TestClient> => opened(person && ((question, choices) => (asked.push(question), person(question, choices))));
  const key = (name: string): string => `${kind.replaceAll(/\W+/g, "-")}.${name}`;
  const store = async (client: TestClient, name: string): Promise<string> =>
    (await client.call("omn_store_memory", { key: key(name), content: `The ${name} of ${kind} hangs in the hall.` })).structured["memory_id"];
  const isThere = async (client: TestClient, id: string): Promise<boolean> => ((await client.call("omn_retrieve_memory", { id })).structured["memories"] as { archived_at?: string }[]).some((memory) => memory.archived_at === undefined);

  test("a person who says yes has forgotten what the question names", async () => {
    const client = await open(async () => "yes");
    const id = await store(client, "lantern");
    const answer = await client.call("omn_forget_memory", { key: key("lantern") });
    expect(asked.at(-1)).toContain(key("lantern"));
    expect(asked.at(-1)).toContain("archive would remove 1");
    expect(answer.structured).toMatchObject({ outcome: "archived", memory_ids: [id] });
    expect(await isThere(client, id)).toBe(false);
  });

  test.each(["no", "dismissed"] as const)("after %s everything is as it was, and the model gets no token to go ahead with", async (reply) => {
    const client = await open(async () => reply);
    const id = await store(client, `curtain-${reply}`);
    const answer = await client.call("omn_forget_memory", { key: key(`curtain-${reply}`) });
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining("said no") });
    expect(answer.text).not.toContain("confirm:");
    expect(await isThere(client, id)).toBe(true);
  });

  test("what changes while the person thinks is shown to them again", async () => {
    const other = await open();
    const count = asked.length;
    const client = await open(async () => {
      if (asked.length === count + 1) await other.call("omn_update_memory", { key: key("mirror"), content: "The mirror is cracked." });
      return "yes";
    });
    const id = await store(client, "mirror");
    const answer = await client.call("omn_forget_memory", { key: key("mirror") });
    expect(asked.slice(count)).toHaveLength(2);
    expect(asked.at(-1)).toContain("The mirror is cracked.");
    expect(answer.structured).toMatchObject({ outcome: "archived", memory_ids: [id] });
  });

  const changes: Record<string, (id: string, name: string, content: string) => Record<string, unknown>> = {
    omn_update_memory: (id, _, content) => ({ id, content, expected_version: 1 }),
    mnemosyne_update: (memory_id, _, content) => ({ memory_id, content, expected_version: 1 }),
    memory_update: (memory_id, _, data) => ({ memory_id, data, version: 1 }),
    write_memory: (_, name, value) => ({ key: name, value, scope: "global", expected_version: 1 }),
  };

  describe.each(Object.entries(changes))("a conflict of versions in %s", (tool, argumentsOf) => {
    const conflicting = async (name: string, person?: Person) => {
      const client = await open(person);
      // A client that knows the tools checks every answer against the schema of its tool.
      await client.listTools();
      const id = await store(client, `${name}-${tool}`);
      await (await open()).call("omn_update_memory", { id, content: `The ${name} was sold.` });
      const answer = await client.call(tool, argumentsOf(id, key(`${name}-${tool}`), `The ${name} is in the cellar.`));
      const now = (await client.call("omn_retrieve_memory", { id })).structured["memories"][0] as { content: string };
      return { answer, now: now.content };
    };

    test("asks the person which one to keep, and writes the change when they want it", async () => {
      const offered: string[][] = [];
      const { answer, now } = await conflicting("carpet", async (_, choices) => (offered.push([...choices]), { choose: choices[1] ?? "" }));
      expect(asked.at(-1)).toContain("The carpet was sold.");
      expect(asked.at(-1)).toContain("The carpet is in the cellar.");
      expect(offered).toEqual([["Keep what is stored", "Write the change over it"]]);
      expect(answer.isError).toBe(false);
      expect(answer.text).toMatch(/updated|UPDATE/);
      expect(now).toBe("The carpet is in the cellar.");
    });

    test.each([
      ["keeps what is stored", async (_: string, choices: readonly string[]) => ({ choose: choices[0] ?? "" })],
      ["says no", async () => "no" as const],
      ["answers what nobody offered", async () => ({ choose: "both" })],
    ] satisfies [string, Person][])("leaves everything as it is when the person %s", async (how, person) => {
      const { answer, now } = await conflicting(`stool-${how.length}`, person);
      expect(answer.text).toContain("nothing was changed");
      expect(answer.text).not.toContain("expected_version");
      expect(now).toContain("was sold");
    });

    test("is the answer itself where the client cannot ask", async () => {
      const { answer, now } = await conflicting("shelf");
      expect(answer.isError).toBe(true);
      expect(answer.text).toMatch(/conflict/i);
      expect(now).toContain("was sold");
    });
  });

  test("memory_delete_all asks, too; after a no nothing is gone and the model has no token", async () => {
    const agent = key("agent").replaceAll(/\W/g, "_");
    const answers: ("yes" | "no")[] = ["no", "yes"];
    const client = await open(async () => answers.shift() ?? "no");
    const added = await client.call("memory_add", { messages: `The wardrobe of ${kind} is oak.`, agent_id: agent, mode: "direct" });
    expect(added.text).toMatch(/^ADD /);
    const refused = await client.call("memory_delete_all", { agent_id: agent });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("said no") });
    expect(asked.at(-1)).toContain("wardrobe");
    expect((await client.call("memory_get_all", { agent_id: agent })).text).toContain("wardrobe");
    expect((await client.call("memory_delete_all", { agent_id: agent })).structured).toMatchObject({ data: { success_count: 1 } });
    expect((await client.call("memory_get_all", { agent_id: agent })).text).not.toContain("wardrobe");
    const plain = await open();
    await plain.call("memory_add", { messages: `The bench of ${kind} is ash.`, agent_id: agent, mode: "direct" });
    expect((await plain.call("memory_delete_all", { agent_id: agent })).structured).toMatchObject({ data: { event: "PREVIEW", confirm: expect.any(String) } });
  });

  test("a revert is asked for in the same way, and a client that cannot ask gets the confirm token", async () => {
    const client = await open(async () => "yes");
    const id = await store(client, "candle");
    const exported = await client.call("omn_export_memories", { include_history: false, limit: 1_000 });
    const records = (exported.structured["data"] as string).trim().split("\n").map((line) => JSON.parse(line) as Record<string, string>);
    const { created_tool: tool, created_at: since } = records.find((record) => record["id"] === id) as Record<string, string>;
    expect((await client.call("omn_revert", { tool, since })).structured).toMatchObject({ outcome: "reverted", count: 1 });
    expect(asked.at(-1)).toContain("It would archive 1");

    const plain = await open();
    await store(plain, "ladder");
    const preview = await plain.call("omn_forget_memory", { key: key("ladder") });
    expect(preview.structured).toMatchObject({ outcome: "preview", count: 1, confirm: expect.any(String) });
  });
});
