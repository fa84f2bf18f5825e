import { evictDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { TeamIndexClient } from "../../../src/platform/team-index/client.ts";
import type { TeamIndex } from "../../../src/platform/team-index/team-index.ts";
import { UserSession } from "../../../src/session/user-session.ts";
import { newTeam, sessionOf, sisterOf, type Person, type Team } from "../../domain/memories/world.ts";

let team: Team;
let ada: Person;
let grace: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  grace = await team.join();
});

afterEach(() => {
  vi.restoreAllMocks();
});

const contents = async (who: Person): Promise<string[]> =>
  (await who.call("omn_retrieve_memory", { query: "lighthouse" })).structured["memories"].map(({ content }: { content: string }) => content);

/** Asks until the answer is kept, and believed to hold. */
async function believes(who: Person): Promise<void> {
  await contents(who);
  await contents(who);
}

/** What sessions do when an index tells them of another state: the runtime calls methods of the class only. */
const whenTold = (answer: () => void | Promise<void>) => vi.spyOn(UserSession.prototype, "indexChanged").mockImplementation(answer as () => void);

async function store(who: Person, content: string, scope = "shared"): Promise<void> {
  const answer = await who.call("omn_store_memory", { key: content.replaceAll(" ", "."), content, metadata: { scope } });
  expect(answer.structured["outcome"]).toBe("created");
}

describe("[A11] a session that believes what an index said", () => {
  test("asks it no more for a while, and is told of the next change before that is acknowledged", async () => {
    await store(grace, "The lighthouse is white");
    await believes(ada);
    const told = vi.spyOn(UserSession.prototype, "indexChanged");
    await store(grace, "The lighthouse is tall");
    expect(told).toHaveBeenCalled();
    expect((await contents(ada)).sort()).toEqual(["The lighthouse is tall", "The lighthouse is white"]);
  });

  test("is told of what another team makes public, too", async () => {
    const sister = await sisterOf(team);
    await believes(ada);
    await store(sister.owner, "The lighthouse is for all", "public");
    expect(await contents(ada)).toEqual(["The lighthouse is for all"]);
  });

  test("is not told of what a colleague keeps to themselves", async () => {
    await believes(ada);
    const told = vi.spyOn(UserSession.prototype, "indexChanged");
    await store(grace, "The lighthouse keeper is my aunt", "private");
    expect(told).not.toHaveBeenCalled();
  });

  test.each([
    ["hangs", () => new Promise<void>(() => undefined)],
    ["fails", () => Promise.reject(new Error("broken for the test"))],
  ])("and %s when it is told is waited for until it believes no longer", async (_how, answer) => {
    await believes(ada);
    whenTold(answer);
    await store(grace, "The lighthouse is white");
    expect(await contents(ada)).toEqual(["The lighthouse is white"]);
  });

  test("does so while the index starts anew, and the next change waits until that has ended", async () => {
    await believes(ada);
    await evictDurableObject(team.index);
    await store(grace, "The lighthouse is white");
    expect(await contents(ada)).toEqual(["The lighthouse is white"]);
  });

  test("and is evicted believes nothing afterwards", async () => {
    await believes(ada);
    await evictDurableObject(sessionOf(ada));
    await store(grace, "The lighthouse is white");
    expect(await contents(ada)).toEqual(["The lighthouse is white"]);
  });
});

describe("[A11] what an index said", () => {
  test("is not believed when it was told on the way that the state is another", async () => {
    const asked: PromiseWithResolvers<unknown>[] = [];
    const state = (): Promise<unknown> => {
      const answer = Promise.withResolvers();
      asked.push(answer);
      return answer.promise;
    };
    const objects = { getByName: () => ({ state }) } as unknown as DurableObjectNamespace<TeamIndex>;
    const client = new TeamIndexClient(objects, () => undefined, "session");
    const said = (generation: string): void => asked.splice(0).forEach(({ resolve }) => resolve({ generation, changes: undefined, documents: 0, others: false }));

    const first = client.state(ada.principal);
    client.disbelieve();
    said("1");
    expect((await first)?.generation).toBe("1-1");
    const second = client.state(ada.principal, "1-1");
    expect(asked).toHaveLength(2);
    said("2");
    expect((await second)?.generation).toBe("2-2");
    expect((await client.state(ada.principal, "2-2"))?.generation).toBe("2-2");
  });
});
