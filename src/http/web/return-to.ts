/**
 * Where to go after signing in: a path of this origin, or the landing page. Parsed as a browser would, because `//host`,
 * `/\host` and control characters are ways out that a look at the first character does not see; and `/x/..//host` is one
 * that only shows in what the parser made of it.
 */
export function returnPath(text: string | undefined, origin: string): string {
  if (text === undefined || !text.startsWith("/") || !URL.canParse(text, origin)) return "/";
  const url = new URL(text, origin);
  return url.origin === origin && !url.pathname.startsWith("//") ? `${url.pathname}${url.search}${url.hash}` : "/";
}
