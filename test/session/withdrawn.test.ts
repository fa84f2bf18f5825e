import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { openCopy } from "../../src/domain/secrets/sealed-copy.ts";
import { commits, indexed, newTeam, services, sessionOf, sisterOf, type Person, type Team } from "../support/team.ts";
import { keyFor } from "../domain/tenancy/tenant.ts";
import { Session } from "../support/sessions.ts";

const marker = "zebraquark";
const content = `The lighthouse keeper hides the ${marker}`;

let team: Team;
let ada: Person;
let grace: Person;
beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  grace = await team.join();
});

async function stored(scope: "private" | "shared" | "public"): Promise<string> {
  const { memory_id: id } = (await ada.call("omn_store_memory", { key: "k", content, metadata: { scope } })).structured;
  await indexed(ada.principal);
  return id as string;
}

/** Asked again, an answer is kept in KV. */
async function askedTwice(who: Person): Promise<void> {
  for (let n = 0; n < 2; n += 1) expect((await who.call("omn_retrieve_memory", { query: "lighthouse keeper" })).text).toContain(marker);
}

/** What KV keeps for a person: as it lies there, and as it can be read by now. */
async function keptFor(who: Person): Promise<{ raw: string; readable: string[] }> {
  const found = (await env.CACHE.list()).keys.filter(({ name }) => name.includes(`:${who.principal.teamId}:${who.id}:`));
  const key = (await services.index.state(who.principal))?.copyKey;
  const copies = await Promise.all(found.map(async ({ name }) => ({ name, sealed: (await env.CACHE.get(name)) ?? "" })));
  const opened = await Promise.all(copies.map(({ name, sealed }) => openCopy(key ?? "", name, sealed)));
  return { raw: copies.map(({ sealed }) => sealed).join("\n"), readable: opened.filter((text) => text !== undefined) };
}

async function erase(id: string): Promise<void> {
  const { confirm } = (await ada.call("omn_forget_memory", { ids: [id], mode: "erase" })).structured;
  expect((await ada.call("omn_forget_memory", { ids: [id], mode: "erase", confirm })).structured["outcome"]).toBe("erased");
}

const becomesSecret = async (id: string): Promise<void> => {
  expect((await ada.call("omn_update_memory", { id, metadata: { sensitivity: "secret" } })).structured["outcome"]).toBe("updated");
};
const isTakenBack = async (id: string): Promise<void> => {
  expect((await ada.call("omn_update_memory", { id, metadata: { scope: "private" } })).structured["outcome"]).toBe("updated");
};

const ends = [["is erased", erase], ["becomes secret", becomesSecret], ["is taken back from those who saw it", isTakenBack]] as const;

describe("when a memory", () => {
  test.each(ends)("%s, nobody can read the answers any more that were kept in KV", async (_how, end) => {
    const id = await stored("shared");
    for (const who of [ada, grace]) await askedTwice(who);
    for (const who of [ada, grace]) {
      const { raw, readable } = await keptFor(who);
      expect(readable).toEqual([expect.stringContaining(marker)]);
      expect(raw).not.toContain(marker);
    }
    await end(id);
    for (const who of [ada, grace]) expect((await keptFor(who)).readable).toEqual([]);
    expect((await grace.call("omn_retrieve_memory", { query: "lighthouse keeper" })).text).not.toContain(marker);
  });

  test.each(ends)("that other teams see %s, neither can they", async (_how, end) => {
    const sister = (await sisterOf(team)).owner;
    const id = await stored("public");
    await askedTwice(sister);
    expect((await keptFor(sister)).readable).toHaveLength(1);
    await end(id);
    expect((await keptFor(sister)).readable).toEqual([]);
  });

  test("of one's own is erased, what colleagues keep stays", async () => {
    await grace.call("omn_store_memory", { key: "g", content: `A lighthouse keeper of my own: ${marker}` });
    await indexed(grace.principal);
    await askedTwice(grace);
    await erase(await stored("private"));
    expect((await keptFor(grace)).readable).toHaveLength(1);
  });

  test("was erased while its index could not be told, the sweep ends what was kept", async () => {
    const id = await stored("shared");
    await askedTwice(grace);
    const memory = await services.memories.get(ada.principal, Date.now(), id);
    const lastSeq = await commits.erase(ada.principal, ada.at(Date.now()), memory ? [memory] : []);
    await team.index.catchUp(team.ref, lastSeq);
    expect((await keptFor(grace)).readable).toEqual([]);
  });
});

/** A stream of the session, read until something. */
async function read(answer: Response, until: RegExp): Promise<string> {
  expect(answer.status).toBe(200);
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true });
    if (until.test(text)) break;
  }
  await reader.cancel();
  return text;
}

const recall = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "omn_retrieve_memory", arguments: { query: "lighthouse keeper" } } });
/** Two calls in one request are answered as events, whatever time they take. */
const asked = [recall(21), recall(22)];

describe("what a session keeps for a client that lost its stream", () => {
  let session: Session;
  let first: string;
  let id: string;

  beforeEach(async () => {
    id = await stored("shared");
    session = await Session.open(ada.token);
    const text = await (await session.post(ada.token, asked)).text();
    expect(text.split(marker).length).toBeGreaterThan(2);
    first = /^id: (\d+)$/m.exec(text)?.[1] ?? "";
    expect(first).not.toBe("");
  });

  test("is replayed to whom it was sent, and to another key of theirs that may do as much", async () => {
    const reader = await keyFor({ teamId: team.id, organizationId: team.organizationId }, ada.id, ada.principal.scopes);
    for (const token of [ada.token, reader.token]) {
      expect(await read(await session.stream(token, first), /"id":22/)).toContain(marker);
    }
  });

  test.each([[["memory:write"]], [["memory:read"]]] as const)("is not replayed to a key of the same person that may only do %j", async (scopes) => {
    const lesser = await keyFor({ teamId: team.id, organizationId: team.organizationId }, ada.id, [...scopes]);
    const stream = await session.stream(lesser.token, first);
    // It hears what comes, and nothing of what was.
    await ada.call("omn_store_memory", { key: "later", content: "Something else" });
    expect(await read(stream, /list_changed/)).not.toContain(marker);
  });

  test.each(ends)("is replayed no more once a memory that it shows %s", async (_how, end) => {
    await end(id);
    const text = await read(await session.stream(ada.token, first), /"id":22/);
    expect(text).not.toContain(marker);
    expect(text).toContain("kept no longer");
  });

  test("lies nowhere in the clear", async () => {
    const rows = await runInDurableObject(sessionOf(ada), (_, { storage }) => storage.sql.exec("SELECT * FROM mcp_stream_event").toArray());
    expect(rows.length).toBeGreaterThan(1);
    expect(JSON.stringify(rows)).not.toContain(marker);
  });
});
