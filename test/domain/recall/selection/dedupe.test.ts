import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Candidate } from "../../../../src/domain/recall/selection/candidate.ts";
import { dedupe } from "../../../../src/domain/recall/selection/dedupe.ts";

let made = 0;
const memory = (text: string, fields: Partial<Candidate> = {}): Candidate => {
  made += 1;
  return { kind: "memory", id: `m${made}`, text, score: 1, at: 0, ...fields };
};
const ranked = (...candidates: Candidate[]): Candidate[] => candidates.map((candidate, i) => ({ ...candidate, score: 1 - i / 100 }));
const keptOf = (candidates: Candidate[], limit = 10): string[] => dedupe(candidates, limit).kept.map(({ text }) => text);

const long = "We decided in the spring that support may approve refunds of up to five hundred euros without asking finance, and every refund is written to the audit log.";

describe("what says the same is said once [D5]", () => {
  test("a copy that differs in case and punctuation goes; the better ranked stays", () => {
    expect(keptOf(ranked(memory(long), memory(long.toUpperCase().toLowerCase().replaceAll(",", ""))))).toEqual([long]);
  });

  test("of two that rank alike, the newer wording stays, in the place of the older", () => {
    const other = memory("Nothing in common with the two around it here.");
    const [older, newer] = [memory(long, { at: 1 }), memory(`${long} So it is.`, { at: 2 })];
    const { kept, repeats } = dedupe(ranked(older, other, newer), 10);
    expect(kept.map(({ id }) => id)).toEqual([newer.id, other.id]);
    expect(repeats).toMatchObject([{ candidate: { id: older.id }, of: { id: newer.id }, why: "similar" }]);
  });

  test("a part of a longer memory goes when the longer one ranks above it", () => {
    const part = "support may approve refunds of up to five hundred euros";
    expect(keptOf(ranked(memory(long), memory(part)))).toEqual([long]);
    expect(keptOf(ranked(memory(part), memory(long)))).toEqual([part, long]);
  });

  test.each([
    ["a number", "five hundred", "six hundred"],
    ["a digit", "euros", "euros 500"],
    ["a negation", "may approve", "may not approve"],
    ["a name", "finance", "Maria"],
    ["an identifier", "audit log", "audit_log"],
    ["a contraction", "may approve", "can't approve"],
    ["a word like any other", "without asking finance", "without asking marketing"],
    ["a word more", "audit log", "public audit log"],
  ])("%s keeps a near copy", (_what, from, to) => {
    const other = long.replace(from, to);
    expect(keptOf(ranked(memory(long), memory(other)))).toEqual([long, other]);
  });

  test.each([
    ["the order of numbers", "We raised the limit of the pool for the workers in the morning from 20 to 50 after the incident of the night before was over."],
    ["which of two is negated", "For the service of the team we do not use redis but we do use postgres as the store of all of the sessions of the users."],
  ])("%s is a fact", (_what, text) => {
    const other = text.includes("20") ? text.replace("from 20 to 50", "from 50 to 20") : text.replace("do not use redis but we do use", "do use redis but we do not use");
    expect(keptOf(ranked(memory(text), memory(other)))).toHaveLength(2);
  });

  test("Chinese with one character changed is another statement, a copy is not", () => {
    const text = "我们决定在计费服务中使用数据库因为它支持事务退款超过五百欧元需要批准";
    expect(keptOf(ranked(memory(text), memory(text.replace("五", "六")), memory(`${text}。`)))).toEqual([text, text.replace("五", "六")]);
  });
});

