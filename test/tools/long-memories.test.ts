import { beforeAll, describe, expect, test } from "vitest";
import { newTeam, type Person } from "../support/team.ts";
import { countTokens } from "./o200k.ts";

const section = (about: string, fact: string): string =>
  `## ${about}\n\n${Array.from({ length: 8 }, (_, i) => `The ${about} team looked at option ${i} and wrote its findings down in the usual place.`).join(" ")} ${fact} ${
    Array.from({ length: 8 }, (_, i) => `Nobody objected to point ${i} of the ${about} part.`).join(" ")}`;
const invoices = "Invoices are numbered per country.";
const blobs = "Blobs above 4 MB go to the cold bucket.";
const design = `${section("storage", blobs)}\n\n${section("billing", invoices)}`;

/** What an answer may take that says only the beginning of a text. */
const short = 200;

let ada: Person;
beforeAll(async () => {
  ada = (await newTeam()).owner;
});

describe("a write does not repeat a long text that it was given [U5] [D1]", () => {
  const beginning = expect.stringMatching(/^## storage The storage team .{1,300}…$/) as string;

  test("memory_add with infer: false", async () => {
    const { structured, text } = await ada.call("memory_add", { messages: design, infer: false, user_id: "adding" });
    expect(structured["data"]).toMatchObject([{ id: expect.any(String) as string, event: "ADD", memory: beginning }]);
    expect(countTokens(text)).toBeLessThan(short);
  });

  test("memory_update", async () => {
    const { structured } = await ada.call("memory_add", { messages: "To be written.", infer: false, user_id: "updating" });
    const answer = await ada.call("memory_update", { memory_id: structured["data"][0].id, data: `${design} Changed.` });
    expect(answer.structured["data"]).toEqual({ id: structured["data"][0].id, event: "UPDATE", memory: beginning, version: 2 });
    expect(countTokens(answer.text)).toBeLessThan(short);
  });
});
