import { expect, test } from "vitest";
import document from "../../docs/evolution.md?raw";
import { keyFor } from "../domain/tenancy/tenant.ts";
import { aged, curate } from "../domain/evolution/world.ts";
import { newTeam } from "../support/team.ts";
import { send } from "./raw.ts";

interface Command {
  method: string;
  /** Below the team. */
  path: string;
  body: string;
  headers: Record<string, string>;
  byAdmin: boolean;
}

/** The lines of the document; `…` is what the last line before it spelt out. */
function commands(): Command[] {
  let byAdmin = false;
  return [...document.matchAll(/^curl (.*?) *#/gm)].map(([, line = ""]) => {
    const key = /Bearer \$(\w+)"/.exec(line)?.[1];
    if (key !== undefined) byAdmin = key === "ADMIN_KEY";
    const accept = /"Accept: (\S+)"/.exec(line)?.[1];
    return {
      method: /-X (\w+)/.exec(line)?.[1] ?? "GET",
      path: /\/v1\/teams\/<team>\/(\S+)/.exec(line)?.[1] ?? "",
      body: /-d '(.+)'/.exec(line)?.[1] ?? "",
      headers: accept === undefined ? {} : { accept },
      byAdmin,
    };
  });
}

test("each command of docs/evolution.md is allowed to the key that it names, and an admin's to no lesser one [C8]", async () => {
  const team = await newTeam();
  const { owner } = team;
  await aged(owner, "The printer is called Gutenberg", { days: 200 });
  const { token: key } = await keyFor(owner.principal, owner.id, ["memory:read", "memory:write"]);
  const ask = (token: string, { method, path, body, headers }: Command, run = ""): Promise<Response> =>
    send({ token, method, path: `/v1/teams/${team.id}/${path.replace("<run>", run)}`, body, headers });

  const all = commands();
  expect(all.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET runs", "GET runs/events", "POST runs/<run>/undo", "POST runs", "POST runs", "POST curator/pause", "PUT evolution"]);
  let run = "";
  for (const command of all.filter(({ byAdmin }) => byAdmin)) {
    expect((await ask(key, command)).status, command.path).toBe(403);
    const answer = await ask(owner.token, command);
    expect(answer.ok, command.path).toBe(true);
    if (command.path !== "runs") continue;
    ({ run } = (await answer.json<{ run: { run: string } }>()).run);
    await curate(team);
  }
  for (const command of all.filter(({ byAdmin }) => !byAdmin)) {
    const answer = await ask(key, command, run);
    expect(answer.ok, command.path).toBe(true);
    await answer.body?.cancel();
  }
});
