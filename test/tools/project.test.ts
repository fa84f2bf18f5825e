import { beforeEach, describe, expect, test } from "vitest";
import { send, toolCall } from "../http/raw.ts";
import { Session, SseSession } from "../support/sessions.ts";
import { newTeam, type Person } from "../support/team.ts";

let ada: Person;
beforeEach(async () => {
  ada = (await newTeam()).owner;
});

interface Said {
  path?: string;
  headers?: Record<string, string>;
}
type Memory = { key: string; namespace: string; content: string };

/** Where the Worker is asked from. */
const shop: Said = { headers: { "x-memory-project": "shop" } };

async function ask(name: string, args: Record<string, unknown>, { path = "/mcp", headers = {} }: Said = {}): Promise<{ structuredContent: Record<string, any>; content: { text: string }[] }> {
  const answer = await send({ token: ada.token, path: path.includes("?") ? `${path}&surface=all` : `${path}?surface=all`, headers, body: toolCall(name, args) });
  return ((await answer.json()) as { result: { structuredContent: Record<string, any>; content: { text: string }[] } }).result;
}
const store = async (args: Record<string, unknown>, said?: Said): Promise<Record<string, any>> => (await ask("omn_store_memory", { allow_duplicate: true, ...args }, said)).structuredContent;
/** An answer leaves out the namespace where it is `global`. */
const found = async (args: Record<string, unknown>, said?: Said): Promise<Memory[]> =>
  ((await ask("omn_retrieve_memory", args, said)).structuredContent["memories"] as Memory[]).map((memory) => ({ ...memory, namespace: memory.namespace ?? "global" }));
const places = async (args: Record<string, unknown>, said?: Said): Promise<string[]> => (await found(args, said)).map(({ namespace }) => namespace);

describe("what names no namespace is stored in the project of the connection [C5]", () => {
  const connections: [string, Said][] = [["?project=", { path: "?project=shop" }], ["the header", shop], ["the header before ?project=", { path: "?project=other", ...shop }]];

  test.each(connections)("by %s, in every transport of both eras", async (_name, { path = "", headers = {} }) => {
    const args = (key: string) => ({ key, content: `The ${key} stores invoices.` });
    const namespaceOf = async (key: string): Promise<string | undefined> => (await found({ key }))[0]?.namespace;
    await store(args("lean call"), { path: `/mcp${path}`, headers });
    // Not as one RPC of text, but through the SDK.
    await store(args("whole call"), { path: `/sse${path}`, headers });
    const session = await Session.open(ada.token, `/mcp${path}`, headers);
    await session.call(ada.token, "omn_store_memory", args("session"));
    const stream = await SseSession.open(ada.token, `/sse${path}`, headers);
    await stream.call(ada.token, "omn_store_memory", args("stream"));
    await stream.close();
    for (const key of ["lean call", "whole call", "session", "stream"]) expect(await namespaceOf(key), key).toBe("project:shop");
  });

  test("a namespace that is named counts, many stored at once are placed like one, an export keeps its own, and without a project it is global as before", async () => {
    expect((await store({ key: "a", content: "one", namespace: "global" }, shop))["namespace"]).toBe("global");
    expect((await store({ key: "b", content: "two", namespace: "project:other" }, shop))["namespace"]).toBe("project:other");
    expect((await store({ key: "c", content: "three" }))["namespace"]).toBe("global");
    await ask("omn_import_memories", { memories: [{ key: "d", content: "four" }, { key: "e", content: "five", namespace: "thread:t" }] }, shop);
    expect(await places({ key: "d" }, shop)).toEqual(["project:shop"]);
    expect(await places({ key: "e" }, shop)).toEqual(["thread:t"]);
    await ask("omn_import_memories", { data: JSON.stringify({ key: "f", content: "six" }) }, shop);
    expect(await places({ key: "f" }, shop)).toEqual(["global"]);
  });

  test("both vocabularies mean the same project", async () => {
    await store({ key: "plan", content: "Ship on Friday" }, shop);
    expect((await ask("read_memory", { key: "plan" }, shop)).structuredContent).toMatchObject({ memory: { key: "plan", value: "Ship on Friday" } });
    expect((await ask("read_memory", { key: "plan" })).structuredContent).toMatchObject({ memory: null });
  });

  test("a key that two projects have means the one of the connection; a memory of another project is named as such before it is forgotten", async () => {
    await store({ key: "auth.decision", content: "OAuth" }, shop);
    await store({ key: "auth.decision", content: "SAML", namespace: "project:bank" });
    await store({ key: "bank.rates", content: "Daily", namespace: "project:bank" });
    expect((await ask("omn_update_memory", { key: "auth.decision", content: "OAuth 2.1" }, shop)).structuredContent).toMatchObject({ outcome: "updated" });
    expect((await found({ key: "auth.decision" })).map(({ content: said }) => said).sort()).toEqual(["OAuth 2.1", "SAML"]);
    expect((await ask("omn_update_memory", { key: "auth.decision", content: "none" })).content[0]?.text).toMatch(/^CONFLICT: 2 memories have the key/);
    const updated = await ask("omn_update_memory", { key: "bank.rates", content: "Hourly" }, shop);
    expect(updated.content[0]?.text).toContain("project:bank");
    expect((await ask("omn_forget_memory", { key: "bank.rates" }, shop)).structuredContent["would_forget"]).toMatchObject([{ namespace: "project:bank" }]);
    expect((await ask("omn_forget_memory", { key: "auth.decision", filters: { namespace: "project:shop" } }, shop)).structuredContent["would_forget"][0]).not.toHaveProperty("namespace");
  });

  test("of one key in several places the nearest is read, whichever was written last, and the others are named", async () => {
    for (const scope of ["session", "project", "global", "shared"]) {
      await ask("write_memory", { key: "place", value: `in ${scope}`, scope, project_path: "shop", session_id: "s1" });
    }
    const read = async (session_id: string): Promise<unknown> => (await ask("read_memory", { key: "place", project_path: "shop", session_id })).structuredContent;
    expect(await read("s1")).toMatchObject({ memory: { value: "in session", also_in: expect.arrayContaining(["global", "project", "shared"]) as string[] } });
    expect(await read("s2")).toMatchObject({ memory: { value: expect.stringMatching(/^in (?:project|shared)$/) } });
  });
});

