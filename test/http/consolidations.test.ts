import { expect, test } from "vitest";
import { exported } from "../support/revert.ts";
import { newTeam, type Person } from "../support/team.ts";
import { send } from "./raw.ts";

const rest = async (who: Person, method: string, path: string, body: unknown = ""): Promise<{ status: number; body: Record<string, any> }> => {
  const answer = await send({ token: who.token, method, path: `/v1/teams/${who.principal.teamId}/${path}`, body });
  return { status: answer.status, body: await answer.json<Record<string, any>>() };
};

test("previewed, confirmed, listed among the runs and undone by REST", async () => {
  const { owner } = await newTeam();
  await owner.call("omn_import_memories", { memories: [
    { content: "The owner of the billing service is Priya Rao.", occurred_at: "2026-01-05T00:00:00Z" },
    { content: "The owner of the billing service is now Tomas Lind.", occurred_at: "2026-03-05T00:00:00Z" },
  ] });
  const before = await exported(owner);
  expect(await rest(owner, "POST", "consolidations", { limit: 0 })).toMatchObject({ status: 400, body: { error: { code: "VALIDATION_ERROR" } } });
  const preview = await rest(owner, "POST", "consolidations", {});
  expect(preview).toMatchObject({ status: 200, body: { outcome: "preview", count: 1, would_settle: [{ decision: "supersede", by: "rules" }] } });
  expect(await exported(owner)).toBe(before);
  const { confirm } = preview.body;
  expect(await rest(owner, "POST", "consolidations", { confirm })).toMatchObject({ status: 200, body: { outcome: "consolidated", run: confirm, count: 1 } });
  expect((await rest(owner, "GET", "reverts")).body["reverts"]).toMatchObject([{ run: confirm, kind: "consolidation", count: 1 }]);
  expect(await rest(owner, "POST", "reverts", { undo: confirm })).toMatchObject({ status: 200, body: { outcome: "undone", count: 1 } });
  expect(await exported(owner)).toBe(before);
});
