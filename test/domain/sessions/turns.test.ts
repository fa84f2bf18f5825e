import { expect, test } from "vitest";
import { newSession } from "../../../src/domain/sessions/sessions.ts";
import { addTurns, type GivenTurn, mostTurns } from "../../../src/domain/sessions/turns.ts";
import { newTeam, now, services } from "../../support/team.ts";

test("what is sent again takes no place from what is new, up to the most that a session holds [A4]", async () => {
  const { principal } = (await newTeam()).owner;
  const { id } = await services.sessions.create(principal, newSession({ tool: "cursor", project: "shop", now }));
  const turns = (from: number, to: number): GivenTurn[] => Array.from({ length: to - from }, (_, i) => ({ id: `t${from + i}`, role: "user", name: null, at: now + from + i, content: `turn ${from + i}` }));
  expect(await addTurns(services.sessions, principal, id, turns(0, mostTurns - 2))).toBe(mostTurns - 2);
  expect(await addTurns(services.sessions, principal, id, turns(mostTurns - 5, mostTurns + 3))).toBe(mostTurns);
  expect((await services.sessions.lastTurns(principal, id, 2)).map(({ content }) => content)).toEqual([`turn ${mostTurns - 2}`, `turn ${mostTurns - 1}`]);
}, 120_000);