describe("recall within a project [C5]", () => {
  const content = (name: string) => `The queue of ${name} is kept in Redis streams.`;
  beforeEach(async () => {
    for (const [name, namespace] of [["alpha", "project:blog"], ["beta", "global"], ["gamma", "project:shop"], ["delta", "session:shop/7"], ["epsilon", "user:ada"]]) {
      await store({ key: `queue.${name}`, content: content(name as string), namespace });
    }
  });
  const everything = { query: "where is the queue kept?", min_relevance: 0, without: ["dedupe", "diversity"] };

  test("finds its own first, then what belongs to no project, then other projects', each named", async () => {
    const order = await places(everything, shop);
    expect(order.slice(0, 2).sort()).toEqual(["project:shop", "session:shop/7"]);
    expect(order.slice(2, 4).sort()).toEqual(["global", "user:ada"]);
    expect(order.slice(4)).toEqual(["project:blog"]);
    const { content: [said] } = await ask("omn_retrieve_memory", everything, { headers: { "x-memory-project": "blog" } });
    expect(said?.text.indexOf('namespace="project:blog"')).toBeLessThan(said?.text.indexOf("queue.beta") ?? 0);
    expect(said?.text).toContain('namespace="project:shop"');
  });

  test("finds in a small answer what the project says, and asks nothing of relevance for that", async () => {
    for (const project of ["shop", "blog"]) {
      const [first] = await found({ query: "queue in Redis streams", limit: 1 }, { headers: { "x-memory-project": project } });
      expect(first?.namespace, project).toMatch(new RegExp(`:${project}`));
    }
    const irrelevant = await found({ query: "espresso machine", without: ["vector"] }, shop);
    expect(irrelevant).toEqual([]);
  });

  test("a hit of the connection's own project does not repeat its name, one of another says whose it is", async () => {
    const { content: [own] } = await ask("omn_retrieve_memory", { query: "queue of gamma", limit: 1 }, shop);
    expect(own?.text).toContain("The queue of gamma");
    expect(own?.text).not.toContain("namespace=");
    expect((await ask("omn_retrieve_memory", { query: "queue of gamma", limit: 1 })).content[0]?.text).toContain('namespace="project:shop"');
    expect((await ask("omn_retrieve_memory", { key: "queue.alpha" }, shop)).content[0]?.text).toContain('namespace="project:blog"');
    expect((await ask("omn_retrieve_memory", { key: "queue.gamma" }, shop)).content[0]?.text).not.toContain("namespace=");
  });

  test("what another project says far better stands first all the same", async () => {
    await store({ key: "backup", content: "The nightly backup of the wiki goes to the cellar.", namespace: "project:blog" });
    expect((await found({ query: "where does the nightly backup of the wiki go", limit: 3 }, shop))[0]?.key).toBe("backup");
  });

  test("one who asks elsewhere, or nowhere, has another answer: none is kept for both", async () => {
    const asked = { ...everything, receipt: true, limit: 1 };
    const first = async (said?: Said): Promise<string | undefined> => (await places(asked, said))[0];
    for (let n = 0; n < 2; n += 1) {
      expect(await first({ headers: { "x-memory-project": "blog" } })).toBe("project:blog");
      expect(await first(shop)).toMatch(/shop/);
    }
    const { structuredContent } = await ask("omn_retrieve_memory", asked, shop);
    expect(structuredContent["receipt"]).toMatchObject({ cache: expect.stringMatching(/l1|l2/), hits: [{ parts: { project: expect.any(Number) } }] });
  });

  test("a namespace in the filters is all that counts", async () => {
    expect(await places({ ...everything, filters: { namespace: "project:blog" } }, shop)).toEqual(["project:blog"]);
    const order = await places({ ...everything, filters: { namespace: "*" } }, shop);
    expect(order).toEqual(await places({ ...everything, filters: { namespace: "*" } }));
  });

  test("a key that stands in several places is answered with the project's first; what was stored before stays there", async () => {
    for (const namespace of ["project:blog", "global", "project:shop"]) await store({ key: "owner", content: `${namespace} belongs to Ada`, namespace });
    expect(await places({ key: "owner" }, shop)).toEqual(["project:shop", "global", "project:blog"]);
    expect((await places({ key: "owner", limit: 1 }, { headers: { "x-memory-project": "blog" } }))).toEqual(["project:blog"]);
    await store({ key: "owner", content: "Grace now" }, shop);
    expect(await found({ key: "owner" }, shop)).toMatchObject([{ content: "Grace now" }, { content: "global belongs to Ada" }, { content: "project:blog belongs to Ada" }]);
  });

  test("ChatGPT's search prefers it, too", async () => {
    const { structuredContent } = await ask("search", { query: "queue kept in Redis streams" }, { headers: { "x-memory-project": "blog" } });
    expect(structuredContent["results"][0].title).toBe("queue.alpha");
  });
});

