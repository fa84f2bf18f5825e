import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { forget } from "../../../src/domain/memories/forget.ts";
import { followingVersion } from "../../../src/domain/memories/versions.ts";
import { commits, minute, newTeam, now, services, type Person, type Team } from "../../support/team.ts";

let team: Team;
let ada: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

/** Lets the index read its next page from D1, and holds the answer back until released. */
async function holdNextRead(): Promise<{ reached: () => Promise<void>; release: () => Promise<void> }> {
  let read = false;
  let open = (): void => undefined;
  await runInDurableObject(team.index, (instance) => {
    const index = instance as unknown as { env: Record<string, D1Database> };
    const { env } = index;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const slow: Pick<D1Database, "batch" | "prepare"> = {
      prepare: (statement) => shard.prepare(statement),
      batch: async (statements) => {
        index.env = env;
        const answer = await shard.batch(statements);
        read = true;
        await gate;
        return answer as never;
      },
    };
    const shard = env[team.ref.shard] as D1Database;
    index.env = { ...env, [team.ref.shard]: slow as D1Database };
  });
  return {
    reached: () => expect.poll(() => read).toBe(true),
    release: () => runInDurableObject(team.index, () => open()),
  };
}

async function erase(id: string): Promise<void> {
  const preview = await forget(ada.at(now), { ids: [id], mode: "erase" });
  if (preview.outcome === "preview") await forget(ada.at(now), { ids: [id], mode: "erase", confirm: preview.confirm });
}

test("whoever asks while a fresh object still reads what it missed waits for it, too [S15] [B2]", async () => {
  await ada.keep("boat", "a rowing boat");
  await ada.commitOnly("a steamer");
  await evictDurableObject(team.index);
  const held = await holdNextRead();
  const first = ada.search("steamer");
  await held.reached();
  const second = ada.search("steamer");
  await scheduler.wait(200);
  await held.release();

  expect(await Promise.all([first, second])).toEqual([["a steamer"], ["a steamer"]]);
});

describe("people write while the index reads the truth [S15] [B2]", () => {
  test("a version written meanwhile is what is found, not the one that was read", async () => {
    const first = await ada.keep("ship", "a rowing boat");
    const missed = followingVersion(ada.at(now + minute), first, { content: "a steamer" });
    const [committed] = await commits.commit(ada.principal, ada.at(now + minute), [{ memory: missed, action: "update" }]);
    const held = await holdNextRead();
    const reading = team.index.catchUp(team.ref, committed?.seq ?? 0);
    await held.reached();
    const later = now + 2 * minute;
    const writing = ada.keep("ship", "an airship", {}, later);
    await expect.poll(async () => (await services.memories.get(ada.principal, later, first.id))?.content, { timeout: 8_000 }).toBe("an airship");
    await held.release();
    await Promise.all([writing, reading]);

    expect(await ada.search("airship steamer boat", {}, later)).toEqual(["an airship"]);
    expect(await ada.search("steamer", { asOf: now + minute }, later)).toEqual(["a steamer"]);
    expect(await ada.search("boat", { asOf: now }, later)).toEqual(["a rowing boat"]);
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
  });

  test("what is erased meanwhile does not come back with what was read", async () => {
    expect(await ada.search("passphrase")).toEqual([]);
    const doomed = await ada.commitOnly("the old passphrase");
    const held = await holdNextRead();
    const reading = team.index.catchUp(team.ref, doomed.seq);
    await held.reached();
    const erasing = erase(doomed.id);
    await expect.poll(() => services.memories.get(ada.principal, now, doomed.id), { timeout: 8_000 }).toBeUndefined();
    await held.release();
    await Promise.all([erasing, reading]);

    expect(await ada.search("passphrase")).toEqual([]);
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
    expect((await team.index.stats(team.ref)).documents).toBe(0);
  });

  test("searches during a rebuild wait for it rather than miss what it has not read yet", async () => {
    for (let n = 0; n < 30; n += 1) await ada.remember(`whale number${n}`);
    const held = await holdNextRead();
    const rebuilding = team.index.rebuild(team.ref);
    await held.reached();
    const searching = ada.search("whale");
    await scheduler.wait(300);
    await held.release();
    await rebuilding;

    expect(await searching).toHaveLength(30);
  });

  test("rebuilt again and again under writers, nothing is lost and nothing comes back", async () => {
    const keys = Array.from({ length: 12 }, (_, n) => `key.${n}`);
    const state = { writing: true };
    const writer = async (w: number): Promise<void> => {
      for (let n = 0; n < 25; n += 1) {
        const memory = await ada.keep(keys[(n * 5 + w) % keys.length] as string, `round ${n} of writer${w}`, {}, now + n * minute);
        // Another writer may be faster, with a new version or an erasure.
        if (n % 6 === 5) await erase(memory.id).catch(() => undefined);
      }
    };
    const rebuilder = async (): Promise<void> => {
      while (state.writing) await team.index.rebuild(team.ref);
    };
    const rebuilding = rebuilder();
    await Promise.all([0, 1, 2].map(writer));
    state.writing = false;
    await rebuilding;

    const later = now + 60 * minute;
    const listed = (await ada.listed(later)).sort();
    expect(listed.length).toBeGreaterThan(0);
    expect((await ada.search("round writer0 writer1 writer2", {}, later)).sort()).toEqual(listed);
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
  });
});
