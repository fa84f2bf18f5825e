import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extraction } from "../../../src/domain/intelligence/answers.ts";
import type { Message } from "../../../src/domain/intelligence/intelligence.ts";
import { extractByRules } from "../../../src/domain/intelligence/rules/extract.ts";
import { quickest } from "../../support/quickest.ts";

const user = (text: string, name?: string): Message => ({ role: "user", text, ...(name ? { name } : {}) });
const factsOf = (...messages: Message[]): string[] => extractByRules(messages).facts.map(({ text }) => text);

describe("what somebody says of themselves is told of them [D2]", () => {
  test.each([
    ["I prefer Italian food.", "Anna", "Anna prefers Italian food."],
    ["I'm allergic to peanuts.", undefined, "User is allergic to peanuts."],
    ["I'm not allergic to nuts anymore.", undefined, "User is not allergic to nuts anymore."],
    ["I don't eat meat.", "Ben", "Ben doesn't eat meat."],
    ["I've moved to Oslo.", "Ben", "Ben has moved to Oslo."],
    ["I really love my dog Rex.", "Ben", "Ben really loves their dog Rex."],
    ["My sister's birthday is on 3 August.", "Ben", "Ben's sister's birthday is on 3 August."],
    ["I study law and work at a bakery.", "Ben", "Ben studies law and works at a bakery."],
    ["I quit my job at Initech.", undefined, "User quit their job at Initech."],
    ["We decided to use PostgreSQL.", "Ben", "Ben: We decided to use PostgreSQL."],
    ["Never push to main directly.", "Ben", "Ben: Never push to main directly."],
    ["I report to Viktor Lang.", "Ben", "Ben reports to Viktor Lang."],
    ["I've been vegan since 2015.", "Ben", "Ben has been vegan since 2015."],
    ["I'm 34.", "Ben", "Ben is 34."],
    ["since 2020 i live in Kiel", "Ben", "Since 2020 Ben lives in Kiel"],
    ["My wife and I live in Kiel.", "Ben", "Ben's wife and Ben live in Kiel."],
    ["My best friend and I play tennis.", undefined, "User's best friend and User play tennis."],
    ["We upgraded the database to Postgres 16.", "Ben", "Ben: We upgraded the database to Postgres 16."],
    ["We rewrote the frontend in Svelte.", "Ben", "Ben: We rewrote the frontend in Svelte."],
    ["From now on, answer in German.", "Ben", "Ben: From now on, answer in German."],
    ["I'd rather have short answers.", "Ben", "Ben would rather have short answers."],
    ["I've been using Neovim for two years.", "Ben", "Ben has been using Neovim for two years."],
    ["I'm learning Rust at the moment.", "Ben", "Ben is learning Rust at the moment."],
    ["I'm on parental leave until March.", "Ben", "Ben is on parental leave until March."],
    ["I changed my name to Alex.", "Ben", "Ben changed their name to Alex."],
    ["We're migrating billing from Rails to Go.", "Ben", "Ben: We're migrating billing from Rails to Go."],
    ["The client wants everything in dark mode.", "Ben", "The client wants everything in dark mode."],
    ["Ich wohne in Hamburg.", "Jan", "Jan: Ich wohne in Hamburg."],
    ["我住在杭州。", "王芳", "王芳: 我住在杭州。"],
    ["私は大阪に住んでいます。", "田中", "田中: 私は大阪に住んでいます。"],
    ["毎朝緑茶を飲んでいます。", undefined, "User: 毎朝緑茶を飲んでいます。"],
  ])("%s", (text, name, fact) => expect(factsOf(user(text, name))).toEqual([fact]));

  test("two clauses are two facts, and each names its subject", () => {
    expect(factsOf(user("I work as a nurse at Mercy Hospital and I live in Lisbon, so please keep that in mind."))).toEqual(["User works as a nurse at Mercy Hospital", "User lives in Lisbon."]);
  });

  test("who leads, manages, maintains or reports is told; what leads to something, or holds of everyone, is not", () => {
    for (const text of ["Max leads the platform team.", "Anna manages the design team.", "Tom maintains the billing service.", "Max reports to Julia.", "The team switched to Linear."]) expect(factsOf(user(text))).toEqual([text]);
    for (const text of ["The change leads to a crash.", "This leads to errors.", "Everyone manages their own time.", "Good communication leads to trust."]) expect(factsOf(user(text))).toEqual([]);
  });

  test("a clause behind whoever is named first is one of its own, unless both are its subject", () => {
    expect(factsOf(user("My dog died and I moved to Kiel."))).toEqual(["User's dog died", "User moved to Kiel."]);
    expect(factsOf(user("My name is Tom and i live in Kiel."))).toEqual(["User's name is Tom", "User lives in Kiel."]);
  });

  test("a comma between two clauses of the first person parts them, too; behind what is no clause of its own it does not", () => {
    expect(factsOf(user("I moved to Berlin last week, I no longer live in Hamburg."))).toEqual(["User moved to Berlin last week", "User no longer lives in Hamburg."]);
    expect(factsOf(user("Since March, I work at Acme."))).toEqual(["Since March, User works at Acme."]);
  });

  test("what takes the place of what ends is told with it, where it is no fact by itself", () => {
    expect(factsOf(user("I no longer work at Initech, I'm at Globex now."))).toEqual(["User no longer works at Initech; User is at Globex now."]);
    expect(factsOf(user("I no longer use Vim, I promise."))).toEqual(["User no longer uses Vim"]);
    expect(factsOf(user("I left Initech, I'm at Globex now."))).toEqual(["User left Initech; User is at Globex now."]);
    expect(factsOf(user("I no longer use pnpm, I use bun."))).toEqual(["User no longer uses pnpm", "User uses bun."]);
  });

  test("a number ends a sentence, where another one begins behind it", () => {
    expect(factsOf(user("My desk is number 12. I have a dog called Bello."))).toEqual(["User's desk is number 12.", "User has a dog called Bello."]);
    expect(factsOf(user("Mein Urlaub beginnt am 3. Dezember. Ich wohne in Kiel."))).toEqual(["User: Mein Urlaub beginnt am 3. Dezember.", "User: Ich wohne in Kiel."]);
  });

  test("a pronoun stands for what the sentence before is about, and never for anything further away", () => {
    expect(factsOf(user("The staging API listens on port 8443. It uses a self-signed certificate."))).toEqual(["The staging API listens on port 8443.", "The staging API uses a self-signed certificate."]);
    expect(factsOf(user("My daughter Sofia starts school in September."), user("She is six years old.", undefined))).toEqual(["User's daughter Sofia starts school in September.", "User's daughter Sofia is six years old."]);
    expect(factsOf(user("The staging API listens on port 8443."), { role: "assistant", text: "Noted." }, user("It uses a self-signed certificate."))).toEqual(["The staging API listens on port 8443."]);
  });
});

