/** The server that a configuration is for, and the project whose memories it is to hold. */
export interface Site {
  /** Of the MCP endpoint. */
  readonly url: string;
  /** Of one that the internet reaches. */
  readonly publicUrl: string;
  readonly project: string;
}

/** `address`: what a person types into a dialog. */
export type Format = "shell" | "json" | "toml" | "yaml" | "address";

/** One way to tell a client of the server. */
export interface Setup {
  readonly title: string;
  /** File or dialog, in Markdown. */
  readonly place: string;
  readonly note?: string;
  readonly format: Format;
  /** Whether the file belongs to a project's repository: then it holds no secret. */
  readonly isCommitted: boolean;
  /** What opens the door: an API key, or a person who signs in with the browser (OAuth). */
  readonly needs: "key" | "browser";
  readonly text: (site: Site) => string;
}

type Told = Pick<Setup, "place" | "text"> & Partial<Pick<Setup, "isCommitted" | "needs" | "note">>;

/** What stands in a file for a key that a person puts in. */
export const keyMark = "omn_YOUR_KEY";

export const guided = (title: string, format: Format, told: Told): Setup => ({ title, format, isCommitted: false, needs: "key", ...told });
export const shell = (title: string, told: Told): Setup => guided(title, "shell", told);

const widest = 120;

/** JSON with a line for what fits into one. */
export function json(value: unknown, indent = ""): string {
  const line = JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, " ");
  if (typeof value !== "object" || value === null || indent.length + line.length <= widest) return line;
  const deeper = `${indent}  `;
  const [open, close, parts] = Array.isArray(value)
    ? ["[", "]", value.map((one) => json(one, deeper))]
    : ["{", "}", Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${json(one, deeper)}`)];
  return `${open}\n${parts.map((part) => deeper + part).join(",\n")}\n${indent}${close}`;
}
