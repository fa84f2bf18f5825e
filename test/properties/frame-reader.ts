import { expect } from "vitest";

/**
 * A reader of what tools answer, stricter than any model, and a second, generous one that sees marks where a careless model
 * might. Shares no code with `src`.
 */
export interface Element {
  attributes: Record<string, string>;
  content: string;
}

const attributePattern = String.raw` [a-z_]+="(?:[^"\\\n]|\\.)*"`;
const openTag = new RegExp(String.raw`^<memory((?:${attributePattern})*)>\n`);
export const relatedLine = new RegExp(String.raw`^<related(?:${attributePattern})*>[^\n]*</related>$`);

function attributesOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/ ([a-z_]+)=("(?:[^"\\]|\\.)*")/g)].map(([, name, value]) => [name, JSON.parse(value as string) as string]);
  return Object.fromEntries(pairs);
}

/** The elements of an answer and the lines around them, or a failure where it is anything else. */
export function readFrames(text: string): { elements: Element[]; lines: string[] } {
  const elements: Element[] = [];
  const lines: string[] = [];
  for (let rest = text; rest !== ""; ) {
    const open = openTag.exec(rest);
    if (!open) {
      const [line = ""] = rest.split("\n", 1);
      lines.push(line);
      rest = rest.slice(line.length + 1);
      continue;
    }
    const end = rest.indexOf("</memory>", open[0].length);
    expect(end, `an element that ends in ${rest.slice(0, 200)}`).toBeGreaterThan(0);
    const inside = rest.slice(open[0].length, end).split("\n");
    expect(inside.pop(), "the end tag stands on a line of its own").toBe("");
    while (relatedLine.test(inside.at(-1) ?? "")) inside.pop();
    elements.push({ attributes: attributesOf(open[1] as string), content: inside.join("\n") });
    rest = rest.slice(end + "</memory>".length);
    expect(rest.slice(0, 1), "nothing stands behind an end tag").toBeOneOf(["", "\n"]);
    rest = rest.slice(1);
  }
  for (const line of lines) expect(line, "a line holds nothing that ends or turns it").not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
  const own = elements.length * 2 + 2 * (text.match(/^<related /gm)?.length ?? 0);
  expect(marksSeen(text), `tags that a generous reader sees in ${text}`).toBe(own);
  return { elements, lines };
}

const entities: Record<string, string> = { lt: "<", gt: ">", sol: "/", amp: "&", nbsp: " ", zwj: "" };

/** Decoded until nothing changes, without the form of letters, and without what nobody sees. */
function seen(text: string): string {
  let decoded = text;
  for (let round = 0; round < 4; round += 1) {
    decoded = decoded
      .replaceAll(/&(lt|gt|sol|amp|nbsp|zwj);?/gi, (_, name: string) => entities[name.toLowerCase()] as string)
      .replaceAll(/&#x0*([0-9a-f]{1,6});?/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
      .replaceAll(/&#0*([0-9]{1,7});?/g, (_, number: string) => String.fromCodePoint(Number(number)))
      .replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
  }
  return decoded.normalize("NFKC").toLowerCase().replaceAll(/[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/gu, "");
}

export const marksSeen = (text: string): number => seen(text).match(/<\s*\/*\s*(?:memory|related|compressed)(?![\p{L}\p{N}_])/gu)?.length ?? 0;

/** The frame adds backslashes and takes spaces for what ends lines; nothing else may differ. */
export const bare = (text: string): string => text.replaceAll("\\", "");
export const letters = (text: string): string => text.replaceAll(/[\\\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "");

/** A key as a line shows it: one plain word, or quoted. */
export const handle = String.raw`(?:[\p{L}\p{N}_.:/@+#~-]+|"(?:[^"\\]|\\.)*")`;
export const readHandle = (shown: string): string => (shown.startsWith('"') ? (JSON.parse(shown) as string) : shown);