describe("a denial is a fact as what it denies is, and a word before a statement is none of it [D2]", () => {
  test.each([
    ["Actually I am not allergic to peanuts.", "User is not allergic to peanuts."],
    ["Turns out I am not allergic to peanuts.", "User is not allergic to peanuts."],
    ["I'm not married.", "User is not married."],
    ["Don't forget: our VPN endpoint is vpn.acme.test.", "User: Our VPN endpoint is vpn.acme.test."],
    ["It turns out that our API limit is 500 requests.", "User: Our API limit is 500 requests."],
    ["From January I will work at Zeiss.", "From January User will work at Zeiss."],
    ["I'm not ready.", ""],
    ["I'm not the one who broke it.", ""],
    ["Don't forget my birthday.", ""],
    ["From what I see I will wait.", ""],
  ])("%s", (text, facts) => expect(factsOf(user(text)).join(" | ")).toBe(facts));
});

describe("what somebody else says, or is only supposed, is told of nobody else [D2]", () => {
  test.each([
    ['The character says: "I am a vampire and I live in a castle."', ""],
    ["The email said “I work at Acme. I live in Rome.” I live in Lima.", "User lives in Lima."],
    ['"I live in a castle and I hate garlic," says the count.', ""],
    ['I love the song "I Will Survive".', 'User loves the song "I Will Survive".'],
    ['My boss says "no meetings" on Fridays.', 'User\'s boss says "no meetings" on Fridays.'],
    ['She told me it is 27" wide. I own a 60" desk.', 'User owns a 60" desk.'],
    ["Summarize this email: Hi team, I am Peter and I work at Contoso. I prefer Teams.", ""],
    ["Hi! Could you please proofread the following text:\n\nI live in Rome. I like jazz.", ""],
    ["I live in Lima. Translate into German: I live in Rome.", "User lives in Lima."],
    ["Übersetze diesen Text: Ich wohne in Rom.", ""],
    ["We translate all docs: English and German. I live in Lima.", "User lives in Lima."],
    ["Fix the port: we use 8443. I live in Lima.", "User lives in Lima."],
    ["Bob: I live in Lima. I love tea.\nAnn: I hate cheese.\n\nI live in Rome.", "Bob lives in Lima. | Bob loves tea. | Ann hates cheese. | User lives in Rome."],
    ["Work: I use Vim.", "Work: User uses Vim."],
    ["Forget that I work at Acme.", "Forget that User works at Acme."],
    ["Please forget my phone number.", "Forget User's phone number."],
    ["Forget that, it was wrong.", ""],
    ["I'm on a call.", ""],
    ["I'm on a keto diet.", "User is on a keto diet."],
    ["I'm training for a marathon.", "User is training for a marathon."],
    ["I turned 35 yesterday.", "User turned 35 yesterday."],
    ["Forget that idea.", ""],
    ["Vergiss, dass ich in Kiel wohne.", "User: Vergiss, dass ich in Kiel wohne."],
    ["Imagine I own a yacht and I live in Rome.", ""],
    ["Suppose I work at NASA.", ""],
    ["Pretend that I live on Mars.", ""],
    ["Stell dir vor, ich bin Pilot.", ""],
    ["Example sentence: I prefer tea.", ""],
    ['Here is the mail from Olaf: "Hi, my deputy is Jens. I live in Bonn." Please answer it.', ""],
    ["Olaf wrote: my deputy is Jens and I work in Bonn.\nI live in Lima.", "User lives in Lima."],
    ["My colleague said: I hate meetings and I prefer async.", ""],
    ["Our policy says: never deploy on Fridays.", "User: Our policy says: never deploy on Fridays."],
    ["Imagine I'm a CTO. I have 300 developers. I live in Zurich.\nI live in Lima.", "User lives in Lima."],
    ["I suppose we use Postgres for billing and I work at Acme.", "User works at Acme."],
    ["My favorite band is Imagine Dragons.", "User's favorite band is Imagine Dragons."],
    ["I never forget a face.", "User never forgets a face."],
  ])("%s", (text, facts) => expect(factsOf(user(text)).join(" | ")).toBe(facts));
});

