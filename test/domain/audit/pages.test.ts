import fc from "fast-check";
import { expect, test } from "vitest";
import { cursorOf, inOrder, mergePage, parseCursor } from "../../../src/domain/audit/pages.ts";
import type { AuditPosition, AuditRecord } from "../../../src/domain/audit/audit-trail.ts";

const record = (source: string, id: number, at: number): AuditRecord => ({
  source, id, at, teamId: "t", userId: null, action: "key.create", success: true, subject: null, count: null, client: null, address: null, country: null, credentialId: null, requestId: null,
});

/** As a store answers: from the position's instant on, one more than asked and what was seen. */
const stored = (all: AuditRecord[], from: AuditPosition | undefined, limit: number): AuditRecord[][] =>
  [...Map.groupBy(all, ({ source }) => source)].map(([source, rows]) =>
    rows.filter(({ at }) => at <= (from?.at ?? Infinity)).sort(inOrder).slice(0, limit + 1 + (from?.seen.get(source) ?? 0)),
  );

const sources = ["directory", "SHARD_0", "SHARD_1"];
const entries = fc
  .array(fc.record({ source: fc.constantFrom(...sources), at: fc.nat(6) }), { maxLength: 60 })
  .map((rows) => rows.map(({ source, at }, id) => record(source, id, at)));

test("pages of several audits show each entry once, in order, also while entries are written [A14]", () => {
  fc.assert(fc.property(entries, entries, fc.integer({ min: 1, max: 7 }), (before, late, limit) => {
    const all = [...before];
    const added = late.map((entry) => ({ ...entry, id: entry.id + 1_000 }));
    const shown: AuditRecord[] = [];
    let from: AuditPosition | undefined;
    do {
      const page = mergePage(stored(all, from, limit), from, limit);
      expect(page.entries.length).toBeLessThanOrEqual(limit);
      shown.push(...page.entries);
      from = page.next && parseCursor(cursorOf(page.next));
      const next = added.shift();
      if (next) all.push(next);
    } while (from);
    const names = shown.map(({ source, id }) => `${source} ${id}`);
    expect(new Set(names).size).toBe(names.length);
    const known = new Set(names);
    expect(before.filter(({ source, id }) => !known.has(`${source} ${id}`))).toEqual([]);
    expect(shown.map(({ at }) => at)).toEqual(shown.map(({ at }) => at).sort((a, b) => b - a));
  }));
});

test.each(["", "x", "1~", "1~directory", "1~directory.99999", `1${"~a.1".repeat(3)}~`, "-1", "1 "])("%j is no cursor", (text) => {
  expect(parseCursor(text)).toBeUndefined();
});
