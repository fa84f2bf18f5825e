import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

export const client = { client_id: "omnimemory", client_secret: "a-secret-that-is-long-enough-for-hmac" };

export interface Issuer {
  issuer: string;
  close(): void;
}

async function listening(listener: (issuer: string) => RequestListener): Promise<Issuer & { server: Server }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on("request", listener(issuer));
  return { issuer, server, close: () => void server.close() };
}

/** A certified OpenID provider. Whoever types a login is that account. `redirectUris`: known once the product runs. */
export function startProvider(redirectUris: string[]): Promise<Issuer> {
  return listening((issuer) => {
    const provider = new Provider(issuer, {
      clients: [{ ...client, redirect_uris: redirectUris, token_endpoint_auth_method: "client_secret_post" }],
      claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"] },
      findAccount: (_ctx: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, name: `${id} of the issuer`, email: "same@mail.example", email_verified: true }) }),
      cookies: { keys: ["for tests"] },
    });
    return provider.callback();
  });
}

/** A person at that provider's pages; answers where they are sent in the end. */
export async function signInAt(start: URL, login: string, origin: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let next: { url: URL; form?: Record<string, string> } = { url: start };
  for (let step = 0; step < 12; step += 1) {
    const { url, form }: typeof next = next;
    const answer: Response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form ? { method: "POST", body: new URLSearchParams(form) } : {}),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get("location");
    const page = await answer.text();
    if (location !== null) {
      next = { url: new URL(location, url) };
      if (next.url.origin === origin) return next.url;
    } else {
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
      const action = /action="([^"]+)"/.exec(page)?.[1];
      if (prompt === undefined || action === undefined) throw new Error(`The provider answered ${answer.status}: ${page.slice(0, 300)}`);
      next = { url: new URL(action, url), form: prompt === "login" ? { prompt, login, password: "any" } : { prompt } };
    }
  }
  throw new Error("The provider leads nowhere");
}

export type Claims = Record<string, unknown>;

/** What a forged answer differs in; each test sets its own. */
export interface Forgery {
  header?: Record<string, unknown>;
  claims?: Claims;
  /** What it says at its userinfo endpoint beside the subject. */
  userInfo?: Claims;
  /** How the token is signed: as it should be, with a key that nobody knows, with one that its own header brings along, with the public key or client secret as an HMAC key, not at all. */
  signature?: "good" | "foreign" | "brought-along" | "public-key-hmac" | "secret-hmac" | "none";
}

/** An issuer that says what the test wants. */
export class ForgingIssuer implements Issuer {
  forgery: Forgery = {};
  nonce = "";
  readonly issuer: string;
  readonly close: () => void;
  readonly #keys = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  readonly #foreign = generateKeyPairSync("rsa", { modulusLength: 2_048 });

  private constructor({ issuer, server, close }: Issuer & { server: Server }) {
    this.issuer = issuer;
    this.close = close;
    server.on("request", this.#answer);
  }

  static async start(): Promise<ForgingIssuer> {
    return new ForgingIssuer(await listening(() => () => undefined));
  }

  readonly #answer: RequestListener = (request, response) => {
    const bodies: Record<string, () => unknown> = {
      "/.well-known/openid-configuration": () => ({
        issuer: this.issuer,
        authorization_endpoint: `${this.issuer}/authorize`,
        token_endpoint: `${this.issuer}/token`,
        jwks_uri: `${this.issuer}/jwks`,
        userinfo_endpoint: `${this.issuer}/userinfo`,
        id_token_signing_alg_values_supported: ["RS256"],
        authorization_response_iss_parameter_supported: true,
      }),
      "/userinfo": () => ({ sub: this.forgery.claims?.["sub"] ?? "mallory", ...this.forgery.userInfo }),
      "/jwks": () => ({ keys: [{ ...this.#keys.publicKey.export({ format: "jwk" }), kid: "k", use: "sig", alg: "RS256" }] }),
      "/token": () => ({ access_token: "opaque", token_type: "bearer", id_token: this.#idToken() }),
    };
    const body = bodies[request.url ?? ""];
    response.writeHead(body ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(body?.() ?? {}));
  };

  #idToken(): string {
    const now = Math.floor(Date.now() / 1_000);
    const { header = {}, claims = {}, signature = "good" } = this.forgery;
    const parts = [
      { alg: "RS256", kid: "k", ...(signature === "brought-along" ? { jwk: this.#foreign.publicKey.export({ format: "jwk" }) } : {}), ...header },
      { iss: this.issuer, sub: "mallory", aud: client.client_id, iat: now, exp: now + 60, nonce: this.nonce, name: "Mallory", ...claims },
    ];
    const input = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    return `${input}.${this.#sign(input, signature)}`;
  }

  #sign(input: string, how: NonNullable<Forgery["signature"]>): string {
    const rsa = (key: KeyObject): string => sign("sha256", Buffer.from(input), key).toString("base64url");
    const hmac = (key: string): string => createHmac("sha256", key).update(input).digest("base64url");
    switch (how) {
      case "good": return rsa(this.#keys.privateKey);
      case "foreign":
      case "brought-along": return rsa(this.#foreign.privateKey);
      case "public-key-hmac": return hmac(this.#keys.publicKey.export({ format: "pem", type: "spki" }) as string);
      case "secret-hmac": return hmac(client.client_secret);
      case "none": return "";
    }
  }
}
