import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { archiveOne, forget } from "../../../src/domain/memories/forget.ts";
import { list } from "../../../src/domain/memories/list.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import { listResources } from "../../../src/tools/resources.ts";
import { minute, newTeam, now, type Person, type Team } from "../../support/team.ts";

let team: Team;
let ada: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const later = now + minute;

async function erase(who: Person, id: string): Promise<void> {
  const preview = await forget(who.at(later), { ids: [id], mode: "erase" });
  if (preview.outcome === "preview") await forget(who.at(later), { ids: [id], mode: "erase", confirm: preview.confirm });
}

/** Something that happens between two pages. `n` picks the memory it happens to. */
const event = fc.record({
  kind: fc.constantFrom("insert", "import older", "update", "same key", "erase", "archive", "restore", "hide", "nothing"),
  n: fc.nat(100),
});

describe("pages are stable under writes [A1] [S14]", () => {
  test("every memory that was there throughout is listed exactly once, none twice, none that was gone before", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 14 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.array(event, { maxLength: 4 }), { minLength: 1, maxLength: 20 }),
        async (count, limit, between) => {
          const fresh = await newTeam();
          const [lister, writer] = [fresh.owner, await fresh.join("admin")];
          const always = new Set<string>();
          const gone = new Set<string>();
          const all: string[] = [];
          for (let n = 0; n < count; n += 1) {
            const { id } = await writer.keep(`k.${n}`, `c${n}`, { visibility: "shared" }, now + n);
            always.add(id);
            all.push(id);
          }
          const leave = (id: string): void => void (always.delete(id), gone.add(id));
          const apply = async ({ kind, n }: { kind: string; n: number }): Promise<void> => {
            const id = all[n % Math.max(all.length, 1)];
            if (kind === "insert") all.push((await writer.keep(`new.${all.length}`, "new", { visibility: "shared" }, later + n)).id);
            if (kind === "import older") await writer.call("omn_import_memories", { memories: [{ id: crypto.randomUUID(), content: "old", visibility: "shared", created_at: "2020-01-01" }] });
            if (id === undefined || gone.has(id)) return;
            if (kind === "update") await revise(writer.at(later), { target: { id }, changes: { content: `changed ${n}` } });
            if (kind === "same key") await writer.remember(`stored ${n}`, { key: `k.${n % count}`, visibility: "shared" }, later);
            if (kind === "erase") leave((await erase(writer, id), id));
            const [found] = await writer.recall({ id }, later);
            if (kind === "archive" && found) leave((await archiveOne(writer.at(later), found.memory), id));
            if (kind === "hide") leave((await revise(writer.at(later), { target: { id }, changes: { visibility: "private" } }), id));
          };

          const seen: string[] = [];
          const goneBefore: string[][] = [];
          for (let page = 0, cursor: string | undefined; ; page += 1) {
            goneBefore.push([...gone]);
            const answer = await list(lister.at(later + 1_000), { limit, ...(cursor ? { cursor } : {}) });
            for (const { id } of answer.memories) {
              expect(goneBefore[page]).not.toContain(id);
              seen.push(id);
            }
            cursor = answer.nextCursor;
            if (!cursor) break;
            for (const happening of between[page % between.length] ?? []) await apply(happening);
          }
          expect(new Set(seen).size, "nothing twice").toBe(seen.length);
          for (const id of always) expect(seen.filter((other) => other === id), id).toHaveLength(1);
        },
      ),
      { numRuns: 40 },
    );
  }, 120_000);

  test("the same holds for filtered pages, archived ones, and the list of resources", async () => {
    for (let n = 0; n < 30; n += 1) await ada.keep(`k.${n}`, `c${n}`, { tags: n % 2 ? ["odd"] : ["even"] }, now + n);
    const pages = async (read: (cursor: string | undefined) => Promise<{ ids: string[]; next: string | undefined }>): Promise<string[]> => {
      const seen: string[] = [];
      for (let cursor: string | undefined, n = 0; ; n += 1) {
        const { ids, next } = await read(cursor);
        seen.push(...ids);
        cursor = next;
        if (!cursor) return seen;
        await ada.keep(`between.${n}`, "new", { tags: ["odd"] }, later);
      }
    };
    const odd = await pages(async (cursor) => {
      const { memories, nextCursor } = await list(ada.at(later), { filter: { tags: ["odd"] }, limit: 4, ...(cursor ? { cursor } : {}) });
      return { ids: memories.map(({ content }) => content), next: nextCursor };
    });
    expect(odd).toEqual(Array.from({ length: 15 }, (_, n) => `c${29 - 2 * n}`));
    for (let n = 0; n < 60; n += 1) await ada.keep(`more.${n}`, `m${n}`, {}, later);
    const uris = await pages(async (cursor) => {
      const { resources, nextCursor } = await listResources({ ...ada.at(later), project: undefined, sessionId: undefined, changed: () => undefined } as never, cursor);
      return { ids: resources.map(({ uri }) => uri), next: nextCursor };
    });
    expect(new Set(uris).size).toBe(uris.length);
    expect(uris.filter((uri) => uri.startsWith("omnimemory://memory/"))).toHaveLength(30 + 60 + 3);
  });

  test("newest first, as the tool shows it, and a cursor that nobody gave is refused", async () => {
    for (let n = 0; n < 5; n += 1) await ada.keep(`k.${n}`, `c${n}`, {}, now + n);
    await revise(ada.at(later), { target: { key: "k.0" }, changes: { content: "changed" } });
    const first = await ada.call("omn_list_memories", { limit: 3 });
    expect(first.structured["memories"].map((memory: { key: string }) => memory.key)).toEqual(["k.4", "k.3", "k.2"]);
    const second = await ada.call("omn_list_memories", { limit: 3, cursor: first.structured["next_cursor"] });
    expect(second.structured["memories"].map((memory: { key: string }) => memory.key)).toEqual(["k.1", "k.0"]);
    expect(second.structured["next_cursor"]).toBeUndefined();
    for (const cursor of ["x", "' OR 1=1", "01a1f8d3-ea00-7af5-b62c-e54633dc4eaZ"]) {
      expect((await ada.call("omn_list_memories", { cursor })).error?.code, cursor).toBe("VALIDATION_ERROR");
    }
  });

  test("a last page that is exactly full has no cursor", async () => {
    for (let n = 0; n < 4; n += 1) await ada.keep(`k.${n}`, `c${n}`);
    expect((await list(ada.at(later), { limit: 4 })).nextCursor).toBeUndefined();
    expect((await list(ada.at(later), { limit: 3 })).nextCursor).toBeDefined();
  });
});

test("a list by a key pattern goes on with its cursor, as every list does, and Token Saver's says that there is more [A1]", async () => {
  const stored: string[] = [];
  for (let n = 0; n < 5; n += 1) stored.unshift((await ada.keep(`k.${n}`, `c${n}`, {}, now + n)).id);
  await ada.keep("other", "c", {}, now + 9);
  const seen: string[] = [];
  const pages: number[] = [];
  for (let cursor: string | undefined; pages.length < 9; ) {
    const { structured } = await ada.call("omn_list_memories", { key: "k.*", limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    const ids = (structured["memories"] as { memory_id: string }[]).map(({ memory_id }) => memory_id);
    seen.push(...ids);
    pages.push(ids.length);
    cursor = structured["next_cursor"] as string | undefined;
    if (cursor === undefined) break;
  }
  expect([pages, seen]).toEqual([[2, 2, 1], stored]);
  expect((await ada.call("omn_list_memories", { key: "k.*", limit: 5 })).structured).not.toHaveProperty("next_cursor");
  const told = async (limit: number) => (await ada.call("list_memories", { pattern: "k.*", limit })).text.includes("More than limit");
  expect([await told(4), await told(5)]).toEqual([true, false]);
});
