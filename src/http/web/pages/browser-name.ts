/** Of the browsers that say they are each other, the one that says most comes first. */
const browsers: readonly [word: string, name: string][] = [
  ["Edg", "Edge"], ["OPR/", "Opera"], ["Firefox/", "Firefox"], ["FxiOS/", "Firefox"], ["CriOS/", "Chrome"], ["Chrome/", "Chrome"], ["Safari/", "Safari"],
];
const systems: readonly [word: string, name: string][] = [
  ["iPhone", "iPhone"], ["iPad", "iPad"], ["Android", "Android"], ["Windows", "Windows"], ["Mac OS X", "macOS"], ["CrOS", "ChromeOS"], ["Linux", "Linux"],
];

const nameIn = (names: typeof browsers, userAgent: string): string | undefined => names.find(([word]) => userAgent.includes(word))?.[1];

/** What a person calls the browser: "Firefox on Windows". Of one that we do not know, what it says itself. */
export function browserName(userAgent: string | null): string {
  if (userAgent === null) return "Unknown browser";
  const browser = nameIn(browsers, userAgent);
  const system = nameIn(systems, userAgent);
  return browser && system ? `${browser} on ${system}` : userAgent;
}
