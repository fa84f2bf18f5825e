import { beforeEach, describe, expect, test } from "vitest";
import { keyFor } from "../domain/tenancy/tenant.ts";
import { newTeam, type Person, type Team } from "../support/team.ts";
import { send } from "./raw.ts";

let team: Team;
let ada: Person;
let grace: Person;
beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  grace = await team.join();
});

/** A stream as an EventSource reads it. */
class Listener {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  text = "";

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
  }

  static async open(token: string, lastEventId?: string): Promise<Listener> {
    const answer = await send({ method: "GET", path: "/v1/events", token, headers: { accept: "text/event-stream", ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }) } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    const listener = new Listener(answer.body as ReadableStream<Uint8Array>);
    await listener.until(() => listener.text.includes("retry:"));
    return listener;
  }

  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) {
      const { value, done } = await this.#reader.read();
      if (done) throw new Error(`the stream ended after ${this.text}`);
      this.text += new TextDecoder().decode(value);
    }
  }

  get events(): { id: string; kind: string; data: Record<string, any> }[] {
    return [...this.text.matchAll(/id: (\d+)\nevent: (\w+)\ndata: (.*)\n/g)].map(([, id, kind, data]) => ({ id: String(id), kind: String(kind), data: JSON.parse(String(data)) }));
  }

  hears(kind: string): Promise<void> {
    return this.until(() => this.events.some((event) => event.kind === kind));
  }

  close(): Promise<void> {
    return this.#reader.cancel();
  }
}

const share = (who: Person, key: string) => who.call("omn_store_memory", { key, content: `Notes on ${key}.`, metadata: { scope: "shared" } });

describe("the events of a team [A14] [C7]", () => {
  test("reach a colleague in order, each once, and name what changed without its words", async () => {
    const listener = await Listener.open(grace.token);
    const { structured } = await share(ada, "billing");
    await ada.call("omn_update_memory", { key: "billing", content: "Other notes on billing." });
    await ada.call("omn_forget_memory", { id: structured["memory_id"], mode: "archive" }).then(({ structured: preview }) => ada.call("omn_forget_memory", { id: structured["memory_id"], mode: "archive", confirm: preview["confirm"] ?? preview["confirm_token"] }));
    await listener.hears("updated");
    expect(listener.events.slice(0, 2).map(({ kind }) => kind)).toEqual(["stored", "updated"]);
    expect(listener.events[0]?.data).toMatchObject({ kind: "stored", memory_ids: [structured["memory_id"]], actor_id: ada.id, tool: "vitest", scope: "team" });
    expect(listener.text).not.toContain("otes on");
    await listener.close();
  });

  test("of private memories and of recalls are their owner's alone", async () => {
    const [hers, his] = [await Listener.open(ada.token), await Listener.open(grace.token)];
    await ada.call("omn_store_memory", { key: "mine", content: "Only mine." });
    await ada.call("omn_retrieve_memory", { key: "mine" });
    await share(ada, "ours");
    await his.hears("stored");
    await hers.until(() => hers.events.filter(({ kind }) => kind === "stored").length === 2);
    expect(his.events).toHaveLength(1);
    expect(his.events[0]?.data["scope"]).toBe("team");
    expect(hers.events.map(({ data }) => data["scope"])).toContain("private");
    await Promise.all([hers.close(), his.close()]);
  });

  test("are resumed after the last one heard, and nothing is lost or told twice", async () => {
    const listener = await Listener.open(grace.token);
    await share(ada, "first");
    await listener.hears("stored");
    const [first] = listener.events;
    await listener.close();
    await share(ada, "second");
    await share(ada, "third");
    const resumed = await Listener.open(grace.token, first?.id);
    await resumed.until(() => resumed.events.length === 2);
    const ids = [first, ...resumed.events].map((event) => Number(event?.id));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(resumed.events.map(({ kind }) => kind)).toEqual(["stored", "stored"]);
    await resumed.close();
  });

  test("of others' private memories nothing is to be told from ids, pages or the time of an answer", async () => {
    const now = async (): Promise<string> => ((await (await send({ method: "GET", path: "/v1/events", token: grace.token })).json()) as { last_event_id: string }).last_event_id;
    const listener = await Listener.open(grace.token);
    const before = await now();
    for (let i = 0; i < 3; i += 1) await ada.call("omn_store_memory", { key: `mine.${i}`, content: `Only mine ${i}.` });
    expect(await now()).toBe(before);
    const heard = listener.text;
    await share(ada, "ours");
    await listener.hears("stored");
    expect(listener.text.slice(heard.length), "nothing but that event").toMatch(/^retry: \d+\n\nid: \d+\nevent: stored\n[^\n]*\n\n$/);
    expect(Number(await now())).toBeGreaterThan(Number(before) + 3);
    await listener.close();
  });

  test("are pages for those who accept no stream", async () => {
    const page = async (after?: string) => (await (await send({ method: "GET", path: "/v1/events", token: grace.token, headers: after === undefined ? {} : { "last-event-id": after } })).json()) as Record<string, any>;
    const { events, last_event_id: now } = await page();
    expect(events).toEqual([]);
    const { structured } = await share(ada, "ours");
    await expect.poll(async () => (await page(now))["events"]).toMatchObject([{ kind: "stored", memory_ids: [structured["memory_id"]] }]);
    const next = await page(now);
    expect(await page(next["last_event_id"])).toMatchObject({ events: [], gap: false });
  });

  test("of another team are not among them", async () => {
    const stranger = (await newTeam()).owner;
    const listener = await Listener.open(stranger.token);
    await share(ada, "ours");
    await share(stranger, "theirs");
    await listener.hears("stored");
    expect(listener.events.map(({ data }) => data["actor_id"])).toEqual([stranger.id]);
    await listener.close();
  });

  test("take memory:read, an id of this server, and of a browser the name of a team", async () => {
    const { token } = await keyFor(ada.principal, ada.id, ["memory:write"]);
    expect((await send({ method: "GET", path: "/v1/events", token })).status).toBe(403);
    expect((await send({ method: "GET", path: "/v1/events", token: ada.token, headers: { "last-event-id": "x" } })).status).toBe(400);
    expect((await send({ method: "GET", path: "/v1/events?team=other", token: ada.token })).status).toBe(404);
    expect((await send({ method: "GET", path: "/v1/events" })).status).toBe(401);
  });
});
