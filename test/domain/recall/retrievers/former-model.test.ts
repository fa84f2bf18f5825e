import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { indexed, newTeam } from "../../../support/team.ts";

test("until an update to another model has made the vectors anew, questions are answered and texts embedded without the former one [S13] [E1]", async () => {
  const { id, owner: ada } = await newTeam();
  await ada.call("omn_store_memory", { key: "k", content: "The lighthouse keeper likes marzipan." });
  await indexed(ada.principal);
  await env.SHARD_0.prepare("UPDATE serving_spaces SET space = 'workers-ai:@omnimemory/static@0123456789ab:192#2' WHERE team_id = ?").bind(id).run();

  const { structured, text } = await ada.call("omn_retrieve_memory", { query: "lighthouse keeper" });
  expect(text).toContain("marzipan");
  expect(structured["degraded"]).toBeUndefined();
  expect((await ada.call("embed_text", { texts: ["lighthouse"] })).structured).toMatchObject({ vectors: [expect.anything()] });
});
