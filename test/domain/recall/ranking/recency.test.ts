import { expect, test } from "vitest";
import { recall } from "../../../../src/domain/recall/recall.ts";
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
