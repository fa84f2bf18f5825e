/** A path of `/authorize` that the server takes: of a client that is registered for it. */
export async function accessRequest(origin: string): Promise<string> {
  const redirect_uri = "http://127.0.0.1:4711/callback";
  const answer = await fetch(`${origin}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "e2e", redirect_uris: [redirect_uri], token_endpoint_auth_method: "none" }),
  });
  const { client_id } = (await answer.json()) as { client_id: string };
  return `/authorize?${new URLSearchParams({ client_id, redirect_uri, response_type: "code", code_challenge: "c".repeat(43), code_challenge_method: "S256", state: "y" })}`;
}
