import { getTableColumns } from "drizzle-orm";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import type * as z from "zod";
import { embeddingText, isEmbeddable } from "../../../src/domain/indexing/embedding-text.ts";
import { newState, sameState, type Memory } from "../../../src/domain/memories/memory.ts";
import {
  type FieldDefinition, fromShortJson, type GivenField, givenFields, jsonFields, memoryFields, memoryFilters, type MemoryState, sealedFields, stateFieldNames, toShortJson,
} from "../../../src/domain/memories/memory-fields.ts";
import { portableMemory, toPortable, toState } from "../../../src/domain/memories/portable.ts";
import { firstVersion } from "../../../src/domain/memories/versions.ts";
import { redacted } from "../../../src/domain/secrets/redaction.ts";
import { memories } from "../../../src/platform/d1/shard-schema.ts";
import { toDocument } from "../../../src/platform/team-index/document.ts";
import { placesWith } from "../secrets/stored.ts";
import { said } from "./arbitrary.ts";
import { indexed, newTeam, now } from "../../support/team.ts";

afterEach(() => void vi.restoreAllMocks());

/** Fails to compile, with the name of the field, when a rule lets through what the field cannot hold. `metadata` is split by `toState`. */
type Misfit = { [K in Exclude<GivenField, "metadata">]: z.output<(typeof memoryFields)[K]["given"]> extends MemoryState[K] ? never : K }[Exclude<GivenField, "metadata">];
const noMisfit: [Misfit] extends [never] ? true : Misfit = true;

const fields = Object.entries<FieldDefinition>(memoryFields);

describe("the table of fields and the rest", () => {
  test("the schema of a shard has a column for each field, of its name and kind, and no other but the visibility key and the number of the data key", () => {
    expect(noMisfit).toBe(true);
    const columns = new Map(Object.entries(getTableColumns(memories)));
    for (const [field, { name, kind, values, initial }] of fields) {
      const column = columns.get(field);
      expect(column?.name, field).toBe(name);
      expect(column?.notNull, field).toBe(initial !== null);
      const dataType = (jsonFields as string[]).includes(field) ? "json" : kind === "number" || kind === "instant" ? "number" : "string";
      expect(column?.dataType, field).toBe(dataType);
      if (column?.enumValues) expect(column.enumValues, field).toEqual(values);
      columns.delete(field);
    }
    expect([...columns.keys()]).toEqual(["visibilityKey", "dataKey"]);
  });

  test("a name stands for one field, and no filter asks for a field that is sealed but metadata, of which a secret has none for it", () => {
    const names = fields.map(([, { name }]) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { field } of Object.values(memoryFilters)) expect(sealedFields.filter((sealed) => sealed !== "metadata")).not.toContain(field);
  });
});

describe("every field that an export carries", () => {
  test("survives it: parsed again it says the same [U10] [S14]", () => {
    const ctx = { principal: { teamId: "t", userId: "u" }, now, tool: "vitest" } as Parameters<typeof firstVersion>[0];
    fc.assert(
      fc.property(said, (state) => {
        const memory = firstVersion(ctx, newState({ ...state, ownerId: "u" }));
        const record = portableMemory.parse(JSON.parse(JSON.stringify({ ...toPortable(memory, []), id: undefined })));
        expect(sameState(newState({ content: "", ...toState(record), ownerId: "u" }), memory)).toBe(true);
        expect(Object.keys(toState(record)).sort()).toEqual([...givenFields].sort());
      }),
      { numRuns: 300 },
    );
  });
});

/** In each sealed field, in the form that it takes. */
const marked = (marker: string): Partial<MemoryState> =>
  Object.fromEntries(
    sealedFields.map((field) => {
      const { kind }: FieldDefinition = memoryFields[field];
      const text = `${marker}${field.toLowerCase()}`;
      return [field, kind === "texts" ? [text] : kind === "object" ? { note: text } : kind === "citations" ? [{ path: text }] : text];
    }),
  );

describe("what a secret says in sealed fields [A13] [S17]", () => {
  test("is in no document of the index, in no text for an embedder and in nothing that is shown unasked", () => {
    fc.assert(
      fc.property(said, fc.boolean(), (state, archived) => {
        const memory = { id: "m", teamId: "t", createdAt: now, updatedBy: "u", ...newState({ ...state, ...marked("zyqwvxk"), content: "zyqwvxkcontent", sensitivity: "secret", ownerId: "u", archivedAt: archived ? now : null }) } as Memory;
        for (const copy of [toDocument(memory), redacted(memory)]) expect(JSON.stringify(copy)).not.toContain("zyqwvxk");
        expect(isEmbeddable(memory, now)).toBe(false);
        expect(isEmbeddable({ ...memory, sensitivity: "normal", archivedAt: null, expiresAt: null }, now)).toBe(true);
        expect(embeddingText(memory)).toContain("zyqwvxkcontent");
      }),
      { numRuns: 100 },
    );
  });

  test("is stored in the clear nowhere, and in no log", async () => {
    const logged = (["log", "info", "warn", "error", "debug"] as const).map((method) => vi.spyOn(console, method).mockImplementation(() => undefined));
    const team = await newTeam();
    const ada = team.owner;
    const said = Object.fromEntries(Object.entries(marked("zyqwvxk")).filter(([field]) => (givenFields as string[]).includes(field)));
    for (const visibility of ["private", "public"] as const) {
      const { id } = await ada.keep("vault", "zyqwvxkcontent", { ...said, visibility, sensitivity: "secret" });
      const [opened] = await ada.recall({ id });
      expect(opened?.memory).toMatchObject(said);
    }
    await indexed(ada.principal);
    await ada.call("omn_retrieve_memory", { key: "vault" });
    await ada.call("omn_retrieve_memory", { query: "zyqwvxkcontent", min_relevance: 0 });
    expect(await placesWith(["zyqwvxk"], team, [ada])).toEqual([]);
    expect(JSON.stringify(logged.map(({ mock }) => mock.calls))).not.toContain("zyqwvxk");
  });

  test("is what the table says, and nothing by which a memory is found or managed", () => {
    expect(sealedFields).toEqual(["content", "value", "summary", "keywords", "metadata", "relatedFiles", "citations", "compressed"]);
    expect(stateFieldNames.filter((field) => (memoryFields[field] as FieldDefinition).kind === "object").every((field) => (sealedFields as string[]).includes(field))).toBe(true);
  });
});

test("the short JSON of a memory leaves out what nobody said, and says all else [A1]", () => {
  fc.assert(
    fc.property(said, fc.option(fc.integer({ min: 0, max: now })), (state, accessedAt) => {
      const memory = { id: "m", teamId: "t", alias: 1, accessCount: 0, accessedAt, ...newState({ ...state, ownerId: "u" }) } as Memory;
      const read = JSON.parse(JSON.stringify(memory)) as Memory;
      expect(fromShortJson(JSON.parse(toShortJson(memory)))).toEqual(read);
      expect(fromShortJson(JSON.parse(JSON.stringify(memory)))).toEqual(read);
    }),
    { numRuns: 200 },
  );
  const plain = { id: "m", ...newState({ content: "text", ownerId: "u" }) };
  expect(JSON.parse(toShortJson(plain))).toEqual({ id: "m", content: "text", ownerId: "u" });
});
