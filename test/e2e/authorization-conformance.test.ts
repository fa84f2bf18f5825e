import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../launcher/free-port.ts";
import { PersonAtBrowser } from "./support/person.ts";
import { Product } from "./support/product.ts";

const suite = join(dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")), "dist", "index.js");

let product: Product;
let person: PersonAtBrowser;
beforeAll(async () => {
  product = await Product.start();
  person = await PersonAtBrowser.signIn(product);
});
afterAll(() => product.remove());

/** Runs the suite, and opens in the person's browser what it asks them to open. */
async function runSuite(args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [suite, "authorization", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const opened = new Set<string>();
  let output = "";
  const read = (chunk: Buffer): void => {
    output += chunk.toString("utf8");
    for (const [url] of output.matchAll(/https?:\/\/\S+\/authorize\?\S+(?=\s)/g)) {
      if (opened.has(url)) continue;
      opened.add(url);
      void person.allow(new URL(url)).then((location) => fetch(location));
    }
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, output };
}

test("the official conformance suite for authorization servers passes: metadata and the code grant [A13]", async () => {
  const port = await freePort();
  const issuer = new URL(product.signInUrl ?? "").origin;
  const registration = await fetch(`${issuer}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "conformance", redirect_uris: [`http://127.0.0.1:${port}/callback`], token_endpoint_auth_method: "none" }),
  });
  const { client_id } = (await registration.json()) as { client_id: string };

  const { code, output } = await runSuite(["--url", issuer, "--client-id", client_id, "--resource", product.url("/mcp").href, "--port", String(port)]);

  expect(code, output).toBe(0);
  expect(output).toMatch(/authorization-code-grant/);
  expect(output).toMatch(/\b0 failed\b/);
});
