import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decisions } from "../../../src/domain/intelligence/answers.ts";
import { decideByRules } from "../../../src/domain/intelligence/rules/decide.ts";
import { quickest } from "../../support/quickest.ts";

const decide = (fact: string, ...present: string[]): string => {
  const [decision] = decideByRules([fact], present.map((content) => ({ content }))).memory;
  return decision?.target === undefined ? (decision?.event ?? "") : `${decision.event} ${decision.target}`;
};

describe("what is there already is not added again [D2]", () => {
  test.each([
    ["User lives in Denver.", "User lives in Denver."],
    ["User works at Northwind.", "User works at Northwind as an engineer."],
    ["The rate limit is now 12,500 requests.", "The rate limit is 12500 requests."],
    ["User: 我对花生过敏。", "User: 我对花生过敏"],
    ["User: 来年の三月にドイツへ旅行する予定です。", "User: 来年の三月にドイツへ旅行する予定です。"],
    ["Jan: Ich bevorzuge kurze Antworten.", "Jan: Ich bevorzuge kurze Antworten!"],
  ])("%s", (fact, present) => expect(decide(fact, "The lighthouse is white.", present)).toBe("NONE 1"));
});

describe("a change names the same subject and relation [D2]", () => {
  test.each([
    ["User moved from Berlin to Oslo.", "User lives in Berlin."],
    ["User can swim now.", "User can't swim."],
    ["User can't eat gluten.", "User can eat gluten."],
    ["User lives in Oslo.", "User lives in Berlin."],
    ["User moved to Oslo last week.", "User lives in Berlin."],
    ["User lives in Munich now.", "User moved to Berlin last month."],
    ["User has just moved to New York.", "User moved to Berlin."],
    ["User moved from Berlin to Oslo.", "User moved to Berlin."],
    ["Tom: We switched from Datadog to Grafana for monitoring.", "Tom's team uses Datadog for monitoring."],
    ["The staging API listens on port 8443.", "The staging API listens on port 8080."],
    ["The retry limit is now 5 instead of 3.", "The retry limit is 3."],
    ["User's favorite color is green.", "User's favorite color is blue."],
    ["User loves hiking, especially in the Dolomites.", "User loves hiking."],
    ["User prefers tabs over spaces.", "User prefers spaces over tabs."],
    ["User doesn't like skiing.", "User likes skiing."],
    ["User is not allergic to peanuts after all.", "User is allergic to peanuts."],
    ["User is not married.", "User is married."],
    ["User: We aren't based in Bonn.", "User: We are based in Bonn."],
    ["User likes coriander now.", "User doesn't like coriander."],
    ["User is vegetarian now.", "User is not vegetarian."],
    ["User has written Rust now.", "User has never written Rust."],
    ["User: Ich esse Fisch.", "User: Ich esse keinen Fisch."],
    ["User prefers light mode now.", "User prefers dark mode."],
    ["User: Our standup moved to 10:00.", "User: Our standup is at 9:30."],
    ["The release was postponed to Monday.", "The release is on Friday."],
    ["User: We use spaces for indentation now.", "User: We use tabs for indentation."],
    ["User's flight to Lisbon now leaves at 9 am.", "User's flight to Lisbon leaves at 7 am."],
    ["The staging URL is now https://staging.example.com.", "The staging URL is https://stage.example.com."],
    ["User: Mein neuer Chef heißt Schmidt.", "User: Mein Chef heißt Müller."],
    ["User turned 35 yesterday.", "User is 34 years old."],
    ["User now works at Bosch.", "User works at Siemens."],
    ["User started a new job at Bosch.", "User works at Siemens."],
    ["User: Ich arbeite jetzt bei Bosch.", "User: Ich arbeite bei Siemens."],
    ["User switched from Vim to Helix.", "User uses Vim as their editor."],
    ["User moved to Oslo last weekend.", "User lives in Berlin."],
    ["User: Ich bin letzte Woche nach Eimsbüttel gezogen.", "User: Ich wohne in Altona."],
    ["User drinks coffee again.", "User doesn't drink coffee any more."],
    ["User works at Initech again.", "User no longer works at Initech."],
    ["User's email is now ada@new.test.", "User's email is ada@old.test."],
    ["User's new manager is Omar.", "User's manager is Sarah."],
    ["User: Our current API limit is 500.", "User: Our API limit is 300."],
    ["Der Testserver läuft auf Port 9090.", "Der Testserver läuft auf Port 8080."],
    ["User: Ich wohne jetzt in Bonn.", "User: Ich wohne in Hamburg."],
    ["User: Jetzt wohne ich in Bonn.", "User: Ich wohne in Hamburg."],
    ["User: Inzwischen wohnen wir in Bonn.", "User: Wir wohnen in Hamburg."],
    ["User: Ich lebe in Bonn.", "User: Ich lebe jetzt in Hamburg."],
    ["User: Ich bin von München nach Wien gezogen.", "User: Ich wohne in München."],
    ["测试服务器的端口是9090。", "测试服务器的端口是8080。"],
    ["User: 我现在住在北京。", "User: 我住在上海。"],
    ["User: 我现在住在北京了。", "User: 我住在上海。"],
    ["User: 我住在东京。", "User: 我现在住在南京。"],
    ["User: 我从北京搬到了上海。", "User: 我住在北京。"],
    ["テストサーバーのポートは9090です。", "テストサーバーのポートは8080です。"],
    ["User: 東京から福岡に引っ越しました。", "User: 私は東京に住んでいます。"],
  ])("%s", (fact, present) => expect(decide(fact, present)).toBe("UPDATE 0"));
});

