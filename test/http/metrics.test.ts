import { beforeEach, describe, expect, test } from "vitest";
import dashboard from "../../docs/grafana.json";
import { keyFor } from "../domain/tenancy/tenant.ts";
import { newTeam, type Person, type Team } from "../support/team.ts";
import { send } from "./raw.ts";

let team: Team;
let ada: Person;
beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  await ada.keep("ledger", `The ledger is kept in PostgreSQL. ${"It was moved there in spring. ".repeat(200)}`);
  await ada.call("omn_retrieve_memory", { key: "ledger", decompress: false });
  // Whoever asks their session for statistics has what they did written first.
  await ada.call("omn_get_stats");
});

const get = (path: string, token: string): Promise<Response> => send({ method: "GET", path, token });

describe("REST statistics [A15]", () => {
  test("are those of the tool", async () => {
    const { memories: _, ...told } = (await ada.call("omn_get_stats")).structured;
    const shown = (await (await get(`/v1/teams/${ada.principal.teamId}/stats`, ada.token)).json()) as Record<string, unknown>;
    expect(shown).toEqual({ ...told, from: expect.any(String), to: expect.any(String) });
    expect(shown).toMatchObject({ calls: 1, calls_prevented: 1, top_operations: [{ operation: "omn_retrieve_memory" }] });
  });

  test("of the team take memory:admin, and what is wrong with the query is said", async () => {
    const { token } = await keyFor(ada.principal, ada.id, ["memory:read"]);
    const path = `/v1/teams/${ada.principal.teamId}/stats`;
    expect((await get(`${path}?of=team`, token)).status).toBe(403);
    expect((await get(`${path}?of=team`, ada.token)).status).toBe(200);
    expect((await get(`${path}?days=0`, ada.token)).status).toBe(400);
    expect((await get(`${path}?by=minute`, ada.token)).status).toBe(400);
  });
});

describe("/metrics [A17]", () => {
  test("is Prometheus text of the key's team, with a type and help for each metric", async () => {
    const answer = await get("/metrics", ada.token);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const lines = (await answer.text()).trimEnd().split("\n");
    for (const line of lines) expect(line).toMatch(/^(?:# (?:HELP|TYPE) [a-z_0-9]+ .+|[a-z_0-9]+(?:\{[a-z]+="[^"]*"(?:,[a-z0-9]+="[^"]*")*\})? [0-9.e+-]+)$/);
    const named = new Set(lines.filter((line) => !line.startsWith("#")).map((line) => line.split(/[{ ]/)[0]));
    for (const name of named) expect(lines.filter((line) => line.startsWith(`# TYPE ${name} `))).toHaveLength(1);
    expect(lines).toContain('omnimemory_calls_total{operation="omn_retrieve_memory"} 1');
    expect(lines.some((line) => /^omnimemory_tokens_prevented_total\{operation="omn_retrieve_memory"\} [1-9]\d+$/.test(line))).toBe(true);
    const metrics = lines.flatMap((line) => /^# TYPE ([a-z_0-9]+) /.exec(line)?.[1] ?? []);
    for (const { targets } of dashboard.panels) for (const { expr } of targets) for (const [name] of expr.matchAll(/omnimemory_[a-z_0-9]+/g)) expect(metrics).toContain(name);
  });

  test("takes an admin's key that was granted memory:admin, and tells nothing of other teams", async () => {
    expect((await send({ method: "GET", path: "/metrics" })).status).toBe(401);
    const { token } = await keyFor(ada.principal, ada.id, ["memory:read", "memory:write"]);
    expect((await get("/metrics", token)).status).toBe(403);
    expect((await get("/metrics", (await team.join("member")).token)).status).toBe(403);
    expect((await get("/metrics", (await team.join("admin")).token)).status).toBe(200);
    const stranger = (await newTeam()).owner;
    expect(await (await get("/metrics", stranger.token)).text()).not.toContain("omn_retrieve_memory");
  });
});
