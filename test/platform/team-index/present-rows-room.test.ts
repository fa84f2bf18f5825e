import { expect, test } from "vitest";
import { PresentRows } from "../../../src/platform/team-index/present-rows.ts";

const mebibyte = 2 ** 20;
const names = (first: number, count: number): string[] => Array.from({ length: count }, (_, n) => `row-${first + n}`);

/** Rows without a database: `read` lists the ids that were asked for there. */
function rowsOf(bodyOf: (id: string) => string): { rows: PresentRows; read: string[] } {
  const read: string[] = [];
  const exec = (_query: string, teamId: string, ids: string) => {
    const asked = JSON.parse(ids) as string[];
    read.push(...asked);
    return { toArray: () => asked.map((id) => ({ slot: Number(id.slice(4)), id, teamId, shard: "s", visibility: "private", ownerId: "o", expiresAt: null, body: bodyOf(id) })) };
  };
  return { rows: new PresentRows({ exec } as unknown as SqlStorage), read };
}

const readAgain = ({ rows, read }: ReturnType<typeof rowsOf>, ids: string[]): string[] => {
  read.length = 0;
  for (const id of ids) expect(rows.ofTeam("t", [id]).get(id)?.row.id).toBe(id);
  return [...read];
};

test("rows stay in memory up to 16 MiB, and what was used stays longer than what was not", () => {
  const held = rowsOf(() => "x".repeat(2 * mebibyte));
  held.rows.ofTeam("t", names(1, 7));
  expect(readAgain(held, ["row-1", "row-2"])).toEqual([]);
  held.rows.ofTeam("t", names(8, 3));
  expect(readAgain(held, ["row-1", "row-2", "row-8", "row-9", "row-10"])).toEqual([]);
  expect(readAgain(held, ["row-3"])).toEqual(["row-3"]);
});

test("where all were used, the one read first goes", () => {
  const held = rowsOf(() => "x".repeat(2 * mebibyte));
  held.rows.ofTeam("t", names(1, 7));
  expect(readAgain(held, names(1, 7))).toEqual([]);
  held.rows.ofTeam("t", ["row-8"]);
  expect(readAgain(held, names(2, 6))).toEqual([]);
});

test("a character beyond Latin-1 makes a text take two bytes for each", () => {
  const held = rowsOf(() => `ł${"x".repeat(2 * mebibyte)}`);
  held.rows.ofTeam("t", names(1, 4));
  expect(readAgain(held, ["row-2", "row-3", "row-4"])).toEqual([]);
  expect(readAgain(held, ["row-1"])).toEqual(["row-1"]);
});
