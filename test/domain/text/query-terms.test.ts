import { describe, expect, test } from "vitest";
import { queryTerms } from "../../../src/domain/text/query-terms.ts";

const wordsOf = (question: string): string => queryTerms(question).map(({ word }) => word).join(" ");

describe("what a question that asks for all there is on a subject is looked up by: the subject [D5]", () => {
  test.each([
    "everything about Mara", "Everything about Mara.", "tell me everything about Mara", "Can you tell me everything about Mara?", "Everything there is to know about Mara", "anything on Mara?",
    "What do we know about Mara?", "What do you remember about Mara?", "what is known about Mara", "list all notes about Mara", "List everything you know about Mara", "Please show me all the facts about Mara",
    "Show all our memories about Mara", "all info on Mara", "Give me all the information you have about Mara", "What information do we have about Mara?",
    "Alles über Mara", "Zeig mir alles über Mara", "Was wissen wir über Mara?", "Was weißt du über Mara?", "alle Notizen zu Mara",
  ])("%s", (question) => {
    expect(wordsOf(question)).toBe("mara");
  });

  test.each([
    ["all notes about the frontend", "frontend"], ["everything about Lotus Notes", "lotus notes"], ["everything about the open source policy", "open source policy"],
  ])("%s: %s", (question, subject) => {
    expect(wordsOf(question)).toBe(subject);
  });

  test.each([
    ["everything", "everything"], ["Lotus Notes", "lotus notes"], ["Are all invoices paid?", "invoices paid"], ["The show on Friday", "show friday"], ["What do you know about me?", "know"], ["TODO about the invoice", "todo invoice"],
    ["Which notes about Mara are private?", "notes mara private"], ["Who leads everything about search?", "leads everything search"], ["open source", "open source"], ["list on Friday", "list friday"], ["Name on the invoice", "name invoice"], ["our info about", "info"],
    ["Note about Mara: does she know everything about search?", "note mara know everything search"], ["誰がMaraについて書いた？", "誰が mara につ つい いて て書 書い いた"], ["notes about Mara", "notes mara"],
  ])("but of %s: %s", (question, rest) => {
    expect(wordsOf(question)).toBe(rest);
  });
});
