import { nameProblem } from "../../domain/tenancy/shown-name.ts";
import { redirectKind } from "./redirects.ts";

const maxNameLength = 100;
const maxRedirectUris = 10;
const maxRedirectUriLength = 512;
/** Why a client does not register so: anybody may, and what they say is stored and shown. */
export function registrationProblem(metadata: Record<string, unknown>): string | undefined {
  const uris = metadata["redirect_uris"];
  if (Array.isArray(uris) && uris.length > maxRedirectUris) return `redirect_uris has at most ${maxRedirectUris} entries`;
  if (Array.isArray(uris) && uris.some((uri) => String(uri).length > maxRedirectUriLength)) return `a redirect URI has at most ${maxRedirectUriLength} characters`;
  if (Array.isArray(uris) && !uris.every((uri) => redirectKind(String(uri)))) {
    return "redirect_uris are https addresses, http ones of this machine (localhost, 127.0.0.1, [::1]), or of a scheme of the client's own, such as cursor://, without a port";
  }
  return clientNameProblem(metadata);
}

/** The client's name in all the languages that it gives (RFC 7591 section 2.2). */
function clientNameProblem(metadata: Record<string, unknown>): string | undefined {
  for (const [field, name] of Object.entries(metadata)) {
    if (field !== "client_name" && !field.startsWith("client_name#")) continue;
    const problem = nameProblem(String(name ?? ""), maxNameLength);
    if (problem) return `client_name ${problem}`;
  }
  return undefined;
}

/** Whether a consent page may call the client so: the name in a metadata document is read by nobody before. */
export const isShownName = (name: string): boolean => nameProblem(name, maxNameLength) === undefined;
