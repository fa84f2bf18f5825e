import { afterAll, expect, test } from "vitest";
import { PersonAtBrowser } from "../e2e/support/person.ts";
import { cleanUp, launchReady, scratchDir } from "./launcher.ts";

const patience = 60_000;
afterAll(cleanUp, patience);

test("a client whose description cannot be fetched is told so by a page, and the terminal shows no stack", { timeout: patience }, async () => {
  const server = await launchReady({ OMNIMEMORY_DATA_DIR: scratchDir(), PORT: "0" });
  const person = await PersonAtBrowser.signInBy(/http:\/\/localhost:\d+\/sign-in\/link\?token=\w{43}/.exec(server.stdout())?.[0] ?? "about:blank");
  // A name that no DNS server knows is to the product what no network is.
  const host = `no-such-client-${crypto.randomUUID()}.dev`;
  const request = new URLSearchParams({
    response_type: "code", client_id: `https://${host}/oauth/client.json`, redirect_uri: "http://127.0.0.1:1455/callback", code_challenge: "c".repeat(43), code_challenge_method: "S256",
  });
  const answer = await person.get(`/authorize?${request}`);
  const page = (await answer.text()).replaceAll("&#39;", "'");
  expect(answer.status).toBe(400);
  for (const part of ["The client's description could not be fetched", host, "Does this machine have a network?", "give it an API key"]) expect(page).toContain(part);

  server.child.kill("SIGTERM");
  expect(await server.exit).toBe(0);
  expect(server.stderr()).not.toMatch(/stack|workerd@|^e = |\n\s+at /m);
});