describe("an end that says what there is instead changes what is stored, so that it is kept [D2]", () => {
  test.each([
    ["User no longer lives in Kiel but in Bremen.", "User lives in Kiel."],
    ["User no longer works at Initech; User is at Globex now.", "User works at Initech."],
    ["User no longer has a cat, but a dog called Rex.", "User has a cat."],
    ["User doesn't use Slack any more, only Matrix.", "User uses Slack."],
    ["User stopped learning Spanish and started Norwegian.", "User is learning Spanish."],
    ["User sold their car and bought a cargo bike.", "User owns a car."],
    ["User: Ich wohne nicht mehr in Altona, sondern in Winsen.", "User: Ich wohne in Altona."],
    ["User: Ich trinke keinen Kaffee mehr, sondern Tee.", "User: Ich trinke Kaffee."],
  ])("%s", (fact, present) => expect(decide(fact, present)).toBe("UPDATE 0"));
});

describe("an end names what is stored [D2]", () => {
  test.each([
    ["User no longer works at Initech.", "User works at Initech."],
    ["User stopped drinking coffee.", "User drinks coffee every morning."],
    ["User is not allergic to nuts anymore.", "User is allergic to nuts."],
    ["User doesn't live in Kiel any more.", "User lives in Kiel."],
    ["User no longer uses Vim, because it is slow.", "User uses Vim."],
    ["User stopped drinking coffee and tea.", "User drinks coffee and tea."],
    ["User: Ich arbeite nicht mehr bei Siemens.", "Ich arbeite bei Siemens."],
    ["User: 我不再喝咖啡了。", "User: 我喝咖啡。"],
    ["User: もうコーヒーは飲みません。", "User: コーヒーを飲みます。"],
    ["User sold their Golf.", "User drives a Golf."],
    ["User quit their job at Siemens.", "User works at Siemens."],
    ["User left Siemens.", "User works at Siemens."],
    ["User no longer uses the left monitor.", "User uses the left monitor."],
    ["User stopped teaching maths.", "User teaches maths."],
  ])("%s", (fact, present) => expect(decide(fact, present)).toBe("DELETE 0"));
});