describe("a project that is no name", () => {
  test.each<[string, Said, RegExp]>([
    ["an empty parameter", { path: "/mcp?project=" }, /project must not be empty.*\?project=/],
    ["a wildcard", { path: "/mcp?project=a*" }, /'\*'.*\?project=/],
    ["a control character", { path: "/mcp?project=a%00b" }, /Correct \?project=/],
    ["a long one", { path: `/mcp?project=${"p".repeat(151)}` }, /at most 150.*\?project=/],
    ["an empty header", { headers: { "x-memory-project": "" } }, /not be empty.*X-Memory-Project/],
    ["a wildcard in the header, whatever the URL says", { path: "/mcp?project=shop", headers: { "x-memory-project": "*" } }, /X-Memory-Project/],
    ["a header in another encoding than UTF-8 [C5]", { headers: { "x-memory-project": "gr\ufffde" } }, /UTF-8.*\?project=/],
    ["an old stream", { path: "/sse?project=*" }, /\?project=/],
  ])("%s is refused with 400, and what to mend", async (_name, { path = "/mcp", headers = {} }, told) => {
    const answer = await send({ token: ada.token, path, method: path.startsWith("/sse") ? "GET" : "POST", headers });
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { error: { message: string } }).error.message).toMatch(told);
  });

  test("spaces around it do not count, and letters of any script do", async () => {
    expect((await store({ key: "k", content: "x" }, { path: "/mcp?project=%20gr%C3%B6%C3%9Fe%20" }))["namespace"]).toBe("project:größe");
  });
});