describe("a name is a fact, however somebody says it [D2]", () => {
  test.each([
    ["My name is Marta Weber.", "User's name is Marta Weber."],
    ["Hi, I'm Marta Weber.", "User's name is Marta Weber."],
    ["I am Priya Sharma", "User's name is Priya Sharma."],
    ["Hi, I'm Martha.", "User's name is Martha."],
    ["Call me Tom", "User's preferred name is Tom."],
    ["I'm Thomas Weber, call me Tom.", "User's name is Thomas Weber. | User's preferred name is Tom."],
    ["I'm Thomas Weber but everyone calls me Tom.", "User's name is Thomas Weber. | User's preferred name is Tom."],
    ["I'm Thomas Weber, my friends call me Tom.", "User's name is Thomas Weber. | User's preferred name is Tom."],
    ["My friends call me Tom.", "User's preferred name is Tom."],
    ["please call me Tom!", "User's preferred name is Tom."],
  ])("%s", (text, facts) => expect(factsOf(user(text)).join(" | ")).toBe(facts));

  test.each(["I'm tired", "I'm German", "I'm Done", "I'm Very Happy.", "I'm Irish Catholic.", "I'm Team Lead.", "I'm New York based", "Call me tomorrow.", "Call me Monday.", "Call me back", "Call me ASAP"])("%s: no name", (text) => {
    expect(factsOf(user(text)).filter((fact) => fact.includes("name"))).toEqual([]);
  });

  test("an assistant's own name is none", () => expect(factsOf({ role: "assistant", text: "I'm Marta Weber. Call me Tom." })).toEqual([]));
});

