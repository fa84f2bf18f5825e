import { createHash, randomBytes } from "node:crypto";
import { PersonAtBrowser } from "../e2e/support/person.ts";

const redirectUri = "http://127.0.0.1:33418/callback";

/** What a client gets by the whole OAuth flow: registration, consent, code, token. */
export async function accessToken(mcpUrl: string, signInUrl: string): Promise<string> {
  const { origin } = new URL(signInUrl);
  const registration = await fetch(`${origin}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "bench", redirect_uris: [redirectUri], token_endpoint_auth_method: "none" }),
  });
  const { client_id } = (await registration.json()) as { client_id: string };
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const asked = new URLSearchParams({
    response_type: "code", client_id, redirect_uri: redirectUri, code_challenge: challenge, code_challenge_method: "S256", resource: mcpUrl,
  });
  const person = await PersonAtBrowser.signInBy(signInUrl);
  const callback = await person.allow(new URL(`${origin}/authorize?${asked}`));
  const form = new URLSearchParams({
    grant_type: "authorization_code", client_id, redirect_uri: redirectUri, code_verifier: verifier, code: callback.searchParams.get("code") ?? "",
  });
  const answer = await fetch(`${origin}/oauth/token`, { method: "POST", body: form });
  const { access_token } = (await answer.json()) as { access_token?: string };
  if (access_token === undefined) throw new Error(`no access token: HTTP ${answer.status}`);
  return access_token;
}