describe("a project is its git remote, else its folder [C5]", () => {
  const remote = (spelling: string): Said => ({ headers: { "x-memory-project": spelling } });
  const acme = remote("https://ada:t0ken@github.com/acme/app.git");
  const globex = remote("git@github.com:globex/app.git");
  const acmePlace = "project:github.com/acme/app";

  test("in every spelling, by header, URL and argument, and in every family", async () => {
    expect((await store({ key: "a", content: "one" }, acme))["namespace"]).toBe(acmePlace);
    expect((await store({ key: "b", content: "two" }, { path: "/mcp?project=git%40github.com%3Aacme%2Fapp.git" }))["namespace"]).toBe(acmePlace);
    expect((await store({ key: "c", content: "three", project: "ssh://git@GitHub.com/acme/app" }, globex))["namespace"]).toBe(acmePlace);
    await ask("write_memory", { key: "d", value: "four", project_path: "git@github.com:acme/app.git" });
    await ask("write_memory", { key: "e", value: "five", project: "github.com/acme/app", scope: "shared" });
    await ask("save_context", { key: "f", content: "six" }, acme);
    await ask("mnemosyne_remember", { content: "The seventh note is kept", namespace: { Project: "https://github.com/acme/app" } });
    await ask("memory_add", { messages: [{ role: "user", content: "The eighth message is kept" }], infer: false, user_id: undefined }, acme);
    const listed = (await ask("omn_list_memories", { filters: { namespace: acmePlace }, limit: 50 })).structuredContent["memories"] as Memory[];
    expect(listed).toHaveLength(8);
    expect(JSON.stringify(listed)).not.toContain("t0ken");
    expect((await ask("smart_resume", {}, acme)).structuredContent["project"]).toBe("github.com/acme/app");
  });

  test("so two that are called alike share nothing", async () => {
    await store({ key: "deploy", content: "Deploy with wrangler" }, acme);
    await ask("write_memory", { key: "current.task", value: "Move the acme checkout" }, acme);
    await ask("write_memory", { key: "current.task", value: "Paint the globex door" }, globex);
    expect((await ask("read_memory", { key: "deploy" }, globex)).structuredContent).toEqual({ memory: null });
    expect((await ask("smart_resume", {}, globex)).structuredContent["briefing"]).not.toContain("acme");
    expect((await ask("smart_resume", {}, acme)).structuredContent["briefing"]).not.toContain("globex");
    for (const folder of ["/home/ada/a/app", "/home/ada/b/app"]) await ask("write_memory", { key: "where", value: folder, project_path: folder });
    for (const folder of ["/home/ada/a/app", "file:///home/ada/b/app"]) {
      expect((await ask("read_memory", { key: "where", project_path: folder })).structuredContent["memory"]).toMatchObject({ value: folder.replace("file://", "") });
    }
  });

  test("and its folder, where the client names both, is the same project", async () => {
    await ask("write_memory", { key: "note", value: "by its folder", project_path: "C:\\Users\\ada\\app" }, acme);
    expect((await ask("read_memory", { key: "note" }, acme)).structuredContent["memory"]).toMatchObject({ value: "by its folder" });
    expect((await ask("read_memory", { key: "note", project_path: "/home/ada/other" }, acme)).structuredContent).toEqual({ memory: null });
  });

  test("what stands under the last part of its path is found, and replaced without being changed", async () => {
    const old: Said = { path: "/mcp?project=app" };
    await ask("write_memory", { key: "project.stack", value: "Rails" }, old);
    await ask("write_memory", { key: "project.region", value: "eu-west" }, old);
    await store({ key: "ci", content: "Builds run on Buildkite" }, old);
    for (const said of [acme, globex]) {
      expect((await ask("read_memory", { key: "project.stack" }, said)).structuredContent["memory"]).toMatchObject({ value: "Rails" });
      expect(await places({ query: "where do builds run" }, said)).toEqual(["project:app"]);
      expect(await places({ filters: { namespace: said === acme ? acmePlace : "project:github.com/globex/app" } }, said)).toHaveLength(3);
    }
    await ask("write_memory", { key: "project.stack", value: "Phoenix" }, acme);
    expect((await ask("read_memory", { key: "project.stack" }, acme)).structuredContent["memory"]).toMatchObject({ value: "Phoenix" });
    expect((await ask("read_memory", { key: "project.stack" }, globex)).structuredContent["memory"]).toMatchObject({ value: "Rails" });
    const { structuredContent } = await ask("list_memories", { pattern: "project.*" }, acme);
    expect((structuredContent["memories"] as { value: string }[]).map(({ value }) => value).sort()).toEqual(["Phoenix", "eu-west"]);
    const { structuredContent: resumed } = await ask("smart_resume", {}, acme);
    expect(resumed["briefing"]).toContain("Phoenix");
    expect(resumed["briefing"]).not.toContain("Rails");
    expect(await places({ key: "project.stack" }, acme)).toEqual([acmePlace, "project:app"]);
    expect((await ask("delete_memory", { key: "project.stack" }, acme)).structuredContent).toMatchObject({ deleted: true });
    expect((await ask("read_memory", { key: "project.stack" }, acme)).structuredContent["memory"]).toMatchObject({ value: "Rails" });
    await store({ key: "own", content: "What is to go" }, acme);
    const { structuredContent: gone } = await ask("omn_forget_memory", { filters: { namespace: acmePlace } }, acme);
    expect(JSON.stringify(gone)).toContain("own");
    expect(JSON.stringify(gone)).not.toContain("ci");
  });

  test("an argument that names none is refused with what would be right", async () => {
    expect(JSON.stringify(await ask("omn_store_memory", { content: "x", project: "a*" }))).toMatch(/project must not contain control characters or '\*'/);
    expect(JSON.stringify(await ask("omn_store_memory", { content: "x", project: 5 }))).toMatch(/project: Invalid input: expected string/);
  });
});

