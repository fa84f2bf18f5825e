import type { Page } from "playwright-core";
import { expect } from "vitest";

const controls = "a[href], summary, button:enabled, input:enabled:not([type=hidden]), select:enabled, textarea:enabled";
const controlRoles = new Set(["button", "checkbox", "combobox", "link", "searchbox", "textbox"]);

/** What every page should have, as it is. */
export async function outline(page: Page): Promise<{ lang: string; titled: boolean; headings: number; unnamed: number }> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const named = nodes.filter(({ role, ignored }) => !ignored && controlRoles.has(String(role?.value)));
  return {
    lang: await page.evaluate(() => document.documentElement.lang),
    titled: (await page.title()).endsWith(" – OmniMemory"),
    headings: await page.locator("h1").count(),
    unnamed: named.filter(({ name }) => !name?.value).length,
  };
}

/** By how many CSS pixels the page is wider than the window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => Math.max(0, ...[...document.querySelectorAll("body *")].map((element) => Math.ceil(element.getBoundingClientRect().right - document.documentElement.clientWidth))));

/** What is too small to press, or has something else within 12 pixels of its middle (WCAG 2.2, 2.5.8). Links in a sentence are as high as its line; a box is pressed by its label, too. */
export const tightTargets = (page: Page): Promise<string[]> =>
  page.locator(controls).filter({ visible: true }).evaluateAll((elements) => {
    const least = 24;
    const boxes = elements.map((element) => ({ element, box: (element.closest("label") ?? element).getBoundingClientRect() }));
    const isSmall = ({ width, height }: DOMRect): boolean => Math.min(width, height) < least - 0.5;
    const middle = ({ x, y, width, height }: DOMRect): [number, number] => [x + width / 2, y + height / 2];
    const reaches = ([x, y]: [number, number], { left, right, top, bottom }: DOMRect): boolean =>
      Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom)) < least / 2;
    const isInSentence = (element: Element): boolean => element.tagName === "A" && element.parentElement?.textContent?.trim() !== element.textContent?.trim() && !element.parentElement?.matches(".row");
    return boxes
      .filter(({ element, box }) => isSmall(box) && !isInSentence(element) && (element.parentElement?.matches(".row") || boxes.some((other) => other.element !== element && reaches(middle(box), other.box))))
      .map(({ element }) => element.outerHTML);
  });

export interface Stop {
  control: string;
  /** Whether a person sees that it has the focus. */
  visible: boolean;
}

/** What a person can press or fill in, in the order of the page. */
export const controlsOf = (page: Page): Promise<string[]> =>
  page.locator(controls).filter({ visible: true }).evaluateAll((elements) => elements.map((element) => element.outerHTML));

/** Where the Tab key leads from the top of the page, `count` times. */
export async function tabStops(page: Page, count: number): Promise<Stop[]> {
  const stops: Stop[] = [];
  for (let i = 0; i < count; i += 1) {
    await page.keyboard.press("Tab");
    stops.push(
      await page.evaluate(() => {
        const focused = document.activeElement ?? document.body;
        const { outlineStyle, outlineWidth } = getComputedStyle(focused);
        return { control: focused.outerHTML, visible: outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2 };
      }),
    );
  }
  return stops;
}

/** The texts whose colour is nearer to what lies behind than `least` (WCAG 2.2, 1.4.3 asks 4.5 of ordinary text). */
export const faintTexts = (page: Page, least = 4.5): Promise<string[]> =>
  page.evaluate((least) => {
    type Colour = [red: number, green: number, blue: number, alpha: number];
    const parse = (text: string): Colour => {
      const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
      return [red, green, blue, alpha];
    };
    const over = ([r, g, b, a]: Colour, [R, G, B]: Colour, opacity: number): Colour => {
      const mix = (front: number, back: number): number => front * a * opacity + back * (1 - a * opacity);
      return [mix(r, R), mix(g, G), mix(b, B), 1];
    };
    const luminance = (colour: Colour): number => {
      const [r = 0, g = 0, b = 0] = colour.slice(0, 3).map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.backgroundColor = "Canvas";
    const canvas = parse(getComputedStyle(probe).backgroundColor);
    probe.remove();
    const lineage = (element: Element): Element[] => (element.parentElement ? [...lineage(element.parentElement), element] : [element]);
    const contrast = (element: Element): number => {
      const family = lineage(element);
      const opacity = family.reduce((product, one) => product * Number(getComputedStyle(one).opacity), 1);
      const behind = family.reduce((below, one) => over(parse(getComputedStyle(one).backgroundColor), below, 1), canvas);
      const [light = 0, dark = 0] = [luminance(over(parse(getComputedStyle(element).color), behind, opacity)), luminance(behind)].sort((a, b) => b - a);
      return (light + 0.05) / (dark + 0.05);
    };
    const holdsText = (element: Element): boolean => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim());
    return [...document.querySelectorAll("main, main *")].filter((element) => holdsText(element) && element.checkVisibility() && contrast(element) < least).map((element) => element.outerHTML);
  }, least);

/** Opens all that is folded, without moving the focus. */
export const unfold = (page: Page): Promise<void> => page.locator("details").evaluateAll((all) => all.forEach((each) => each.setAttribute("open", "")));

/** All of it, in both color schemes; with SCREENSHOTS a picture of each goes into that folder. `widths`: of the window, in CSS pixels; none leaves it as it is. */
export async function expectSound(page: Page, name: string, widths: number[] = []): Promise<void> {
  expect(await outline(page), name).toEqual({ lang: "en", titled: true, headings: 1, unnamed: 0 });
  const { width: present, height } = page.viewportSize() ?? { width: 1_280, height: 800 };
  for (const width of widths.length > 0 ? widths : [present]) {
    await page.setViewportSize({ width, height });
    expect(await overflow(page), `${name}, ${width}`).toBe(0);
    expect(await tightTargets(page), `${name}, ${width}`).toEqual([]);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await faintTexts(page), `${name}, ${width}, ${colorScheme}`).toEqual([]);
      if (process.env["SCREENSHOTS"]) await page.screenshot({ path: `${process.env["SCREENSHOTS"]}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
  }
  const reached = await controlsOf(page);
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  expect(await tabStops(page, reached.length), name).toEqual(reached.map((control) => ({ control, visible: true })));
}
