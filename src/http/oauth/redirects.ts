/** Where codes are sent to: a site, a port of this machine, or a program that registered a scheme of its own (RFC 8252 section 7). */
export type RedirectKind = "web" | "loopback" | "private-use";

const loopback = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/;

/**
 * Schemes that a browser or an operating system answers itself. None of them is a client's own, and some of them run or
 * reveal something when they are opened.
 */
const taken = new Set([
  "about", "blob", "chrome", "chrome-extension", "content", "data", "devtools", "edge", "facetime", "file", "filesystem", "firefox", "ftp", "ftps", "geo", "git", "gopher", "help", "imap", "intent",
  "itms-services", "jar", "javascript", "ldap", "ldaps", "mailto", "market", "mhtml", "moz-extension", "news", "nfs", "nntp", "opera", "resource", "rtsp", "safari-web-extension", "search", "search-ms",
  "sftp", "shell", "sip", "sips", "smb", "sms", "ssh", "svn", "tel", "telnet", "urn", "vbscript", "view-source", "vnc", "webcal", "ws", "wss", "x-apple.systempreferences",
]);
/** Microsoft's own: several of them have run commands of whoever made the link. */
const ofWindows = /^ms-/;

/** `undefined` for an address that no code is sent to. */
export function redirectKind(uri: string): RedirectKind | undefined {
  if (!URL.canParse(uri)) return undefined;
  const { protocol, hostname, port } = new URL(uri);
  if (protocol === "https:") return "web";
  if (protocol === "http:") return loopback.test(hostname) ? "loopback" : undefined;
  const scheme = protocol.slice(0, -1);
  // Only ports of this machine may differ from the registered one; a program's own address is compared as it is.
  return taken.has(scheme) || ofWindows.test(scheme) || port !== "" ? undefined : "private-use";
}

/** The redirect address as people read it. */
export function redirectName(uri: string): string {
  const { protocol, hostname } = new URL(uri);
  return redirectKind(uri) === "private-use" ? `${protocol}//` : hostname;
}
