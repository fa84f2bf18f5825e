import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { type Browser, signedIn } from "../web/browser.ts";

export const origin = "http://localhost";
export const redirectUri = "http://127.0.0.1:33418/callback";

export interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
  resource: string;
}

const host = { host: "localhost" };

export const getJson = async (path: string, headers: Record<string, string> = {}): Promise<{ status: number; body: any }> => {
  const answer = await SELF.fetch(new URL(path, origin), { headers: { ...host, ...headers }, redirect: "manual" });
  return { status: answer.status, body: await answer.json().catch(() => undefined) };
};

export const register = (metadata: Record<string, unknown> = {}): Promise<Response> =>
  SELF.fetch(`${origin}/oauth/register`, {
    method: "POST",
    headers: { ...host, "content-type": "application/json" },
    body: JSON.stringify({ client_name: "Test Client", redirect_uris: [redirectUri], token_endpoint_auth_method: "none", ...metadata }),
  });

const base64url = (bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** A client as MCP describes it, with every step apart, so that tests can go wrong at each. */
export class OAuthClient {
  readonly id: string;
  readonly secret: string | undefined;
  readonly verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));

  private constructor(id: string, secret: string | undefined) {
    this.id = id;
    this.secret = secret;
  }

  static async registered(metadata: Record<string, unknown> = {}): Promise<OAuthClient> {
    const answer = await register(metadata);
    const { client_id, client_secret } = await answer.json<{ client_id: string; client_secret?: string }>();
    return new OAuthClient(client_id, client_secret);
  }

  /** Path and query of the authorization request; `null` leaves a parameter out. */
  async authorizePath(changed: Record<string, string | null> = {}): Promise<string> {
    const parameters: Record<string, string | null> = {
      response_type: "code",
      client_id: this.id,
      redirect_uri: redirectUri,
      code_challenge: base64url(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(this.verifier))),
      code_challenge_method: "S256",
      state: "the-state",
      resource: `${origin}/mcp`,
      ...changed,
    };
    const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null);
    return `/authorize?${new URLSearchParams(given)}`;
  }

  token(form: Record<string, string>): Promise<Response> {
    return SELF.fetch(`${origin}/oauth/token`, {
      method: "POST",
      headers: { ...host, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ client_id: this.id, ...(this.secret ? { client_secret: this.secret } : {}), ...form }).toString(),
    });
  }

  exchange(code: string, changed: Record<string, string> = {}): Promise<Response> {
    return this.token({ grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: this.verifier, ...changed });
  }

  refresh(refreshToken: string, changed: Record<string, string> = {}): Promise<Response> {
    return this.token({ grant_type: "refresh_token", refresh_token: refreshToken, ...changed });
  }

  async code(browser: Browser, team: string, changed: Record<string, string | null> = {}): Promise<string> {
    const { answer } = await consent(browser, await this.authorizePath(changed), { team });
    return new URL(answer.headers.get("location") ?? "about:blank").searchParams.get("code") ?? "";
  }

  async tokens(browser: Browser, team: string, changed: Record<string, string | null> = {}): Promise<Tokens> {
    return (await this.exchange(await this.code(browser, team, changed))).json<Tokens>();
  }
}

export interface ConsentPage {
  status: number;
  text: string;
  headers: Headers;
  handle: string;
  session: string;
  teams: string[];
  scopes: { scope: string; checked: boolean }[];
}

const all = (text: string, pattern: RegExp): string[][] => [...text.matchAll(pattern)].map((match) => [...match]);

export async function consentPage(browser: Browser, path: string): Promise<ConsentPage> {
  const answer = await browser.get(path, { headers: { "sec-fetch-site": "cross-site" } });
  const text = await answer.text();
  return {
    status: answer.status,
    text,
    headers: answer.headers,
    handle: /name="handle" value="([^"]*)"/.exec(text)?.[1] ?? "",
    session: /name="session" value="([^"]*)"/.exec(text)?.[1] ?? "",
    teams: all(text, /<option value="([^"]*)"/g).map(([, team = ""]) => team),
    scopes: all(text, /name="scope" value="([^"]*)"( checked="")?/g).map(([, scope = "", checked]) => ({ scope, checked: checked !== undefined })),
  };
}

/** Opens the page and answers it as a person would who changes nothing. */
export async function consent(
  browser: Browser,
  path: string,
  chosen: { team: string; scopes?: string[]; decision?: string; form?: Record<string, string> },
): Promise<{ page: ConsentPage; answer: Response }> {
  const page = await consentPage(browser, path);
  const scopes = chosen.scopes ?? page.scopes.filter(({ checked }) => checked).map(({ scope }) => scope);
  const fields = { handle: page.handle, session: page.session, team: chosen.team, decision: chosen.decision ?? "allow", ...chosen.form };
  const answer = await browser.post("/authorize", [...Object.entries(fields), ...scopes.map((scope): [string, string] => ["scope", scope])]);
  return { page, answer };
}

/** What a person has let clients do, exchanged or not. */
export const grantsOf = async (userId: string): Promise<number> =>
  (await env.DB.prepare("select count(*) as n from oauth_records where key between ? and ?").bind(`grant:${userId}.`, `grant:${userId}.~`).first<number>("n")) ?? -1;

export const errorOf = async (answer: Response): Promise<[number, string]> => [answer.status, (await answer.json<{ error: string }>()).error];

/** Somebody who let a client act for them in their team. */
export async function connected(): Promise<Awaited<ReturnType<typeof signedIn>> & { client: OAuthClient; tokens: Tokens; team: string }> {
  const person = await signedIn();
  const client = await OAuthClient.registered();
  return { ...person, client, team: person.tenant.teamId, tokens: await client.tokens(person.browser, person.tenant.teamId) };
}
