/**
 * Which project a text names, whatever tool names it how: a git remote as `host/owner/name`, a folder as its name with a short hash of
 * its path, and any other name as it is. Pure, so that every door and family comes to the same one.
 */

/** In code points; a namespace holds it beside the id of a session. */
const longest = 150;
const longestFolder = 100;

/**
 * The identity of the project that a text names; of an identity, itself. A remote's credentials, query and suffix `.git` are no part
 * of it, nor how it is reached (https, ssh, git, scp form). Empty where a text names nothing.
 */
export function projectIdentity(given: string): string {
  const text = given.normalize("NFC").trim();
  const folder = folderOf(text);
  if (folder) return folder;
  return remoteOf(text) ?? text;
}

const folderForm = /^(.+)~[0-9a-f]{12}$/s;
const hostForm = /^(?:[\p{L}\p{N}][\p{L}\p{N}\p{M}_.-]*|\[[\da-f:.]+\])$/u;
const remoteForm = /^(?:[\p{L}\p{N}][\p{L}\p{N}\p{M}_-]*(?:\.[\p{L}\p{N}\p{M}_-]+)+\.?(?::\d+)?|[\p{L}\p{N}][\p{L}\p{N}\p{M}_-]*:\d+|\[[\da-f:.]+\](?::\d+)?)\/(?:.*\/)?([^/]+)$/isu;

/**
 * What people call the project: the last part of a remote or path. It named the project before there were identities, and other
 * projects may be called so, too.
 */
export const projectName = (identity: string): string => folderForm.exec(identity)?.[1] ?? remoteForm.exec(identity)?.[1] ?? identity;

/** The name under which memories of this project may stand from before it had an identity; undefined where that is the identity. */
export function formerNameOf(identity: string): string | undefined {
  const name = projectName(identity);
  return name === identity ? undefined : name;
}

/** Whether the identity is a remote's: it says which project it is, wherever that is checked out. */
export const isRemote = (identity: string): boolean => remoteForm.test(identity);

/** Whether memories of one may be about the other: two projects that once shared a name are not the same. */
export const isSameProject = (one: string, other: string): boolean => one === other || formerNameOf(one) === other || formerNameOf(other) === one;

/** The parts of an absolute path, the drive or server first on Windows. */
function folderOf(text: string): string | undefined {
  const path = /^file:/i.test(text) ? pathOfUrl(text) : text;
  const windows = /^(?:\\\\[?.]\\)?([a-z]):(?:[\\/](.*))?$/is.exec(path);
  if (windows) return named(`${(windows[1] as string).toLowerCase()}:`, (windows[2] ?? "").split(/[\\/]/));
  const share = /^\\\\(?:\?\\UNC\\)?([^\\/]+)[\\/](.*)$/is.exec(path);
  if (share) return named(`//${(share[1] as string).toLowerCase()}`, (share[2] as string).split(/[\\/]/));
  const absolute = /^(~?)\/(.*)$/s.exec(path) ?? /^(~)()$/.exec(path);
  return absolute ? named(absolute[1] as string, (absolute[2] as string).split("/")) : undefined;
}

function named(root: string, parts: readonly string[]): string {
  const path: string[] = [];
  for (const part of parts) {
    if (part === "..") path.pop();
    else if (part !== "" && part !== ".") path.push(part);
  }
  // What would be read as another form, or has another meaning in a namespace, is no part of a name.
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  const name = [...(path.at(-1) ?? "").replaceAll(/[\u0000-\u001f\u007f*:@/\\]/g, "-")].slice(0, longestFolder).join("").trim();
  return `${name === "" ? "root" : name}~${shortHash([root, ...path].join("/"))}`;
}

function pathOfUrl(text: string): string {
  const path = text.replace(/^file:(?:\/\/[^/]*)?/i, "");
  return decoded(path).replace(/^\/(?=[a-z]:)/i, "");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path).normalize("NFC");
  } catch {
    return path;
  }
}

const usualPorts = new Set(["22", "80", "443", "9418"]);

function remoteOf(text: string): string | undefined {
  // `hg::https://…` names the helper that reads the remote.
  const plain = text.replace(/^[a-z0-9]+::/i, "");
  const url = /^[a-z][a-z0-9+.-]*:\/\/(.*)$/is.exec(plain);
  if (url) return fromAuthority(withoutUser(url[1] as string, true), true);
  const head = plain.split("/", 1)[0] as string;
  const hasUser = head.lastIndexOf("@") > 0;
  const place = hasUser ? withoutUser(plain, false) : plain;
  const hasPassword = hasUser && head.slice(0, head.lastIndexOf("@")).includes(":");
  if (hasUser && !/^[^/:\s]+[/:]./s.test(place)) return hasPassword ? fromAuthority(place, false) : undefined;
  if (remoteForm.test(place.replace(/\/$/, ""))) return fromAuthority(place, !hasUser);
  // Of the scp form a name such as `shop:v2` is told by its user, its host or its path.
  const scp = /^([^/:\s]+):(.+)$/s.exec(place);
  const isScp = scp && hostForm.test((scp[1] as string).toLowerCase()) && (hasUser || scp[1]?.includes(".") || scp[2]?.includes("/") || /\.git$/i.test(place));
  return isScp || hasUser ? fromAuthority(place, false) : undefined;
}

/** What stands before the last `@` of the authority; where a password holds a slash, the port that it makes is none. */
function withoutUser(place: string, mayHoldSlash: boolean): string {
  const authority = place.split("/", 1)[0] as string;
  const at = authority.lastIndexOf("@");
  if (at >= 0) return place.slice(at + 1);
  const isWhole = !mayHoldSlash || /^(?:\[[^\]]*\]|[^:]*)(?::\d*)?$/.test(authority);
  return isWhole ? place : place.slice(place.lastIndexOf("@") + 1);
}

/** `host:22/owner/name` or `host:owner/name`; digits are a port where a port can stand. */
function fromAuthority(place: string, mayHavePort: boolean): string {
  const [, host = "", rest = ""] = /^(\[[^\]/]*\]|[^/:?#]*)(.*)$/s.exec(place) ?? [];
  const [, port = "", path = ""] = (mayHavePort ? /^:(\d+)(?=\/|$)(.*)$/s.exec(rest) : null) ?? [undefined, "", rest];
  const parts = (path.split(/[?#]/, 1)[0] as string).split("/").map((part, i) => (i === 0 ? part.replace(/^:/, "") : part)).filter((part) => part !== "" && part !== "." && part !== "..");
  const name = host.toLowerCase().replace(/\.$/, "");
  if (!hostForm.test(name)) return "";
  const number = port === "" || usualPorts.has(String(Number(port))) ? "" : `:${Number(port)}`;
  return bounded([`${name}${number}`, ...parts].join("/").replace(/(?:\.git|[/\s])+$/i, ""));
}

function bounded(identity: string): string {
  const points = [...identity];
  return points.length <= longest ? identity : `${points.slice(0, longest - 13).join("")}~${shortHash(identity)}`;
}

/** 48 bits of two FNV-1a hashes, for telling a person's few hundred folders apart; no secret rests on it. */
function shortHash(text: string): string {
  let [a, b] = [0x811c_9dc5, 0x050c_5d1f];
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x0100_0193);
    b = Math.imul(b ^ code, 0x0100_0193) + Math.imul(a, 0x9e37_79b1);
  }
  return (a >>> 0).toString(16).padStart(8, "0") + ((b ^ (b >>> 15)) & 0xffff).toString(16).padStart(4, "0");
}
