import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newState } from "../../../src/domain/memories/memory.ts";
import { isSameStatement, saysTheSame, statementKey } from "../../../src/domain/memories/same-statement.ts";
import { statementForm } from "../../../src/domain/memories/statement-form.ts";
import { quickest } from "../../support/quickest.ts";

/** Sentences with places for a name, a number, an identifier, a day and a negation. */
interface Slots {
  name: string;
  number: number;
  id: string;
  day: number;
  negated: boolean;
}
const days = {
  en: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
  de: ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag"],
  zh: ["周一", "周二", "周三", "周四", "周五"],
  ja: ["月曜日", "火曜日", "水曜日", "木曜日", "金曜日"],
};
type Language = keyof typeof days;
const sentences: Record<Language, (slots: Slots) => string> = {
  en: ({ name, number, id, day, negated }) => `${name} does ${negated ? "not " : ""}restart the worker ${id} after ${number} minutes on a ${days.en[day]}.`,
  de: ({ name, number, id, day, negated }) => `${name} startet den Worker ${id} am ${days.de[day]} nach ${number} Minuten ${negated ? "nicht " : ""}neu.`,
  zh: ({ name, number, id, day, negated }) => `${name}${negated ? "不会" : "会"}在${days.zh[day]}重启工作进程 ${id}，等待${number}分钟。`,
  ja: ({ name, number, id, day, negated }) => `${name}さんは${days.ja[day]}に${number}分待ってワーカー ${id} を再起動${negated ? "しない" : "する"}。`,
};
const names = ["Ada", "Grace", "Nadia Brandt", "李强", "王芳", "田中", "佐藤", "Jörg", "O'Neil"];
const language = fc.constantFrom<Language>("en", "de", "zh", "ja");
const slots = fc.record({
  name: fc.constantFrom(...names),
  number: fc.integer({ min: 0, max: 5_000 }),
  id: fc.stringMatching(/^[a-z]{2,6}[-_/.][a-z0-9]{1,6}$/),
  day: fc.nat({ max: 4 }),
  negated: fc.boolean(),
}, { noNullPrototype: true });

const fillers: Record<Language, readonly ((text: string) => string)[]> = {
  en: [(text) => `FYI: ${text}`, (text) => `Please note that ${text}`, (text) => `${text} Thanks!`, (text) => `By the way, ${text}`],
  de: [(text) => `Übrigens: ${text}`, (text) => `Zur Info: ${text}`, (text) => `${text} Danke!`, (text) => `Notiz: ${text}`],
  zh: [(text) => `请注意：${text}`, (text) => `备注：${text}`, (text) => `${text}谢谢！`, (text) => `顺便说一下，${text}`],
  ja: [(text) => `ちなみに、${text}`, (text) => `メモ：${text}`, (text) => `${text}よろしくお願いします。`, (text) => `なお、${text}`],
};
const forms: readonly ((text: string) => string)[] = [
  (text) => text.toUpperCase(),
  (text) => `  ${text.replaceAll(" ", "  ")}\n`,
  (text) => text.replace(/[.。]$/, "!"),
  (text) => text.replace(/[.。]$/, ""),
  (text) => `- ${text}`,
  (text) => `**${text}**`,
  (text) => `“${text}”`,
];

