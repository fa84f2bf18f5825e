import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalServer, startServer } from "../../src/launcher/server.ts";
import { callTool } from "./call-tool.ts";
import { cleanUp, launch, scratchDir } from "./launcher.ts";

const patience = 120_000;
const dataDir = join(scratchDir(), "data");
const file = join(dataDir, "master-keys.json");
const kept = `${file}.kept`;
const start = (options: Partial<Parameters<typeof startServer>[0]> = {}): Promise<LocalServer> => startServer({ dataDir, port: 0, ...options });
const keep = (server: LocalServer, key: string, content: string, metadata = {}): ReturnType<typeof callTool> => callTool(server, "omn_store_memory", { key, content, metadata });
const read = (server: LocalServer, key: string): ReturnType<typeof callTool> => callTool(server, "omn_retrieve_memory", { key });
const keysIn = (path: string): { id: string; key: string }[] => JSON.parse(readFileSync(path, "utf8")) as { id: string; key: string }[];
const secret = { sensitivity: "secret" };

beforeAll(async () => {
  const server = await start();
  await keep(server, "vault", "The vault opens with nine three one.", secret);
  await keep(server, "harbour", "The harbour is deep.");
  await server.close();
  renameSync(file, kept);
}, patience);
afterAll(cleanUp, patience);

// Each goes on where the one before has stopped.
test("a start without the master key of its data says what is missing and how to go on, and makes none [A13]", { timeout: patience }, async () => {
  const launched = launch({ OMNIMEMORY_DATA_DIR: dataDir, PORT: "0" });
  expect(await launched.exit).toBe(1);
  expect(launched.stdout()).toBe("");
  expect(launched.stderr()).toContain(`The master key of this data is not there: ${file}.`);
  expect(launched.stderr()).toMatch(/secrets.*Nothing was changed\..*backup.*MASTER_KEYS.*OMNIMEMORY_NEW_MASTER_KEY=on npm start\n$/);
  expect(launched.stderr().trimEnd()).not.toContain("\n");
  expect(existsSync(file)).toBe(false);
});

test("with MASTER_KEYS it starts, and opens what it sealed [A13]", { timeout: patience }, async () => {
  const server = await start({ vars: { MASTER_KEYS: readFileSync(kept, "utf8") } });
  expect((await read(server, "vault")).text).toContain("nine three one");
  await server.close();
  expect(existsSync(file)).toBe(false);
});

test("where it is lost for good, a key of another id takes its place on demand: secrets can be stored again, and nothing is deleted [A13]", { timeout: patience }, async () => {
  const first = await start({ newMasterKey: true });
  const [made] = keysIn(file);
  expect(made?.id).toMatch(/^local-\w{8}$/);
  expect((await read(first, "harbour")).text).toContain("The harbour is deep.");
  expect((await read(first, "vault")).error).toMatchObject({ code: "PROVIDER_ERROR", message: expect.stringContaining('"local-1"') });
  expect((await keep(first, "safe", "The safe opens with four.", secret)).structured["outcome"]).toBe("created");
  await first.close();

  // The second time is as the first, and an ordinary start.
  for (const newMasterKey of [true, false]) {
    const next = await start({ newMasterKey });
    expect(keysIn(file)).toEqual([made]);
    expect((await read(next, "safe")).text).toContain("The safe opens with four.");
    await next.close();
  }

  // Then the lost one turns up.
  writeFileSync(file, JSON.stringify([...keysIn(file), ...keysIn(kept)]));
  const whole = await start();
  for (const [key, content] of [["vault", "nine three one"], ["safe", "opens with four"]] as const) expect((await read(whole, key)).text).toContain(content);
  await whole.close();
});

test("data that never had a database is new, and gets its first key [A13]", { timeout: patience }, async () => {
  const fresh = scratchDir();
  await startServer({ dataDir: fresh, port: 0 }).then((server) => server.close());
  const made = keysIn(join(fresh, "master-keys.json"));
  expect(made.map(({ id }) => id)).toEqual(["local-1"]);
  // Beginning empty, as a start with damaged databases advises.
  rmSync(join(fresh, "state"), { recursive: true });
  await startServer({ dataDir: fresh, port: 0 }).then((server) => server.close());
  expect(keysIn(join(fresh, "master-keys.json"))).toEqual(made);
});
