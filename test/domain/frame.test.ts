import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aside, block, escapeMarks, joined, json, label, named, quietJson, quoted, say, spaced } from "../../src/domain/frame.ts";
import { marksSeen } from "../properties/frame-reader.ts";
import { texts } from "../tools/texts.ts";

const disguises = [
  "</memory>", "</Memory>", "<MEMORY id=1>", "< / memory>", "<\n\t/memory", "<//memory>", "＜／ｍｅｍｏｒｙ＞", "﹤memory", "<\u0338/memory>", "≮/memory>", "</mem\u200bory>", "</me\u00admory>",
  "<\u2060/\ufeffmemory>", "</m\u0301e\u0301mory>", "</\u{e0020}memory>", "</𝐦𝐞𝐦𝐨𝐫𝐲>", "</ⓜⓔⓜⓞⓡⓨ>", "&lt;/memory&gt;", "&LT/memory", "&#60;/memory", "&#0060memory", "&#x3c;memory", "&amp;lt;/memory", "&amp;amp;lt;memory",
  "&#38;lt;/memory", "<&#47;memory>", "<&sol;memory>", "<&#109;emory>", "<m&#x65;mory>", "</&zwj;memory>", "%3C/memory", "%253cmemory", "\\u003c/memory", "\\x3Cmemory", "\\u{3c}/memory", "</mеmоry>", "‹/memory›", "〈memory〉",
  "<∕memory>", "</related>", "<Related id=1>", "<memory", "a</memory>b", "<</memory>", "<<memory>>", "<\\/memory>", "<\\\\memory>",
];

describe("what could be read as one of our tags", () => {
  test.each(disguises)("%j is escaped, and can be read back", (text) => {
    const escaped = escapeMarks(text);
    expect(escaped).not.toBe(text);
    expect(escaped.length).toBe(text.length + 1);
    const at = [...escaped].findIndex((character, i) => character !== [...text][i]);
    expect([...escaped][at]).toBe("\\");
    expect(marksSeen(escaped.replaceAll(/\\(?=\\)/g, ""))).toBe(0);
  });

  test.each([
    "a < b && b > c", "<div class='memory'>", "Vec<memory_t>", "Map<String, Memory>", "<memoryLeak>", "</mem>", "<mem ory>", "memory > 4 GB", "if (x<related_ids.length)", "Tom & Jerry", "100% memory", "C:\\users\\memory",
    "&lt;div&gt;", "&copy; memory", "\\u00e9", "%20memory", "<reMemory>", "<|im_start|>", "</thememory>",
  ])("%j stays as it is", (text) => {
    expect(escapeMarks(text)).toBe(text);
  });

  test.each(texts)("%s stays as it is", (_kind, text) => {
    expect(escapeMarks(text)).toBe(text);
  });

  test("every character that Unicode takes for a less-than sign begins a tag", () => {
    const signs: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const sign = String.fromCodePoint(code);
      if (sign.normalize("NFKD").startsWith("<")) signs.push(sign);
    }
    expect(signs.length).toBeGreaterThanOrEqual(4);
    for (const sign of signs) expect(escapeMarks(`${sign}/memory>`)).toBe(`${sign}\\/memory>`);
  });

  const part = fc.oneof(fc.constantFrom(...disguises, "<", "/", "\\", "memory", "&", "lt;", "#60;", "%3", "C", "\u200b", " ", "\n", "x"), fc.string({ unit: "grapheme", maxLength: 3 }));
  const mixed = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));

  test("nothing put together of them is seen as a tag, and no two texts become the same", () => {
    fc.assert(
      fc.property(mixed, mixed, (one, other) => {
        expect(marksSeen(escapeMarks(one))).toBe(0);
        if (one !== other) expect(escapeMarks(one)).not.toBe(escapeMarks(other));
        expect(escapeMarks(one).replaceAll("\\", "")).toBe(one.replaceAll("\\", ""));
        expect(JSON.parse(quietJson({ [one]: other }))).toEqual(JSON.parse(JSON.stringify({ [one]: other })));
        expect(JSON.parse(quoted(one).toString())).toBe(escapeMarks(one));
      }),
      { numRuns: 2_000 },
    );
  });

  test("a long text of beginnings takes no longer than its length: every character is looked at a few times", () => {
    for (const text of ["<".repeat(10_000), "< ".repeat(5_000), "&amp;".repeat(2_000), `<${"\u200b".repeat(10_000)}`, "<me".repeat(3_000), "\\u003c".repeat(1_500)]) expect(escapeMarks(text)).toBe(text);
  });
});

describe("frames", () => {
  test("a line holds one line, whatever is put into it", () => {
    const text = "a\nb\r\nc\u2028d\u2029e\u0085f\u000bg\th\u202ei\u2066j\u001b[2J\u{e0041}k";
    expect(say`- ${text}: end`.toString()).toBe("- a b c d e f g h i j [2J k: end");
    expect(spaced(text)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
  });

  test("what is framed already is not framed again, and our own words stand as they are", () => {
    expect(joined([say`one\ntwo ${block("</memory>\nx")}`, aside("a", undefined, say`b`), aside(undefined)]).toString()).toBe("one\ntwo <\\/memory>\nx\n (a, b)\n");
  });

  test("a plain name stands as it is, any other within quotes that can be read back", () => {
    expect(["project.auth.decision", "größe-2", "a/b:c@d#e+f~g", "数据库"].map((name) => named(name).toString())).toEqual(["project.auth.decision", "größe-2", "a/b:c@d#e+f~g", "数据库"]);
    expect(named('x (shared, global): "y"').toString()).toBe('"x (shared, global): \\"y\\""');
    expect(named("zero\u200bwidth").toString()).toBe('"zero\\u200bwidth"');
  });

  test("JSON says the same, and holds nothing that ends a line or hides", () => {
    const value = { text: "\u2028# count 0\u202e</memory>\u{e0041}👩‍👩‍👧", list: [1, null] };
    expect(json(value).toString()).toBe('{"text":"\\u2028# count 0\\u202e\\u003c/memory>\\udb40\\udc41👩‍👩‍👧","list":[1,null]}');
    expect(JSON.parse(json(value).toString())).toEqual(value);
  });

  test("a name that somebody gave is one short line of what can be seen", () => {
    expect(label(" Ada\u200b\n\u202eLovelace\u0000 ", 60)).toBe("Ada Lovelace");
    expect(label("x".repeat(200), 60)).toBe(`${"x".repeat(59)}…`);
    expect(label("\u200b\u2060", 60)).toBe("");
  });
});

// By the square it takes half a minute. The clock of workerd stands still while code runs, so the limit of the test is the measure.
test("JSON of a text that is full of our tags is quiet in proportion to its length [S6]", { timeout: 5_000 }, () => {
  const text = "<memory".repeat(60_000);
  const quiet = quietJson({ text });
  expect(quiet).not.toContain("<");
  expect(JSON.parse(quiet)).toEqual({ text });
});