describe("what is asked to be forgotten goes, where it is plain what that is, and is stored in no case [D2]", () => {
  test.each([
    ["Forget that User is allergic to peanuts.", "User is allergic to peanuts."],
    ["Forget that User lives in Kiel.", "User lives in Kiel with Anna."],
    ["Forget User's phone number.", "User's phone number is 555-1234."],
    ["Forget about User's dog.", "User's dog is called Rex."],
    ["User: Vergiss, dass ich in Kiel wohne.", "User: Ich wohne in Kiel."],
    ["User: 请忘记我住在柏林。", "User: 我住在柏林。"],
    ["User: Oublie que j'habite à Lyon.", "User: J'habite à Lyon."],
    ["User: Por favor, olvida que vivo en Madrid.", "User: Vivo en Madrid."],
  ])("%s", (fact, present) => {
    expect(decide(fact, present)).toBe("DELETE 0");
    expect(decide(fact, "User likes tea.")).toBe("NONE");
  });

  test("what is said instead, in the same breath, is added", () => {
    const { memory } = decideByRules(["Forget that User lives in Kiel.", "User lives in Bremen.", "Forget that User lives in Kiel."], [{ content: "User lives in Kiel." }]);
    expect(memory.map(({ event }) => event)).toEqual(["DELETE", "ADD", "NONE"]);
  });

  test("of two memories that may be meant none goes", () => {
    expect(decide("Forget User's dog.", "User's dog is called Rex.", "User's dog is afraid of thunder.")).toBe("NONE");
  });
});

describe("where anything is open, the fact is added [D2]", () => {
  test.each([
    ["a limit of one case", "The upload limit is now 20 MB.", "The upload limit is 25 MB for partners."],
    ["another subject", "User's brother lives in Madrid.", "User's sister lives in Madrid."],
    ["another subject's home", "User moved from Berlin to Oslo.", "User's sister lives in Berlin."],
    ["another person's move", "User's sister moved to Oslo.", "User lives in Berlin."],
    ["a move of long ago", "User moved to Oslo in 2019.", "User lives in Berlin."],
    ["a move to no place", "User moved to Grafana last week.", "User lives in Berlin."],
    ["a move to a thing beside another", "Tom moved to Kanban.", "Tom moved to Scrum."],
    ["another relation", "User moved from Berlin to Oslo.", "User works in Berlin."],
    ["another thing of the same kind", "User uses Emacs.", "User uses Vim."],
    ["another server", "The server web2 has 4 GB.", "The server web1 has 4 GB."],
    ["another use", "Lena: We switched from Datadog to Grafana for monitoring.", "Lena's team uses Datadog for logs."],
    ["another event", "User visited Rome in 2021.", "User visited Rome in 2019."],
    ["somebody else's membership", "User cancelled their gym membership.", "User's wife has a gym membership."],
    ["an end of a part", "User stopped drinking coffee in the evening.", "User drinks coffee."],
    ["an end among other things", "User no longer works at Initech.", "User works at Initech and lives in Berlin with three children."],
    ["what is not going to end", "User won't quit the team.", "User is on the team."],
    ["a longer word for something else", "User likes tea shops in London.", "User likes tea."],
    ["another speaker", "Anna: We use Grafana.", "Ben: We use Grafana."],
    ["another person's home", "User: Ich wohne jetzt in Bonn.", "User: Meine Schwester wohnt in Hamburg."],
    ["how somebody lives there", "User: Ich wohne jetzt in einer WG.", "User: Ich wohne in Hamburg."],
    ["the same home, less exactly", "User: 我住在北京。", "User: 我住在北京朝阳区。"],
    ["another purpose", "User: We use Playwright for browser tests now.", "User: We use Jest for unit tests."],
    ["something else for the same purpose", "User: We now have a cache for search.", "User: We have 3 servers for search."],
    ["a second employer", "User works at Bosch.", "User works at Siemens."],
    ["the other of two", "User no longer uses the left monitor.", "User uses the right monitor."],
    ["a place that somebody left", "User left Kiel.", "User lives in Kiel."],
    ["another employer", "User: 我在腾讯工作。", "User: 我在阿里巴巴工作。"],
    ["another drink", "User stopped drinking coffee.", "User drinks wine on Fridays."],
    ["another name of the same person", "User's preferred name is Tom.", "User's name is Thomas Weber."],
    ["an end of one of two things", "User is not allergic to nuts anymore.", "User is allergic to nuts and shellfish."],
    ["a denial of one of two things", "User is not allergic to nuts.", "User is allergic to nuts and shellfish."],
    ["more, not less", "User is not only allergic to peanuts.", "User is allergic to peanuts."],
    ["an exception", "User doesn't always drink coffee.", "User drinks coffee."],
    ["a new thing of which there may be more", "User's new car is a Volvo.", "User's car is a Fiat."],
    ["a new one of somebody else", "User's sister's new manager is Omar.", "User's manager is Sarah."],
    ["a new one at all", "User has a new manager.", "User's manager is Sarah."],
    ["how somebody is, and not who", "User's manager is very strict.", "User's manager is Elif."],
    ["where somebody is", "User's doctor is on holiday.", "User's doctor is Dr. Stamm."],
    ["how something is", "User's favourite editor is fast.", "User's favourite editor is Helix."],
    ["another liking", "User prefers black tea.", "User prefers green tea."],
    ["a move of several", "User: Wir sind nach Bonn gezogen.", "User: Ich wohne in Altona."],
    ["a denial of another", "User doesn't use Kotlin.", "User uses Python."],
    ["another port", "The database listens on port 5433.", "The cache listens on port 6379."],
  ])("%s", (_what, fact, present) => expect(decide(fact, present)).toBe("ADD"));
});

