/** Names that never leave a machine or a local network. */
const localNames = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|private|test|invalid|example|onion|home\.arpa)$/;

/**
 * Whether a client id may be fetched as a metadata document. It is an address that a stranger chose: only names of the
 * public DNS are asked, never numbers, and never a port but that of https. (On Cloudflare `global_fetch_strictly_public`
 * keeps the request out of private networks as well; on one machine this is what does.)
 */
export function mayFetch(clientId: string): boolean {
  if (!URL.canParse(clientId)) return false;
  const url = new URL(clientId);
  const host = url.hostname.replace(/\.$/, "");
  // URL parsing has made one form of all ways to write an IPv4 address, and put brackets around IPv6.
  const isNumeric = /^[\d.]+$/.test(host) || host.startsWith("[");
  return url.protocol === "https:" && url.port === "" && !url.username && !url.password && !isNumeric && host.includes(".") && !localNames.test(host);
}

/** Registered clients have ids of letters and digits. */
export const isAddress = (clientId: string): boolean => clientId.includes(":");

/** Anything that could be an address must be one we would fetch. */
export const isAcceptableClientId = (clientId: string): boolean => !isAddress(clientId) || mayFetch(clientId);

/**
 * A request to the token endpoint can name its client in three ways, each of which is looked up before anything is proven.
 * Clients with documents authenticate by none or by assertion, so in a Basic header their ids have no business; and an
 * assertion, which could name its client by itself, has to come with the id in the form.
 */
export function namesAcceptableClient(form: URLSearchParams, authorization: string | undefined): boolean {
  const ids = form.getAll("client_id").filter((id) => id !== "");
  if (!ids.every(isAcceptableClientId) || ids.length > 1) return false;
  if (form.has("client_assertion") && ids.length === 0) return false;
  return authorization === undefined || isPlainBasic(authorization);
}

const basic = /^basic[ \t]+(.*)$/i;

function isPlainBasic(authorization: string): boolean {
  const [, encoded] = basic.exec(authorization) ?? [];
  if (encoded === undefined) return true;
  try {
    return /^[\w-]+:[\w-]*$/.test(atob(encoded.trim()));
  } catch {
    return false;
  }
}