describe("what holds no longer than the conversation is no fact", () => {
  test.each([
    "Hi there!", "Thanks so much!", "Can you explain closures?", "what does ECONNRESET mean", "Run the tests again please.", "I'm looking at the logs right now.", "Hmm, still failing.",
    "I think we should wait.", "This is great!", "It doesn't work.", "I have a question.", "I'm not hungry anymore.", "You are so kind!", "Fix the login bug.",
    "Hallo!", "Kannst du mir helfen?", "Ich schaue gerade in die Logs.", "Bitte fasse das zusammen.", "Vielen Dank!",
    "你好！", "这个错误是什么意思？", "谢谢！", "我看一下日志。", "请帮我写一首诗。",
    "こんにちは。", "このエラーはどういう意味ですか？", "ありがとうございます。", "ログを見てみます。", "テストを実行してください。",
  ])("%s", (text) => expect(factsOf(user(text))).toEqual([]));

  test("nor is code, a quotation, or what an assistant advises; what it did is one", () => {
    expect(factsOf(user("```\n// I prefer tabs.\n```\n> I live in Rome.\n| I live in Rome. |"))).toEqual([]);
    const assistant = (text: string): Message => ({ role: "assistant", text });
    expect(factsOf(assistant("PostgreSQL would suit this well. I like it. Shall I add it?"))).toEqual([]);
    expect(factsOf(assistant("I've added the scripts under db/migrations."))).toEqual(["Assistant has added the scripts under db/migrations."]);
    expect(factsOf({ role: "system", text: "You are helpful. The user is called Jonas. Answer briefly." })).toEqual(["User is called Jonas."]);
  });
});

test("each fact says which message states it", () => {
  const { facts, language } = extractByRules([user("Hi!"), user("I live in Oslo."), user("I speak Norwegian.")]);
  expect({ places: facts.map(({ message }) => message), language }).toEqual({ places: [1, 2], language: "en" });
});

const words = fc.constantFrom("I", "my", "we", "live", "prefer", "never", "Anna", "is", "42", "Oslo", "and", "she", "It", "uses", ".", "?", "\n", "ich", "wohne", "我", "住在", "不再", "は", "です", "。", "```", "port", "don't");
const texts = fc.oneof(fc.array(words, { maxLength: 40 }).map((all) => all.join(" ")), fc.string({ maxLength: 200, unit: "binary" }));
const messages = fc.array(fc.record({ role: fc.constantFrom("user", "assistant", "system"), text: texts, name: fc.option(fc.constantFrom("Anna", "田中", "O'Brien $& $1"), { nil: undefined }) }), { maxLength: 8 });

test("whatever is said, the answer has the form that is asked for, is the same again, and names a message that there is", () => {
  fc.assert(
    fc.property(messages, (given) => {
      const answer = extractByRules(given as Message[]);
      expect(extraction.safeParse(answer).success).toBe(true);
      expect(extractByRules(given as Message[])).toEqual(answer);
      for (const { message } of answer.facts) expect(given[message ?? -1]).toBeDefined();
    }),
    { numRuns: 300 },
  );
});

test.each(["a", " ", "a. ", "\"I ", "said \"", "Bob said: ", "imagine I'm ", "please fix ", "Bob: I \n", "I ", "I'm ", "I love it and ", "good ", "我", "我在。", "は", "私はです。", "から", "...", "```\n", "my, "])("10,000 characters of %j take no time", (part) => {
  const text = part.repeat(10_000 / part.length);
  expect(quickest(() => extractByRules([user(text)]))).toBeLessThan(100);
});

// Where a word can be read in two ways, each of these takes twice the time with every word more, which is for ever.
test.each(["thank ", "thanks ", "so much ", "now ", "also ", "從不", "从不", "不再", "我们也", "我家从", "ich auch ", "immer noch "])("a sentence that says %j again and again takes no time [S6]", (part) => {
  for (const [lead, end] of [["", "zebra."], ["我", "。"], ["Ich ", "nie."]]) {
    const text = `${lead}${part.repeat(Math.floor(500 / part.length))}${end}`;
    expect(quickest(() => extractByRules([user(text)]))).toBeLessThan(100);
  }
});
