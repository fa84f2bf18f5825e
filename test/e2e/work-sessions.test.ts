import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BenchClient } from "../bench/client.ts";
import { Product as Killable } from "./durability-product.ts";
import { tools } from "./support/clients.ts";
import { Product } from "./support/product.ts";

describe("a session that a person carries from tool to tool [A4] [A5]", () => {
  let product: Product;
  beforeAll(async () => {
    product = await Product.start();
  });
  afterAll(() => product.remove());

  test("claude-code, cursor and vscode go on with it by two passports, the server restarted in between", async () => {
    const query = "?surface=all&project=github.com/acme/shop";
    const claude = await tools["claude-code"](product, query);
    await claude.call("omn_retrieve_memory", { query: "which database for billing" });
    await claude.call("omn_store_memory", { key: "billing.decision", content: "We use PostgreSQL for billing because of its transactions.", citations: [{ path: "src/billing/db.ts" }] });
    await claude.call("write_memory", { key: "current.task", value: "implement login" });
    const first = (await claude.call("omn_export_session")).structured;
    await claude.close();

    const cursor = await tools.cursor(product, query);
    const inCursor = await cursor.call("omn_restore_session", { passport: JSON.stringify(first["passport"]) });
    await cursor.call("omn_retrieve_memory", { query: "login form" });
    const second = (await cursor.call("omn_export_session", { passphrase: "correct horse battery" })).structured;
    await cursor.close();
    await product.restart();

    const vscode = await tools.vscode(product, query);
    const inCode = await vscode.call("omn_restore_session", { passport: second["passport"], passphrase: "correct horse battery" });
    const shown = (await vscode.call("omn_get_session_context")).structured;
    expect(inCursor.structured).toMatchObject({ session_id: first["session_id"], previous_tool: "claude-code", project_id: "github.com/acme/shop" });
    expect(inCode.structured).toMatchObject({ session_id: first["session_id"], original_tool: "claude-code", previous_tool: "cursor" });
    expect(shown).toMatchObject({
      session_id: first["session_id"],
      tool_id: "vscode",
      migration_count: 2,
      context: {
        files_accessed: [{ path: "src/billing/db.ts", importance: 1 }],
        recent_searches: ["login form", "which database for billing"],
        decisions: ["We use PostgreSQL for billing because of its transactions."],
        workflow_state: { current_task: "implement login" },
      },
      migrations: [{ from_tool: "claude-code", to_tool: "cursor" }, { from_tool: "cursor", to_tool: "vscode" }],
    });
    expect(inCode.text).toContain("implement login");
    await vscode.close();
  });
});

describe("a server that is killed [A4]", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "omnimemory-sessions-"));
  let product: Killable | undefined;
  afterAll(async () => {
    await product?.kill();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test("has what a session tool answered, and what was noted a second before", async () => {
    const start = async (): Promise<(name: string, args?: Record<string, unknown>) => Promise<Record<string, any>>> => {
      product = await Killable.start(dataDir);
      const client = new BenchClient(product.access.url, product.access.apiKey);
      return async (name, args = {}) => (await client.callTool(name, args)).result.structuredContent ?? {};
    };
    const call = await start();
    await call("omn_retrieve_memory", { query: "which database for billing" });
    const { session_id: id } = await call("omn_get_session_context");
    await call("omn_retrieve_memory", { query: "login form" });
    // The object gathers what calls note for a second before it stores it.
    await sleep(3_000);
    await product?.kill();

    const again = await start();
    expect(await again("omn_get_session_context")).toMatchObject({ session_id: id, context: { recent_searches: ["login form", "which database for billing"] } });
  });
});
