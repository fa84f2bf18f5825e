import { expect, test } from "vitest";
import { newTeam, type Person } from "../support/team.ts";
import { send } from "../http/raw.ts";

const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": { name: "vitest", version: "1" }, "io.modelcontextprotocol/clientCapabilities": {} };

async function listen(who: Person, uri: string) {
  const body = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { notifications: { resourcesListChanged: true, resourceSubscriptions: [uri] }, _meta: meta } };
  const stream = (await send({ token: who.token, body })).body as ReadableStream<Uint8Array>;
  const reader = stream.getReader();
  const told = { text: "" };
  const until = async (isThere: () => boolean): Promise<void> => {
    while (!isThere()) told.text += new TextDecoder().decode((await reader.read()).value);
  };
  await until(() => told.text.includes("acknowledged"));
  return { told, until, close: () => reader.cancel() };
}
const times = (text: string, uri: string): number => text.split("notifications/resources/updated").slice(1).filter((part) => part.includes(uri)).length;

test("who watches a memory hears once of each change by another member, in order, and nothing of what they may not see [A8] [E4]", async () => {
  const team = await newTeam();
  const ada = team.owner;
  const grace = await team.join();
  const { structured } = await ada.call("omn_store_memory", { key: "ours", content: "Notes.", metadata: { scope: "shared" } });
  const uri = `omnimemory://memory/${structured["memory_id"]}`;
  const { told, until, close } = await listen(grace, uri);
  const before = told.text.length;
  await ada.call("omn_store_memory", { key: "mine", content: "Only mine." });
  await ada.call("omn_update_memory", { key: "ours", content: "Other notes." });
  await until(() => times(told.text, uri) === 1);
  expect(told.text.slice(before)).not.toContain("list_changed");
  await ada.call("omn_store_memory", { key: "more", content: "More notes.", metadata: { scope: "shared" } });
  await until(() => told.text.includes("list_changed"));
  expect(times(told.text, uri)).toBe(1);
  await close();
});

test("what one's own call changed is told once [A8]", async () => {
  const ada = (await newTeam()).owner;
  const { structured } = await ada.call("omn_store_memory", { key: "mine", content: "Notes." });
  const uri = `omnimemory://memory/${structured["memory_id"]}`;
  const { told, until, close } = await listen(ada, uri);
  await ada.call("omn_update_memory", { key: "mine", content: "Other notes." });
  await ada.call("omn_store_memory", { key: "next", content: "Next notes." });
  await until(() => told.text.includes("list_changed"));
  await ada.call("omn_update_memory", { key: "mine", content: "Third notes." });
  await until(() => times(told.text, uri) === 2);
  expect(times(told.text, uri)).toBe(2);
  await close();
});
