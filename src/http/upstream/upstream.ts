import * as oauth from "oauth4webapi";
import * as z from "zod";
import type { Identity } from "../../domain/tenancy/identities.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { githubIssuer, type UpstreamProvider } from "./provider.ts";

/** The state needed when the person comes back; kept on our side, never in the address. */
export const upstreamState = z.object({ provider: z.string(), state: z.string(), nonce: z.string(), verifier: z.string(), linkTo: z.string().optional() });
export type UpstreamState = z.output<typeof upstreamState>;

const timeoutMs = 10_000;
/** Keys and endpoints of issuers change rarely, and are asked again when this isolate is old. */
const metadataMs = 3_600_000;
/** How far an issuer's clock may be ahead of ours. */
const clockSkewMs = 60_000;

/** As it names itself when it sends people back (RFC 9207). Identities and the configuration keep the name by which they know it. */
const githubServer = `${githubIssuer}/login/oauth`;
const github: oauth.AuthorizationServer = {
  issuer: githubServer,
  authorization_endpoint: `${githubServer}/authorize`,
  token_endpoint: `${githubServer}/access_token`,
};
const githubUser = z.object({ id: z.number().int().positive(), login: z.string(), name: z.string().nullish() });
const githubEmails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** OpenID Connect Core section 2. An empty one would be the same person for everybody. */
const subject = z.string().min(1).max(255);

/** The person said no, or the issuer did; nothing is wrong on our side. */
export const isRefusal = (error: unknown): boolean => error instanceof oauth.AuthorizationResponseError;

/** The issuer's times do not fit ours: one of the clocks is wrong. */
export const isClockFault = (error: unknown): boolean => error instanceof oauth.OperationProcessingError && error.code === oauth.JWT_TIMESTAMP_CHECK;

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/**
 * Address and verification come from one answer of the issuer, so that its word on one address is not taken for another. Some
 * write the truth as text.
 */
function verifiedIn(claims: Record<string, unknown>): string[] {
  const email = text(claims["email"]);
  return email !== undefined && (claims["email_verified"] === true || claims["email_verified"] === "true") ? [email] : [];
}

export interface Vouched {
  identity: Identity;
  /** Addresses of mail that the issuer says are verified; asked of GitHub only where there is a list of who may sign in. */
  verified: string[];
}

/** One issuer that vouches for people: OpenID Connect, or GitHub. */
export class Upstream {
  readonly #provider: UpstreamProvider;
  readonly #client: oauth.Client;
  readonly #auth: oauth.ClientAuth;
  #metadata: { server: oauth.AuthorizationServer; until: number } | undefined;

  constructor(provider: UpstreamProvider) {
    this.#provider = provider;
    this.#client = { client_id: provider.client_id };
    this.#auth = oauth.ClientSecretPost(provider.client_secret);
  }

