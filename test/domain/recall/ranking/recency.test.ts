import { expect, test } from "vitest";
import { recall } from "../../../../src/domain/recall/recall.ts";
import { rendering } from "../../../support/rendering.ts";
import { day, newTeam, now } from "../../../support/team.ts";

test("of two that answer alike the newer stands first, the sooner the shorter the half-life [D5] [C4]", async () => {
  const { owner } = await newTeam();
  const older = (await owner.remember("the heron stands by the lake", { importance: 0.8 }, now - 30 * day)).memory;
  const newer = (await owner.remember("by the lake stands the heron", { importance: 0.5 })).memory;
  const ask = async (recencyHalfLife?: number): Promise<string[]> => {
    const { items } = await recall({ ...owner.at(now), recencyHalfLife }, { query: "heron by the lake", limit: 10, without: ["dedupe"] });
    return items.map(({ memory }) => memory.id);
  };
  expect(await ask(), "a month is little beside importance").toEqual([older.id, newer.id]);
  expect(await ask(day)).toEqual([newer.id, older.id]);
});

test("a turn of a talk counts as much however long ago it was said [D5]", async () => {
  const { owner } = await newTeam();
  const instants = [0, 1].map((said) => now - said * 30 * day);
  for (const at of instants) await owner.remember(`at ${at} the heron stands by the lake`, { namespace: "thread:walk" }, at);
  const scores = async (recencyHalfLife: number): Promise<unknown> => {
    const { receipt } = await recall({ ...owner.at(now), recencyHalfLife }, { query: "heron by the lake", limit: 10, without: ["dedupe"], receipt: true, rendering });
    return receipt?.hits.map(({ score, parts }) => [score, parts.recency ?? 0]);
  };
  expect(await scores(day)).toEqual([[expect.any(Number), 0], [expect.any(Number), 0]]);
  expect(await scores(day)).toEqual(await scores(1_000 * day));
});
