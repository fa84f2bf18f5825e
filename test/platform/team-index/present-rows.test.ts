import { evictDurableObject } from "cloudflare:test";
import fc from "fast-check";
import { expect, test } from "vitest";
import { forget } from "../../../src/domain/memories/forget.ts";
import { minute, newTeam, now, type Person } from "../../support/team.ts";

const words = ["heron", "stork", "crane"];
const visibilities = ["private", "shared", "public"] as const;
const keys = ["a", "b", "c", "d"];

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.constant("keep" as const), who: fc.nat(1), key: fc.nat(3), word: fc.nat(2), visibility: fc.constantFrom(...visibilities), isThread: fc.boolean(), lives: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("archive" as const), who: fc.nat(1), nth: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("erase" as const), who: fc.nat(1), nth: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("restart" as const), who: fc.nat(1) }) },
);

/** A filter that all memories pass is answered by SQL over the table, a query without one from the rows in memory. */
test("the rows in memory answer as the table does, whatever is written, archived, erased, made private or expires meanwhile [S6] [S15]", async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 12, size: "max" }), async (steps) => {
      const team = await newTeam();
      const people: Person[] = [team.owner, await team.join()];
      const ids = new Set<string>();
      for (const [n, one] of steps.entries()) {
        const at = now + n * minute;
        const person = people[one.who] as Person;
        if (one.act === "keep") {
          const { visibility, lives } = one;
          const namespace = one.isThread ? "thread:birds" : "global";
          const expiresAt = lives === undefined ? undefined : at + lives * minute;
          const memory = await person.keep(keys[one.key] as string, `${words[one.word]} number ${n}`, { visibility, namespace, expiresAt }, at).catch(() => undefined);
          if (memory) ids.add(memory.id);
        } else if (one.act === "restart") {
          await person.search("none", {}, at);
          await evictDurableObject(team.index);
        } else {
          const id = [...ids][one.nth % Math.max(1, ids.size)];
          // Not everybody may, and the memory may be gone.
          if (id !== undefined) await remove(person, id, one.act, at).catch(() => undefined);
        }
        for (const viewer of people) {
          const found = await viewer.search(words.join(" "), {}, at);
          expect(found).toEqual(await viewer.search(words.join(" "), { filter: { minImportance: 0 } }, at));
          compared += found.length;
        }
      }
    }),
    { numRuns: 12 },
  );
  expect(compared).toBeGreaterThan(50);
});

test("what a merged segment still holds of a former text, or of an erased or archived memory, is found no more [S6] [S15]", async () => {
  const team = await newTeam();
  const [ada, grace] = [team.owner, await team.join()];
  const of = (key: string) => ada.keep(key, `the heron of ${key}`, { visibility: "shared" });
  await of("revised");
  const [erased, archived] = [await of("erased"), await of("archived")];
  // More than the text index keeps unmerged.
  const others = Array.from({ length: 400 }, (_, n) => ({ key: `other.${n}`, content: `entry${n} of the ledger`, visibility: "shared" }));
  expect((await ada.call("omn_import_memories", { memories: others })).structured).toMatchObject({ created: 400 });
  expect(await grace.search("heron")).toHaveLength(3);

  await ada.keep("revised", "the stork", { visibility: "shared" }, now + minute);
  await remove(ada, erased.id, "erase", now + minute);
  await remove(ada, archived.id, "archive", now + minute);

  expect(await grace.search("heron stork", {}, now + 2 * minute)).toEqual(["the stork"]);
});

async function remove(person: Person, id: string, mode: "archive" | "erase", at: number): Promise<void> {
  const preview = await forget(person.at(at), { ids: [id], mode });
  if (preview.outcome === "preview") await forget(person.at(at), { ids: [id], mode, confirm: preview.confirm });
}