  /** Where the person is sent, and what to keep until they are back. */
  async begin(redirectUri: string, now: number): Promise<{ url: URL; state: UpstreamState }> {
    const server = await this.#server(now);
    if (server.authorization_endpoint === undefined) throw new Error("The issuer names no authorization endpoint");
    const kept: UpstreamState = {
      provider: this.#provider.id,
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      verifier: oauth.generateRandomCodeVerifier(),
    };
    const url = new URL(server.authorization_endpoint);
    const parameters: Record<string, string> = {
      response_type: "code",
      client_id: this.#provider.client_id,
      redirect_uri: redirectUri,
      scope: this.#isGithub ? (this.#isListed ? "user:email" : "") : "openid profile email",
      state: kept.state,
      code_challenge: await oauth.calculatePKCECodeChallenge(kept.verifier),
      code_challenge_method: "S256",
      ...(this.#isGithub ? {} : { nonce: kept.nonce }),
    };
    for (const [name, value] of Object.entries(parameters)) if (value) url.searchParams.set(name, value);
    return { url, state: kept };
  }

  /** The identity that the issuer vouches for. @throws when it does not, or its answer does not belong to this attempt */
  async finish(callback: URL, redirectUri: string, kept: UpstreamState, now: number): Promise<Vouched> {
    const server = await this.#server(now);
    const parameters = oauth.validateAuthResponse(server, this.#client, callback, kept.state);
    const response = await oauth.authorizationCodeGrantRequest(server, this.#client, this.#auth, parameters, redirectUri, kept.verifier, this.#options());
    return this.#isGithub ? this.#githubIdentity(server, response) : this.#openIdIdentity(server, response, kept, now);
  }

  async #openIdIdentity(server: oauth.AuthorizationServer, response: Response, kept: UpstreamState, now: number): Promise<Vouched> {
    const tokens = await oauth.processAuthorizationCodeResponse(server, this.#client, response, { expectedNonce: kept.nonce, requireIdToken: true });
    await oauth.validateApplicationLevelSignature(server, response, this.#options());
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    if (!claims) throw new Error("The issuer sent no ID token");
    if (claims.iat * 1_000 > now + clockSkewMs) throw new oauth.OperationProcessingError("The ID token was issued in the future", { code: oauth.JWT_TIMESTAMP_CHECK });
    const told = await this.#userInfo(server, tokens.access_token, claims);
    const shown = { ...told, ...claims };
    const identity = { issuer: server.issuer, subject: subject.parse(claims.sub), name: text(shown["name"]) ?? text(shown["preferred_username"]), email: text(shown["email"]) };
    return { identity, verified: [...verifiedIn(claims), ...verifiedIn(told)] };
  }

  /** Many issuers leave name and address out of the ID token when there is a token to ask for them with. */
  async #userInfo(server: oauth.AuthorizationServer, accessToken: string, claims: oauth.IDToken): Promise<Record<string, unknown>> {
    const isEnough = text(claims["name"]) !== undefined && !(this.#isListed && verifiedIn(claims).length === 0);
    if (isEnough || server.userinfo_endpoint === undefined) return {};
    const answer = await oauth.userInfoRequest(server, this.#client, accessToken, this.#options());
    return oauth.processUserInfoResponse(server, this.#client, claims.sub, answer);
  }

  /** By the number of the account: logins can be given up and taken by others. */
  async #githubIdentity(server: oauth.AuthorizationServer, response: Response): Promise<Vouched> {
    const tokens = await oauth.processAuthorizationCodeResponse(server, this.#client, response);
    const user = githubUser.parse(await this.#askGithub("/user", tokens.access_token));
    const emails = this.#isListed ? githubEmails.parse(await this.#askGithub("/user/emails", tokens.access_token)) : [];
    const verified = emails.flatMap(({ email, primary, verified }) => (primary && verified ? [email] : []));
    return { identity: { issuer: githubIssuer, subject: String(user.id), name: text(user.name) ?? user.login, email: verified[0] }, verified };
  }

  async #askGithub(path: string, accessToken: string): Promise<unknown> {
    const headers = new Headers({ accept: "application/vnd.github+json", "user-agent": "OmniMemory" });
    return (await oauth.protectedResourceRequest(accessToken, "GET", new URL(`https://api.github.com${path}`), headers, null, this.#options())).json();
  }

  async #server(now: number): Promise<oauth.AuthorizationServer> {
    if (this.#isGithub) return github;
    if (this.#metadata && this.#metadata.until > now) return this.#metadata.server;
    const issuer = new URL(this.#provider.issuer);
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, this.#options()));
    this.#metadata = { server, until: now + metadataMs };
    return server;
  }

  get #isListed(): boolean {
    return this.#provider.allow !== undefined;
  }

  get #isGithub(): boolean {
    return this.#provider.issuer === githubIssuer;
  }

  /** Plain http is for an issuer on this machine, which the configuration has checked. */
  #options(): { signal: AbortSignal; [oauth.customFetch]: typeof boundedFetch; [oauth.allowInsecureRequests]?: boolean } {
    const insecure = this.#provider.issuer.startsWith("http:");
    return { signal: AbortSignal.timeout(timeoutMs), [oauth.customFetch]: boundedFetch, ...(insecure ? { [oauth.allowInsecureRequests]: true } : {}) };
  }
}
