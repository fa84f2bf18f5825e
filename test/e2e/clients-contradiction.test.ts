import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds, type Person } from "./support/clients.ts";
import { opener, unwilling } from "./support/opened.ts";
import { Product } from "./support/product.ts";

let product: Product;
beforeAll(async () => {
  product = await Product.start();
  await product.withoutCurator();
});
afterAll(() => product.remove());

const titles = ["Both stand", "The new one replaces what was there", "Keep what was there, archive the new one"];

describe.each(kinds)("%s: which of two memories holds is the person's to decide [A1] [S2]", (kind, connect) => {
  const open = opener(connect, () => product);
  let pairs = 0;

  /** Two memories of which the second contradicts the first. */
  async function contradicting(person?: Person, tool = "omn_store_memory") {
    const client = await open(person);
    const now = async (id: string) => ((await client.call("omn_retrieve_memory", { id })).structured["memories"] as { superseded_by?: string }[])[0];
    // A store does not wait long for what is alike: where the machine is slow, another pair is stored.
    for (;;) {
      // A matter and a project of its own: the search looks at the whole team.
      const portal = `${kind.replaceAll(/[^a-z]/g, "")}${[...String((pairs += 1))].map((digit) => "abcdefghij"[Number(digit)]).join("")}`;
      const place = tool === "write_memory" ? { scope: "project", project: portal } : { namespace: `project:${portal}` };
      const old = (await client.call("omn_store_memory", { content: `The upload limit of the ${portal} portal is 25 MB.`, key: `${portal}.old`, namespace: `project:${portal}` })).structured["memory_id"] as string;
      const fresh = `The upload limit of the ${portal} portal is 50 MB.`;
      const answer = await client.call(tool, { key: `${portal}.new`, ...place, ...(tool === "write_memory" ? { value: fresh } : { content: fresh }) });
      if (answer.structured["similar"]) return { client, portal, old, answer, now, fresh: String(answer.structured["memory_id"] ?? answer.structured["id"]) };
    }
  }

  test("the new one replaces the old one when they say so, which can be taken back", async () => {
    const asked: { question: string; choices: readonly string[] }[] = [];
    const { old, fresh, answer, now } = await contradicting(async (question, choices) => (asked.push({ question, choices }), { choose: titles[1] ?? "" }));
    expect(asked).toEqual([{ question: expect.stringMatching(/50 MB[\s\S]*25 MB/), choices: titles }]);
    expect(answer).toMatchObject({ isError: false, structured: { outcome: "created", memory_id: fresh } });
    expect(await now(old)).toMatchObject({ superseded_by: fresh });
    const request = /request: "([^"]+)" shows/.exec(answer.text)?.[1];
    const preview = await (await open()).call("omn_revert", { request });
    await (await open()).call("omn_revert", { request, confirm: preview.structured["confirm"] });
    expect(await now(old)).not.toHaveProperty("superseded_by");
  });

  test("the new one is archived when they keep the old one", async () => {
    const { client, old, fresh, answer, now } = await contradicting(async () => ({ choose: titles[2] ?? "" }));
    expect(answer).toMatchObject({ isError: false, structured: { outcome: "created" }, text: expect.stringContaining("archived") });
    expect(await now(fresh)).toBeUndefined();
    expect(await now(old)).not.toHaveProperty("superseded_by");
    await client.call("omn_update_memory", { id: fresh, archived: false });
    expect(await now(fresh)).toBeDefined();
  });

  test("both stand when they say so, and no health report names them again", async () => {
    const { client, old, fresh, answer, now } = await contradicting(async () => ({ choose: titles[0] ?? "" }));
    expect(answer).toMatchObject({ isError: false, structured: { outcome: "created" }, text: expect.stringContaining("both stand") });
    for (const id of [old, fresh]) expect(await now(id)).not.toHaveProperty("superseded_by");
    expect(JSON.stringify((await client.call("omn_memory_health", {})).structured["contradicted"])).not.toContain(fresh);
  });

  test.each(unwilling("lets both stand", titles[0] ?? "").slice(1))("a person who %s leaves both as they are, and the answer is as without forms", async (_how, person) => {
    const { old, fresh, now, ...asked } = await contradicting(person);
    const steady = ({ answer: { text }, portal }: Pick<typeof asked, "answer" | "portal">): string => text.replaceAll(portal, "PORTAL").replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\bid[ =]"?\d+/g, "ID");
    expect(steady(asked)).toBe(steady(await contradicting()));
    for (const id of [old, fresh]) {
      expect(await now(id)).toBeDefined();
      expect(await now(id)).not.toHaveProperty("superseded_by");
    }
  });

  test("what was changed while they thought stays as it is", async () => {
    const other = await open();
    const { old, fresh, answer, now } = await contradicting(async (question) => {
      const key = /(\S+\.old) \(/.exec(question)?.[1];
      await other.call("omn_update_memory", { key, content: "The upload limit of the portal was 25 MB in spring." });
      return { choose: titles[1] ?? "" };
    });
    expect(answer).toMatchObject({ isError: false, structured: { memory_id: fresh }, text: expect.stringContaining("could not be done") });
    expect(await now(old)).not.toHaveProperty("superseded_by");
  });

  test("write_memory asks, too", async () => {
    const { old, fresh, now } = await contradicting(async () => ({ choose: titles[1] ?? "" }), "write_memory");
    expect(await now(old)).toMatchObject({ superseded_by: fresh });
  });
});
