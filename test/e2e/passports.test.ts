import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tampered } from "../support/changes.ts";
import { kinds, tools, type TestClient } from "./support/clients.ts";
import { Product } from "./support/product.ts";

const query = "?surface=all&project=github.com/acme/shop";
const context = {
  files_accessed: [{ path: "src/billing/db.ts", importance: 1 }],
  recent_searches: ["which database for billing"],
  decisions: ["We use PostgreSQL for billing because of its transactions."],
  workflow_state: { current_task: "implement login" },
};

/** Two servers of different people, each with keys of its own. */
let home: Product;
let abroad: Product;
const clients: TestClient[] = [];
const opened = async (client: Promise<TestClient>): Promise<TestClient> => {
  clients.push(await client);
  return client;
};
/** The passport of a session that claude-code began and cursor went on with. */
let passport: Record<string, unknown>;
let url: string;

beforeAll(async () => {
  [home, abroad] = await Promise.all([Product.start(), Product.start()]);
  const claude = await opened(tools["claude-code"](home, query));
  await claude.call("omn_retrieve_memory", { query: "which database for billing" });
  await claude.call("omn_store_memory", { key: "billing.decision", content: "We use PostgreSQL for billing because of its transactions.", citations: [{ path: "src/billing/db.ts" }] });
  await claude.call("write_memory", { key: "current.task", value: "implement login" });
  const first = (await claude.call("omn_export_session")).structured;
  const cursor = await opened(tools.cursor(home, query));
  await cursor.call("omn_restore_session", { passport: first["passport"] });
  ({ passport, export_url: url } = (await cursor.call("omn_export_session")).structured as { passport: Record<string, unknown>; export_url: string });
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await Promise.all([home.remove(), abroad.remove()]);
});

describe("a passport of another server [A5]", () => {
  test("goes from claude-code by cursor to vscode there, once its person trusts the server that signed it", async () => {
    const asked: string[] = [];
    const [, connect] = kinds[0] ?? [];
    if (!connect) throw new Error("There is no client");
    const wary = await opened(connect(abroad, query, async (question) => (asked.push(question), "no")));
    expect(await wary.call("omn_restore_session", { passport, tool_id: "vscode" })).toMatchObject({ isError: true, text: expect.stringContaining("said no") });
    expect((await wary.call("omn_get_session_context", {})).structured).not.toMatchObject({ context });

    const trusting = await opened(connect(abroad, query, async (question) => (asked.push(question), "yes")));
    const restored = await trusting.call("omn_restore_session", { passport, tool_id: "vscode" });
    expect(asked).toHaveLength(2);
    expect(asked[1]).toContain(home.pagesOrigin);
    expect(asked[1]).toContain("files: 1, searches: 1, decisions: 1, tasks: 1");
    expect(asked[1]).not.toContain("PostgreSQL");
    expect(restored.structured).toMatchObject({ original_tool: "claude-code", previous_tool: "cursor", tool_id: "vscode", project_id: "github.com/acme/shop", migration_count: 2, context });
    expect(restored.text).toContain("src/billing/db.ts");

    // Asked once: a client that shows no forms is let in by the same trust, and what it does goes on in the same session.
    const vscode = await opened(tools.vscode(abroad, query));
    const again = await vscode.call("omn_restore_session", { passport: JSON.stringify(passport) });
    expect(again.structured).toMatchObject({ session_id: restored.structured["session_id"], context });
    const { structured } = await vscode.call("omn_get_session_context", { session_id: restored.structured["session_id"] });
    expect(structured["migrations"]).toMatchObject([{ from_tool: "cursor", to_tool: "vscode", passport_used: true }, { passport_used: true }]);
  });

  test("is refused on both servers when anything in it is changed", async () => {
    const [here, there] = [await opened(tools.vscode(home, query)), await opened(tools.vscode(abroad, query))];
    let places = 0;
    for (const [path, document] of tampered(passport)) {
      for (const [where, client] of [["at home", here], ["abroad", there]] as const) {
        const { structured, error } = await client.call("omn_restore_session", { passport: document });
        // With another address in it, it asks for trust in that one, and imports nothing.
        if (structured["outcome"] === "untrusted") expect([path, structured["session_id"]]).toEqual([".issuer", undefined]);
        else expect(error?.code, `${path} ${where}`).toBe("VALIDATION_ERROR");
      }
      places += 1;
    }
    expect(places).toBeGreaterThan(60);
  });
});

test("the link of a session is taken by the next tool as it is, once, and means nothing to another server [A5]", async () => {
  const [here, there] = [await opened(tools.vscode(home, query)), await opened(tools.vscode(abroad, query))];
  expect(url).toMatch(new RegExp(`^${home.pagesOrigin}/claim/`));
  expect((await there.call("omn_restore_session", { passport: url })).error?.code).toBe("NOT_FOUND");
  expect((await here.call("omn_restore_session", { passport: url })).structured).toMatchObject({ session_id: passport["session_id"], original_tool: "claude-code", previous_tool: "cursor", context });
  expect((await here.call("omn_restore_session", { passport: url })).error?.code).toBe("NOT_FOUND");
});
