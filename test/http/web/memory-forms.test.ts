import { beforeEach, describe, expect, test } from "vitest";
import { newBootstrapLink } from "../../../src/domain/tenancy/sign-in-link.ts";
import { newTeam, type Person, type Team } from "../../support/team.ts";
import { Browser, signInStore } from "./browser.ts";

let team: Team;
let ada: Browser;
beforeEach(async () => {
  team = await newTeam();
  ada = await browserOf(team.owner);
});

async function browserOf({ id }: Person): Promise<Browser> {
  const browser = new Browser();
  await browser.post("/sign-in/link", { token: (await newBootstrapLink(signInStore, id, Date.now())) ?? "" });
  return browser;
}

const stored = async (args: Record<string, unknown>): Promise<string> => (await team.owner.call("omn_store_memory", args)).structured["memory_id"] as string;
const path = (id = ""): string => `/memories/${team.id}${id && `/${id}`}`;
const page = async (at: string): Promise<string> => (await ada.get(at)).text();

describe("what a person writes on a memory's page [A13] [U8]", () => {
  test("a form that is sent twice is not in conflict with itself", async () => {
    const id = await stored({ content: "The harbour opens at six." });
    const twice = async (at: string, form: Record<string, string>): Promise<(string | null)[]> => (await Promise.all([1, 2, 3].map(() => ada.post(at, form)))).map(({ headers }) => headers.get("location"));
    expect(await twice(path(id), { content: "The harbour opens at seven.", version: "1" })).toEqual(Array.from({ length: 3 }, () => `${path(id)}?saved=2`));
    expect(await twice(`${path(id)}/say-again`, { said: "1", version: "2" })).toEqual(Array.from({ length: 3 }, () => `${path(id)}?saved=3`));
    expect(await page(path(id))).toContain('name="version" value="3"');
  });
});
