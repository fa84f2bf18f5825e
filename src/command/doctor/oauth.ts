import { createHash, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { session } from "./session.ts";
import { type Answer, Failed, type Finding, fine, note, objectIn, send } from "./step.ts";

const text = (value: unknown): string => (typeof value === "string" ? value : "");

export interface SignIn {
  issuer: string;
  authorize: string;
  token: string;
  register: string;
  revoke: string;
  resource: string;
  scopes: string;
}

/** From the refusal to where a person signs in (RFC 9728, RFC 8414), each as a client finds it. */
export async function* discover(endpoint: string, refused: Answer): AsyncGenerator<Finding, SignIn> {
  const { origin } = new URL(endpoint);
  const challenge = refused.headers.get("www-authenticate") ?? "";
  const metadata = /resource_metadata="([^"]+)"/.exec(challenge)?.[1];
  if (metadata === undefined || !URL.canParse(metadata)) throw new Failed("The refusal does not say where to sign in (no resource_metadata in WWW-Authenticate).", "A proxy before the server takes this header away: let it through.");
  const behind = "The server knows itself by another name than the clients: a proxy has to hand on Host and https as they are, or PUBLIC_URL says what they are (docs/configuration.md).";
  if (new URL(metadata).origin !== origin) throw new Failed(`The refusal leads to ${new URL(metadata).origin}, the client is at ${origin}.`, behind);
  const resource = objectIn(await send(metadata), metadata);
  if (text(resource["resource"]) !== endpoint) throw new Failed(`The metadata are of ${text(resource["resource"])}, the client is at ${endpoint}.`, behind);
  const [issuer] = Array.isArray(resource["authorization_servers"]) ? resource["authorization_servers"].map(text) : [];
  if (!issuer || !URL.canParse(issuer)) throw new Failed("The metadata name no authorization server.", behind);
  yield fine(`A client without a key is led to sign in at ${issuer}`);
  const { pathname, origin: home } = new URL(issuer);
  const wellKnown = `${home}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`;
  const server = objectIn(await send(wellKnown), wellKnown);
  if (text(server["issuer"]) !== issuer) throw new Failed(`The authorization server calls itself ${text(server["issuer"])}, and not ${issuer}.`, behind);
  const methods = server["code_challenge_methods_supported"];
  if (!Array.isArray(methods) || !methods.includes("S256")) throw new Failed("The authorization server does not say that it takes PKCE with S256.", "Clients refuse it: is it this product's own?");
  yield fine("Its metadata are those that clients ask for (PKCE, registration)");
  const scopes = Array.isArray(resource["scopes_supported"]) ? resource["scopes_supported"].map(text).join(" ") : "";
  const { authorization_endpoint: authorize, token_endpoint: token, registration_endpoint: register, revocation_endpoint: revoke } = server;
  return { issuer, authorize: text(authorize), token: text(token), register: text(register), revoke: text(revoke), resource: endpoint, scopes };
}

/** As a client signs a person in: registration, consent in the browser, the code, the tokens, a session, and it is disconnected again. */
export async function* signIn(to: SignIn, ask: (url: string) => void): AsyncGenerator<Finding> {
  const [state, verifier] = [randomBytes(16).toString("base64url"), randomBytes(32).toString("base64url")];
  const back = await Callback.open();
  try {
    const registered = objectIn(
      await send(to.register, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ client_name: "omnimemory doctor", redirect_uris: [back.url], grant_types: ["authorization_code", "refresh_token"], response_types: ["code"], token_endpoint_auth_method: "none" }),
      }),
      "The registration of a client",
    );
    const client = text(registered["client_id"]);
    yield fine("A client registers itself");
    const url = new URL(to.authorize);
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    for (const [name, value] of Object.entries({ response_type: "code", client_id: client, redirect_uri: back.url, state, code_challenge: challenge, code_challenge_method: "S256", resource: to.resource, scope: to.scopes })) url.searchParams.set(name, value);
    ask(url.href);
    const answer = await back.answer;
    if (answer.get("error")) throw new Failed(`The server sends back: ${answer.get("error_description") ?? answer.get("error") ?? ""}.`, "Allow the connection on the page, with an account that is a member of a team.");
    if (answer.get("state") !== state) throw new Failed("The answer of the browser is of another sign-in.", "Open the link that is printed here, once.");
    if (answer.get("iss") !== null && answer.get("iss") !== to.issuer) throw new Failed(`The answer comes from ${answer.get("iss") ?? ""}, and not from ${to.issuer}.`, "Two servers answer under one name: look at the proxy.");
    yield fine("The person signs in, and the browser comes back");
    const exchange = (form: Record<string, string>): Promise<Answer> => send(to.token, { method: "POST", body: new URLSearchParams({ client_id: client, resource: to.resource, ...form }) });
    const tokens = objectIn(await exchange({ grant_type: "authorization_code", code: answer.get("code") ?? "", redirect_uri: back.url, code_verifier: verifier }), "The exchange of the code");
    yield* session(to.resource, text(tokens["access_token"]), "The access token", "The token endpoint and /mcp are not the same server: look at the proxy.");
    const refresh = text(tokens["refresh_token"]);
    if (refresh === "") return yield note("There is no refresh token: a person signs in again when the access token ends.");
    const renewed = objectIn(await exchange({ grant_type: "refresh_token", refresh_token: refresh }), "The renewal of the token");
    yield fine("The token is renewed without the person");
    await send(to.revoke, { method: "POST", body: new URLSearchParams({ client_id: client, token: text(renewed["refresh_token"]) || refresh, token_type_hint: "refresh_token" }) });
    yield fine("It is disconnected again");
  } finally {
    back.close();
  }
}

const personMs = 300_000;

/** Where the browser comes back to: a port of this machine (RFC 8252, section 7.3). */
class Callback {
  readonly url: string;
  readonly answer: Promise<URLSearchParams>;
  readonly #server: Server;
  readonly #waiting: NodeJS.Timeout | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
    let late: NodeJS.Timeout | undefined;
    this.answer = new Promise((resolve, reject) => {
      late = setTimeout(() => reject(new Failed("Nobody came back from the browser within five minutes.", "Open the link in a browser on this machine, sign in, and allow the connection.")), personMs);
      server.on("request", (request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
        if (pathname !== "/callback") return void response.writeHead(404).end();
        response.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end("The doctor goes on; this page can be closed.\n");
        resolve(searchParams);
      });
    });
    this.#waiting = late;
  }

  static open(): Promise<Callback> {
    const server = createServer();
    return new Promise((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", () => resolve(new Callback(server))));
  }

  close(): void {
    clearTimeout(this.#waiting);
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
