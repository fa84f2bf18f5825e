import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const src = fileURLToPath(new URL("../src/", import.meta.url));

/** What reads a body whole, of a request or of an answer, and reading it piece by piece. */
const reading = /\.(?:text|json|formData|parseBody|arrayBuffer|blob|bytes)\(\)|\.parseBody\(|\.body\??\.(?:getReader|pipeTo|pipeThrough|tee)\(|of (?:\w+\.)*(?:request|req|raw)\.body\b/;

/** Each says why its body has a bound. */
const allowed: Record<string, string> = {
  "http/bounded-body.ts": "the reader itself",
  "http/oauth/token-routes.ts": "our own answer to a registration",
  "http/passkeys/script.ts": "runs in the browser, and reads our answers",
  "http/passports/remote-issuer-keys.ts": "an answer fetched through bounded-fetch.ts",
  "http/upstream/bounded-fetch.ts": "bounds the answers of issuers",
  "http/upstream/upstream.ts": "an answer fetched through bounded-fetch.ts",
  "session/legacy-sessions.ts": "our own stream to a client",
};

test("bodies of requests are read by one bounded reader and nowhere else", () => {
  const files = ["http", "session"].flatMap((folder) => readdirSync(join(src, folder), { recursive: true, encoding: "utf8" }).map((file) => join(src, folder, file)));
  const readers = files.filter((file) => /\.tsx?$/.test(file) && reading.test(readFileSync(file, "utf8"))).map((file) => relative(src, file));
  expect(readers.filter((file) => allowed[file] === undefined)).toEqual([]);
});