test("no memory is changed twice, and a later fact takes back an earlier one", () => {
  const eventsOf = (facts: string[], present: string[]) => decideByRules(facts, present.map((content) => ({ content }))).memory.map(({ event, target }) => [event, target]);
  expect(eventsOf(["User no longer works at Initech.", "User no longer works at Initech, sadly."], ["User works at Initech."]).filter(([event]) => event === "DELETE")).toEqual([["DELETE", 0]]);
  expect(eventsOf(["The release is planned for 12 October.", "The release is planned for 19 October."], [])).toEqual([["NONE", undefined], ["ADD", undefined]]);
});

const words = fc.constantFrom("User", "Anna", "lives", "in", "Oslo", "no longer", "from", "to", "moved", "is", "5", "port", "the", "and", "我", "住", "不再", "は", "です", "から", ".", ",", ":", "prefers", "over", "doesn't");
const sentences = fc.array(fc.array(words, { minLength: 1, maxLength: 10 }).map((all) => all.join(" ")), { maxLength: 6 });

test("whatever is there, each fact has one decision of the form that is asked for, about a memory that there is, and none twice", () => {
  fc.assert(
    fc.property(sentences, sentences, (facts, present) => {
      const answer = decideByRules(facts, present.map((content) => ({ content })));
      expect(decisions.safeParse(answer).success).toBe(true);
      expect(answer.memory.map(({ text }) => text)).toEqual(facts);
      const changed = answer.memory.flatMap(({ event, target }) => (event === "UPDATE" || event === "DELETE" ? [target] : []));
      expect(new Set(changed).size).toBe(changed.length);
      for (const target of changed) expect(present[target as number]).toBeDefined();
      // What is stored once is not added the second time.
      const again = decideByRules(facts, facts.map((content) => ({ content })));
      expect(again.memory.filter(({ event }) => event === "DELETE")).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test.each(["a", "x ", "我", "は", "から", "is ", "from a to ", "no longer ", ", ", "not "])("1,000 characters of %j are compared in no time", (part) => {
  const text = part.repeat(1_000 / part.length);
  expect(quickest(() => decideByRules([text], [{ content: text.repeat(10) }]))).toBeLessThan(100);
});
