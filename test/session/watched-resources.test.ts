import { beforeEach, describe, expect, test } from "vitest";
import { send } from "../http/raw.ts";
import { rpc } from "../support/mcp.ts";
import { newTeam, services, type Person, type Team } from "../support/team.ts";
import { Watcher } from "../support/watching.ts";

let team: Team;
let ada: Person;
let grace: Person;
beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  grace = await team.join();
});

const memoryUri = (id: string): string => `omnimemory://memory/${id}`;
const store = async (who: Person, key: string, scope: string): Promise<string> => memoryUri((await who.call("omn_store_memory", { key, content: `Notes on ${key}.`, metadata: { scope } })).structured["memory_id"]);
const change = (who: Person, key: string, content: string) => who.call("omn_update_memory", { key, content });

describe("two members with three clients [A8] [E4] [S11]", () => {
  test("hear of each change once and in order, and only of what they may see; a client that dies loses nothing once it resumes", async () => {
    const uris = [await store(ada, "one", "shared"), await store(ada, "two", "shared"), await store(ada, "three", "shared"), await store(ada, "own", "private")];
    const [one, two, three, own] = uris as [string, string, string, string];
    const old = await Watcher.withSession(ada, uris);
    const modern = await Watcher.stateless(grace, uris);
    const dying = await Watcher.withSession(grace, uris);
    await change(ada, "one", "One more.");
    await change(ada, "own", "Still only mine.");
    await dying.until(1);
    await dying.die();
    await change(ada, "two", "Two more.");
    await change(grace, "three", "Three more.");
    await change(ada, "one", "One again.");
    await old.until(5);
    await modern.until(4);
    await dying.resume();
    await dying.until(4);
    expect(old.told).toEqual([one, own, two, three, one]);
    expect(modern.told).toEqual([one, two, three, one]);
    expect(dying.told).toEqual([one, two, three, one]);
    // What would come twice, or from where it must not, comes before the next change.
    await change(ada, "own", "Mine for ever.");
    await change(ada, "three", "The last.");
    for (const [watcher, count] of [[old, 7], [modern, 5], [dying, 5]] as const) await watcher.until(count);
    expect([old.told.slice(5), modern.told.slice(4), dying.told.slice(4)]).toEqual([[own, three], [three], [three]]);
  });
});

describe("resources of a person's work are watched [A8] [A4] [A6]", () => {
  const rest = (method: string, path: string, body: unknown = "") => send({ token: ada.token, method, path, body });
  const inShop = (name: string, args: Record<string, unknown> = {}, client = "claude-code") => rpc(ada.token, "tools/call", { name, arguments: args }, "?surface=all&project=shop", client);
  const eras = [["the session era", Watcher.withSession], ["2026-07-28", Watcher.stateless]] as const;

  test.each(eras)("in %s: a session and its conversation, from another client and from a hook", async (_era, watch) => {
    const { session } = await (await rest("POST", `/v1/teams/${team.id}/sessions`, { tool_id: "claude-code", project: "shop" })).json<{ session: { session_id: string } }>();
    const [current, talk, hers] = ["omnimemory://session/current", `omnimemory://conversation/${session.session_id}`, "omnimemory://conversation/current"];
    const watcher = await watch(ada, [current, talk]);
    const stranger = await watch(grace, [current, hers]);
    await rest("POST", `/v1/teams/${team.id}/sessions/${session.session_id}/turns`, { turns: "Ship it on Friday." });
    await watcher.until(1);
    expect(watcher.told).toEqual([talk]);
    await inShop("omn_retrieve_memory", { query: "login form" });
    await watcher.until(2);
    expect(watcher.told).toEqual([talk, current]);
    await inShop("omn_end_session", {}, "claude-code");
    await watcher.until(4);
    expect(watcher.told.slice(2).sort()).toEqual([talk, current].sort());
    // Nothing of all that reached a colleague: the first that comes is of their own call.
    await grace.call("omn_list_memories");
    await stranger.until(1);
    expect(stranger.told).toEqual([current]);
  });

  test.each(eras)("in %s: preferences, by both of their URIs", async (_era, watch) => {
    const uris = ["omnimemory://user/preferences", `omnimemory://user/${ada.id}/preferences`];
    const watcher = await watch(ada, uris);
    await services.preferences.changePreferences({ userId: ada.id }, { default_compression: false });
    await watcher.until(2);
    expect(watcher.told.sort()).toEqual(uris.sort());
  });

  test.each(eras)("in %s: a project, with its memories, links and workflows, whoever changes them", async (_era, watch) => {
    const uri = "omnimemory://project/shop";
    const ours = await store(grace, "ours", "shared");
    const watcher = await watch(ada, [uri, "omnimemory://workflows"]);
    await grace.call("omn_store_memory", { key: "hers", content: "Only hers." });
    await change(grace, "ours", "Ours, changed.");
    await watcher.until(1);
    await grace.call("omn_store_memory", { key: "next", content: "Another of ours.", metadata: { scope: "shared" }, links: [{ to: "ours", type: "references" }] });
    await watcher.until(3);
    expect(watcher.told).toEqual([uri, uri, uri]);
    expect(ours).toContain("memory/");
    await rest("POST", `/v1/teams/${team.id}/workflows/steps`, { project: "shop", steps: [{ command: "npm test" }, { command: "git push" }] });
    await watcher.until(5);
    expect(watcher.told.slice(3).sort()).toEqual([uri, "omnimemory://workflows"].sort());
  });
});