describe("what belongs to the session and the project comes first [C5]", () => {
  const answer = (where: string) => `The release checklist ${where} is signed by two people.`;
  const question = { query: "who signs the release checklist", min_relevance: 0, without: ["dedupe"] };

  test("session, project, everywhere, other projects: each while there is room", async () => {
    const session = await Session.open(ada.token, "/mcp?project=github.com/acme/app&surface=all");
    const ownSession = `session:github.com/acme/app/${session.id}`;
    for (const [where, namespace] of [["elsewhere", "project:mill"], ["for all", "global"], ["here", "project:github.com/acme/app"], ["from before", "project:app"], ["now", ownSession]]) {
      await store({ content: answer(where as string), namespace });
    }
    const order = async (args: Record<string, unknown>): Promise<string[]> => {
      const { text } = await session.call(ada.token, "omn_retrieve_memory", { ...question, ...args });
      const { result } = JSON.parse(/\{"(?:jsonrpc|result|id)".*\}/s.exec(text)?.[0] ?? "") as { result: { structuredContent: { memories: Memory[] } } };
      return result.structuredContent.memories.map(({ namespace = "global" }) => namespace);
    };
    const stages = [ownSession, "project:github.com/acme/app", "project:app", "global", "project:mill"];
    expect(await order({})).toEqual(stages);
    for (const limit of [1, 2, 3]) expect(await order({ limit })).toEqual(stages.slice(0, limit));
    expect((await order({ max_tokens: 330 })).slice(0, 2)).toEqual(stages.slice(0, 2));
  });

  test("what hardly answers does not stand above what does", async () => {
    await store({ content: "The checklist of the garden is green.", namespace: "project:shop" });
    await store({ content: answer("for all"), namespace: "global" });
    expect((await places(question, shop))[0]).toBe("global");
  });
});