describe("sources are traced [D5]", () => {
  const entity = (sources: string[], text = "PostgreSQL technology"): Candidate => ({ ...memory(text), kind: "entity", sources });

  test("an entity whose memory is in the answer goes with it, also when it ranks above it", () => {
    const source = memory(long);
    const { kept, repeats } = dedupe(ranked(entity([source.id]), source), 10);
    expect(kept).toMatchObject([{ id: source.id }]);
    expect(repeats).toMatchObject([{ of: { id: source.id }, why: "source" }]);
  });

  test("an entity whose memory is below the limit stays", () => {
    const source = memory(long);
    const others = Array.from({ length: 3 }, (_, i) => memory(`Something else entirely, number ${i}.`));
    const { kept } = dedupe(ranked(entity([source.id]), ...others, source), 3);
    expect(kept[0]?.kind).toBe("entity");
  });

  test("one that goes makes room for a memory, with which another may go", () => {
    const [first, second] = [memory(long), memory("Deployments happen on tuesdays only.")];
    const candidates = ranked(first, entity([first.id], "Refund"), entity([second.id], "Deployment"), second);
    expect(dedupe(candidates, 3).kept.map(({ id }) => id)).toEqual([first.id, second.id]);
  });
});

const word = fc.constantFrom("the", "limit", "is", "500", "501", "not", "Maria", "Tom", "of", "userId", "user_id", "refund", "数据", "v1.2", "don't", "and", "approves", "👍", "12%");
const text = fc.array(word, { minLength: 1, maxLength: 40 }).map((words) => words.join(" "));
/** Variants of few texts, so that many are alike. */
const candidates = fc
  .record({
    texts: fc.array(text, { minLength: 1, maxLength: 3 }),
    picks: fc.array(
      fc.record({ of: fc.nat(), drop: fc.nat(40), add: fc.option(word), kind: fc.constantFrom("memory" as const, "memory" as const, "entity" as const, "relationship" as const), at: fc.nat(5), sources: fc.array(fc.nat(30), { maxLength: 3 }) }),
      { minLength: 1, maxLength: 30 },
    ),
  })
  .map(({ texts, picks }) =>
    picks.map(({ of, drop, add, kind, at, sources }, i): Candidate => {
      const words = (texts[of % texts.length] as string).split(" ");
      if (drop < words.length && words.length > 1) words.splice(drop, 1);
      return { kind, id: `m${i}`, text: [...words, ...(add ? [add] : [])].join(" "), score: 1 - i / 50, at, sources: sources.map((source) => `m${source}`) };
    }),
  );
const facts = (said: string): string[] => said.split(" ").filter((one) => !["the", "is", "of", "and"].includes(one));

describe("deduplication, whatever is found [D5]", () => {
  test("never drops the only holder of a fact, loses nothing and never reorders what it keeps", () => {
    fc.assert(
      fc.property(candidates, fc.integer({ min: 1, max: 12 }), (found, limit) => {
        const { kept, repeats } = dedupe(found, limit);
        expect([...kept, ...repeats.map(({ candidate }) => candidate)].map(({ id }) => id).sort()).toEqual(found.map(({ id }) => id).sort());
        const shown = kept.slice(0, limit);
        const told = repeats.filter(({ why, of }) => why === "source" || of.kind === "memory").map(({ candidate }) => candidate);
        for (const { candidate, of, why } of repeats) {
          expect([...kept, ...told]).toContain(of);
          if (why === "source") {
            expect(candidate.sources).toContain(of.id);
            expect(shown).toContain(of);
          } else {
            for (const fact of facts(candidate.text)) expect(of.text.split(" ")).toContain(fact);
            if (candidate.kind !== of.kind) expect([of.kind, shown.includes(of)]).toEqual(["memory", true]);
          }
          if (candidate.kind === "memory") expect(of.kind).toBe("memory");
        }
      }),
      { numRuns: 500 },
    );
  });

  test("takes time in proportion to the texts", { timeout: 5_000 }, () => {
    const big = Array.from({ length: 100 }, (_, i) => memory(`${"the same words over and over again ".repeat(300)} ${i}`));
    expect(dedupe(big, 10).kept).toHaveLength(100);
    expect(dedupe(Array.from({ length: 100 }, () => memory("a ".repeat(5_000))), 10).kept).toHaveLength(1);
  });
});
