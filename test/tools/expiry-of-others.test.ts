import { expect, test } from "vitest";
import { newTeam, type Person } from "../support/team.ts";

const fact = "The VPN gateway of the office is gw3.";
const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

test("who may not erase a memory may not let it expire sooner, whatever the door [S6] [A1]", async () => {
  const team = await newTeam();
  const { owner } = team;
  const [mate, admin] = [await team.join("member"), await team.join("admin")];
  const shared = { scope: "shared" };
  const stored = async (who: Person, key: string, metadata = {}) => (await who.call("omn_store_memory", { key, content: fact, metadata: { ...shared, ...metadata } })).structured;
  const lasting = await stored(owner, "vpn.lasting");
  await stored(owner, "vpn.ending", { expiry: inHours(10) });
  const expiryOf = async (key: string) => (await owner.call("omn_retrieve_memory", { key })).structured["memories"][0].expires_at ?? null;

  const refused = [
    await mate.call("omn_update_memory", { key: "vpn.lasting", metadata: { expiry: inHours(1) } }),
    await mate.call("omn_update_memory", { key: "vpn.ending", metadata: { expiry: inHours(9) } }),
    await mate.call("omn_store_memory", { key: "vpn.lasting", content: "Gone soon.", metadata: { ...shared, expiry: inHours(1) } }),
    await mate.call("omn_import_memories", { memories: [{ key: "vpn.lasting", content: "Gone soon.", visibility: "shared", expires_at: inHours(1) }], on_conflict: "update" }),
  ];
  for (const { isError, text } of refused) {
    expect(isError, text).toBe(true);
    expect(text).toMatch(/owner or a team admin .* may erase .* expire sooner.*archive/is);
  }
  expect((await owner.call("omn_retrieve_memory", { key: "vpn.lasting" })).structured["memories"][0]).toMatchObject({ content: fact });
  expect(await expiryOf("vpn.lasting")).toBeNull();

  // To live longer, and words without an end, are any member's to write.
  for (const metadata of [{ expiry: inHours(11) }, { expiry: null }]) expect((await mate.call("omn_update_memory", { key: "vpn.ending", metadata })).structured).toMatchObject({ outcome: "updated" });
  expect(await expiryOf("vpn.ending")).toBeNull();
  // What the owner wrote is not taken back to its end.
  const reverted = await mate.call("omn_revert", { author: mate.id, since: inHours(-1) });
  expect(reverted.text).toContain("or let it expire");
  await mate.call("omn_revert", { author: mate.id, since: inHours(-1), confirm: reverted.structured["confirm"] });
  expect(await expiryOf("vpn.ending")).toBeNull();

  for (const who of [admin, owner]) expect((await who.call("omn_update_memory", { id: lasting["memory_id"], metadata: { expiry: inHours(who === admin ? 2 : 1) } })).structured).toMatchObject({ outcome: "updated" });
});