describe("what states the same as another text", () => {
  test("the same with words of courtesy, in other case, punctuation or markup does", () => {
    fc.assert(
      fc.property(language, slots, fc.nat(), fc.nat(), (spoken, said, f, g) => {
        const text = sentences[spoken](said);
        const reworded = fillers[spoken][f % 4]?.(text) ?? text;
        expect(saysTheSame(text, reworded), `${text} / ${reworded}`).toBe(true);
        const other = forms[g % forms.length]?.(text) ?? text;
        expect(saysTheSame(text, other), `${text} / ${other}`).toBe(true);
      }),
    );
  });

  test("another number, name, identifier, day or negation never does, in whatever form", () => {
    const change = fc.constantFrom<keyof Slots>("name", "number", "id", "day", "negated");
    fc.assert(
      fc.property(language, slots, slots, change, fc.nat(), fc.nat(), (spoken, said, other, field, f, g) => {
        fc.pre(said[field] !== other[field]);
        const changed = sentences[spoken]({ ...said, [field]: other[field] });
        const told = forms[g % forms.length]?.(fillers[spoken][f % 4]?.(changed) ?? changed) ?? changed;
        expect(saysTheSame(sentences[spoken](said), told), `${field}: ${told}`).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test("a word more, less or in another place never does", () => {
    const word: fc.Arbitrary<string> = fc.constantFrom("deploy", "staging", "Redis", "cache", "30", "never", "not", "AuthService", "src/app.ts", "v2.1", "nightly", "before", "from", "to", "only", "$5", "C#", "-1");
    fc.assert(
      fc.property(fc.array(word, { minLength: 5, maxLength: 12 }), fc.nat(), fc.nat(), word, (text, at, to, added) => {
        const [from, place] = [at % text.length, to % text.length];
        const moved = text.toSpliced(from, 1).toSpliced(place, 0, text[from] as string);
        for (const other of [text.toSpliced(place, 0, added), text.toSpliced(from, 1), ...(moved.join(" ") === text.join(" ") ? [] : [moved])]) {
          expect(saysTheSame(text.join(" "), other.join(" "))).toBe(false);
        }
      }),
    );
  });

  test.each([
    ["We deploy the gateway of the shop on Tuesdays.", "On Tuesdays we deploy the gateway of the shop."],
    ["We don't cache what the identity service answers.", "We do not cache what the identity service answers"],
    ["Wir deployen das Gateway freitags.", "Freitags deployen wir das Gateway."],
    ["The staging port is 8443.", "the staging port is 8443"],
    ["We deploy on Fridays.", "On Fridays we deploy."],
    ["我们每周五部署网关到生产环境。", "每周五我们部署网关到生产环境"],
    ["検索サービスは田中さんが担当する。", "検索サービスは田中さんが担当します。"],
  ])("%s and %s do", (text, other) => expect(saysTheSame(text, other)).toBe(true));

  test.each([
    ["Contact the US office about invoices of partners.", "Contact us, the office, about invoices of partners."],
    ["Rename the table User to user in the ledger.", "Rename the table user to User in the ledger."],
    ["Few customers of the shop export invoices as CSV.", "A few customers of the shop export invoices as CSV."],
    ["No. Deploy the gateway on Friday evening.", "No deploy the gateway on Friday evening."],
    ["Cancel the review meeting on Friday with Ada.", "On Friday cancel the review meeting with Ada."],
    ["不，可以在周五发布小版本。", "不可以在周五发布小版本。"],
    ["The uplink has 500 Mb per second.", "The uplink has 500 MB per second."],
    ["in progress", "in progress"],
    ["not started yet", "not started yet"],
    ["Done.", "Done."],
    ["ok, yes", "ok, yes"],
  ])("%s and %s do not", (text, other) => expect(saysTheSame(text, other)).toBe(false));

  test("data, secrets, what is kept back or archived, and messages of a thread are compared with nothing", () => {
    const content = "The staging database is restored from the nightly dump.";
    const state = newState({ content, ownerId: "ada" });
    expect(statementKey(state)).toBeTypeOf("string");
    expect(isSameStatement(state, { ...state, content: content.toUpperCase() })).toBe(true);
    for (const other of [{ value: { a: 1 } }, { sensitivity: "secret" as const }, { archivedAt: 1 }, { namespace: "thread:a" }, { namespace: "session:a/b" }, { trust: { source: "web", quarantined: true } }]) {
      expect(statementKey({ ...state, ...other })).toBeUndefined();
      expect(isSameStatement(state, { ...state, ...other })).toBe(false);
    }
    expect(isSameStatement(state, { ...state, occurredAt: 1 })).toBe(false);
    expect(statementKey({ ...state, validTo: 5 })).not.toBe(statementKey(state));
  });

  test("takes time in proportion to the length of a text", () => {
    const units = ["a", "A", "我", "、", "!", ".", "'", "\"", "。", "-", "@", "note: ", "please ", "、谢谢", "1,", "every ", "no, ", "<memory ", "二个", "fyi: ", ", of course,", "\n- ", "[", "*"];
    for (const unit of units) {
      const text = unit.repeat(10_000 / unit.length);
      expect(quickest(() => statementForm(text)), JSON.stringify(unit)).toBeLessThan(60);
    }
  });
});
