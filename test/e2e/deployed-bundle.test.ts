import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { build } from "../../scripts/build.ts";
import { wrangler } from "../../scripts/wrangler.ts";
import type { WorkerModule } from "../../src/launcher/bundle.ts";
import { projectRoot } from "../../src/launcher/project.ts";
import { kinds } from "./support/clients.ts";
import { Product } from "./support/product.ts";

const scratch = mkdtempSync(join(tmpdir(), "omnimemory-deployed-"));
const built = new Map<string, string>();

/** What wrangler would upload of a Worker: minified, with the aliases of its file. */
async function asDeployed(config: string): Promise<WorkerModule[]> {
  const folder = join(scratch, "upload", config);
  await wrangler(...(await build(config, join(scratch, "build", config))), "--dry-run", "--outdir", folder);
  const main = readFileSync(join(folder, "index.js"), "utf8");
  built.set(config, main);
  const others = readdirSync(folder).filter((name) => !/\.(?:map|md|js)$/.test(name));
  return [
    { type: "ESModule", path: "index.js", contents: main },
    ...others.map((path): WorkerModule => ({ type: path.endsWith(".wasm") ? "CompiledWasm" : "Data", path, contents: new Uint8Array(readFileSync(join(folder, path))) })),
  ];
}

vi.mock("../../src/launcher/bundle.ts", async (original) => {
  const { bundleWorker } = await original<typeof import("../../src/launcher/bundle.ts")>();
  const configs = new Map([[join(projectRoot, "src", "index.ts"), "wrangler.toml"], [join(projectRoot, "src", "curator", "index.ts"), "wrangler.curator.toml"]]);
  return {
    // The stand-ins for what Cloudflare has are not deployed.
    bundleWorker: (entry: string) => {
      const config = configs.get(entry);
      return config === undefined ? bundleWorker(entry) : asDeployed(config);
    },
  };
});

let product: Product;
beforeAll(async () => {
  product = await Product.start();
});
afterAll(async () => {
  await product.remove();
  rmSync(scratch, { recursive: true, force: true });
});

test("both Workers run as they are deployed [F8]", () => {
  expect([...built.keys()].sort()).toEqual(["wrangler.curator.toml", "wrangler.toml"]);
  for (const [config, main] of built) expect(main, `${config} is minified`).not.toMatch(/^\/\/ src\//m);
});

test.each(kinds)("%s stores, finds, changes, lists, exports and erases through the deployed bundle [F8] [A1]", async (kind, connect) => {
  const client = await connect(product, "?surface=all");
  const slug = kind.replaceAll(/\W+/g, "_");
  const namespace = `project:${slug}`;
  try {
    expect((await client.listTools()).length).toBeGreaterThan(50);
    const stored = await client.call("omn_store_memory", { content: "The invoices are sent by Zuzana on the third working day.", namespace, metadata: { tags: ["billing"] } });
    const id = stored.structured["memory_id"];
    const find = async (query: string): Promise<string[]> =>
      (await client.call("omn_retrieve_memory", { query, filters: { namespace } })).structured["memories"].map(({ memory_id }: { memory_id: string }) => memory_id);
    expect(await find("who sends the invoices")).toEqual([id]);
    expect((await client.call("omn_update_memory", { id, content: "The invoices are sent by Okonkwo on the first working day." })).structured).toMatchObject({ version: 2 });
    expect(await find("Okonkwo")).toEqual([id]);
    const added = await client.call("memory_add", { messages: [{ role: "user", content: "I live in Kiel and my dog is called Rex." }], user_id: slug });
    expect(added.isError, added.text).toBe(false);
    expect((await client.call("memory_search", { query: "where does the user live", user_id: slug })).text).toContain("Kiel");
    expect((await client.call("omn_list_memories", { filters: { namespace } })).structured["memories"]).toHaveLength(1);
    expect((await client.call("omn_export_memories", {})).structured["data"]).toContain("Okonkwo");
    const { confirm } = (await client.call("omn_forget_memory", { id, mode: "erase" })).structured;
    expect((await client.call("omn_forget_memory", { id, mode: "erase", confirm })).structured).toMatchObject({ outcome: "erased" });
    expect(await find("Okonkwo")).toEqual([]);
  } finally {
    await client.close();
  }
});

test("its pages open [F8]", async () => {
  for (const path of ["/health", "/sign-in"]) {
    const answer = await fetch(product.url(path));
    expect([path, answer.status]).toEqual([path, 200]);
    await answer.body?.cancel();
  }
});
