/** Many browsers name others in their user agent; the one that names most comes first. */
const browsers: readonly [word: string, name: string][] = [
  ["Edg", "Edge"], ["OPR/", "Opera"], ["Firefox/", "Firefox"], ["FxiOS/", "Firefox"], ["CriOS/", "Chrome"], ["Chrome/", "Chrome"], ["Safari/", "Safari"],
];
const systems: readonly [word: string, name: string][] = [
  ["iPhone", "iPhone"], ["iPad", "iPad"], ["Android", "Android"], ["Windows", "Windows"], ["Mac OS X", "macOS"], ["CrOS", "ChromeOS"], ["Linux", "Linux"],
];

const nameIn = (names: typeof browsers, userAgent: string): string | undefined => names.find(([word]) => userAgent.includes(word))?.[1];

/** The browser as a person calls it: "Firefox on Windows". For an unknown one, the name it gives itself. */
export function browserName(userAgent: string | null): string {
  if (userAgent === null) return "Unknown browser";
  const browser = nameIn(browsers, userAgent);
  const system = nameIn(systems, userAgent);
  return browser && system ? `${browser} on ${system}` : userAgent;
}
