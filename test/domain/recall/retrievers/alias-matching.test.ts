import { beforeEach, describe, expect, test } from "vitest";
import { recall, type RecallInput, type RecallOutcome } from "../../../../src/domain/recall/recall.ts";
import { rendering } from "../../../support/rendering.ts";
import { indexed, newTeam, now, type Person, type Team } from "../../../support/team.ts";

const shared = { visibility: "shared" } as const;
const upgrade = "The Kubernetes upgrade is planned for May.";
const naming = "Kubernetes (k8s) hosts the shop";
const others = [
  "Maria prefers short stand-ups.", "Invoices are sent on Fridays.", "The logo is green.", "The canteen closes at three.", "Tests run on every push.",
  "Backups are kept for a month.", "The printer is on the second floor.", "Tom owns the billing module.", "Prices include tax.", "Holidays are entered in the calendar.",
  "The office moved to Hamburg.", "Customers may pay by invoice.", "The newsletter goes out monthly.", "Parking is free after six.", "The intern starts in March.",
  "Search is slow on Mondays.", "The contract ends in autumn.", "Meetings are held in English.", "The roof was repaired.", "Elena translates the manual.",
];

let team: Team;
let ada: Person;
beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const store = async (who: Person, texts: string[], fields: { visibility?: "shared" } = shared): Promise<void> => {
  for (const text of texts) await who.remember(text, fields);
};
/** As a tool asks unless told otherwise: with the default threshold. Words and names only, so that no vector helps. */
const ask = (who: Person, query: string, input: Partial<RecallInput> = {}): Promise<RecallOutcome> =>
  recall(who.at(now), { query, limit: 10, receipt: true, without: ["vector"], rendering, ...input });
const contents = ({ items }: RecallOutcome): string[] => items.map(({ memory }) => memory.content);

describe("a question that calls a thing by another of its names [D5]", () => {
  test.each(["k8s upgrade", "k8s", "When is the K8s upgrade?"])("%s: brings what says the other, by default", async (query) => {
    await store(ada, [naming, upgrade, ...others]);
    await indexed(ada.principal);
    const { structured } = await ada.call("omn_retrieve_memory", { query });
    const found = (structured["memories"] as { content: string }[]).map(({ content }) => content);
    expect(found).toContain(upgrade);
    expect(found[0]).toBe(query === "k8s" ? naming : upgrade);
  });

  test("the receipt says by which leg", async () => {
    await store(ada, [naming, upgrade, ...others]);
    await indexed(ada.principal);
    const { items, receipt } = await ask(ada, "k8s", { without: ["vector", "graph"] });
    const id = items.find(({ memory }) => memory.content === upgrade)?.memory.id;
    expect(receipt?.hits.find((hit) => hit.id === id)).toMatchObject({ matched: ["k8s"], legs: { entity_text: { rank: expect.any(Number) } } });
  });

  test("the other way round, and names of several words", async () => {
    const [told, bill, move] = ["Amazon Web Services (AWS) is paid by Finance.", "The AWS bill doubled.", "Moving away from Amazon Web Services was discussed."];
    await store(ada, [told, bill, move, ...others]);
    await indexed(ada.principal);
    expect(contents(await ask(ada, "amazon web services bill"))[0]).toBe(bill);
    expect(contents(await ask(ada, "moving away from aws"))[0]).toBe(move);
  });

  test("what very many tell of leads to none of them by name alone", async () => {
    await store(ada, [naming, ...Array.from({ length: 12 }, (_, i) => `Kubernetes node ${i} was replaced.`), ...others]);
    await indexed(ada.principal);
    expect(contents(await ask(ada, "k8s", { without: ["vector", "graph"] }))).toEqual([naming]);
    // But what other words bring counts as saying it.
    expect(contents(await ask(ada, "k8s node 7 replaced"))[0]).toBe("Kubernetes node 7 was replaced.");
  });

  test("without entities, in text mode and of the past nothing is asked of names", async () => {
    await store(ada, [naming, upgrade, ...others]);
    await indexed(ada.principal);
    for (const input of [{ without: ["vector", "entities"] }, { mode: "text" }, { asOf: now + 1 }] satisfies Partial<RecallInput>[]) expect(contents(await ask(ada, "k8s", input))).not.toContain(upgrade);
  });

  test("filters hold for what it brings", async () => {
    await store(ada, [naming, upgrade, ...others]);
    await indexed(ada.principal);
    expect(contents(await ask(ada, "k8s", { filter: { tags: ["absent"] } }))).toEqual([]);
  });
});

describe("names that somebody told privately [S6]", () => {
  test("are names to that person only, and lead to nobody else's memories", async () => {
    const grace = await team.join();
    await store(ada, [upgrade, ...others]);
    await store(grace, [naming, "Kubernetes is what Grace learns in secret."], {});
    await indexed(ada.principal);
    expect(contents(await ask(ada, "k8s"))).toEqual([]);
    expect(contents(await ask(grace, "k8s"))).toContain(upgrade);
    await store(ada, [naming]);
    await indexed(ada.principal);
    expect(contents(await ask(ada, "k8s")).sort()).toEqual([naming, upgrade].sort());
  });
});
