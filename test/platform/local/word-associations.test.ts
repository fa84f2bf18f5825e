import { describe, expect, test } from "vitest";
import { encodeAssociations, parseAssociations } from "../../../scripts/static-model/associations.ts";
import { WordAssociations } from "../../../src/platform/local/word-associations.ts";

/** English words, and one of another language that means the second. */
const rows = [["revert"], ["rollback"], ["baby"], ["rollbacks"], ["unrelated"], ["rollback"], []];
const file = encodeAssociations(parseAssociations("revert: rollback undo\nrollback: revert\nbaby: revert nowhere\n"), rows.length, (row) => rows[row] as string[]);
const buffer = new Uint8Array(file).buffer;
const associations = new WordAssociations(buffer, rows.length);

describe("words that people say in place of others", () => {
  test("two words that name each other are nearer than two of which one names the other, from either side", () => {
    const [revert, rollback, baby] = [associations.from(0), associations.from(1), associations.from(2)];
    expect(revert(1)).toBe(rollback(0));
    expect(revert(2)).toBe(baby(0));
    expect(revert(1)).toBeGreaterThan(revert(2));
    expect(revert(2)).toBeGreaterThan(0);
    expect(rollback(2)).toBe(0);
  });

  test("another form of a word, and the same in another language, count like the word", () => {
    const revert = associations.from(0);
    expect(revert(3)).toBe(revert(1));
    expect(revert(5)).toBe(revert(1));
    expect(associations.from(1)(3)).toBeGreaterThan(revert(1));
  });

  test("a word that nothing is known of is near to nothing, itself included", () => {
    expect(rows.map((_, other) => associations.from(6)(other))).toEqual(rows.map(() => 0));
    expect(associations.from(4)(0)).toBe(0);
  });

  test("a file for another table is refused", () => {
    expect(() => new WordAssociations(buffer, rows.length + 1)).toThrow("word-associations.bin");
    expect(() => new WordAssociations(new ArrayBuffer(64), rows.length)).toThrow("word-associations.bin");
  });
});
