import { expect, test } from "vitest";
import { noteOf } from "../../../src/domain/intelligence/note.ts";
import type { Memory } from "../../../src/domain/memories/memory.ts";
import { newTeam, now } from "../../support/team.ts";

test("a note says what its memory says, and neither a secret nor what is kept back becomes one", async () => {
  const team = await newTeam();
  const stored = await team.owner.remember("Billing runs on PostgreSQL.", { key: "billing", namespace: "project:shop", tags: ["db"] });
  const memory = stored.memory as Memory;
  expect(noteOf(memory)).toEqual({ content: "Billing runs on PostgreSQL.", context: "shop", key: "billing", summary: null, type: "standard", tags: ["db"], at: now });
  expect(noteOf({ ...memory, value: { port: 1 } }).content).toBe('Billing runs on PostgreSQL.\n{"port":1}');
  expect(() => noteOf({ ...memory, sensitivity: "secret" })).toThrow("A secret memory is told to no provider");
  expect(() => noteOf({ ...memory, redaction: "redacted" })).toThrow("told to no provider");
  expect(() => noteOf({ ...memory, quarantine: { reasons: ["x"], visibility: "shared", sensitivity: "normal" } })).toThrow("A memory in quarantine is told to no provider");
});
