import { OAuthAuthorizationServer, type OAuthHelpers } from "@cloudflare/workers-oauth-provider";
import type { Config } from "../../config.ts";
import { subjectText, type TokenStore, type TokenHolder } from "../../domain/tenancy/grant-store.ts";
import type { OAuthRecordStore } from "../../domain/tenancy/oauth-records.ts";
import { isScope, scopes } from "../../domain/tenancy/principal.ts";
import { parseAccessToken } from "../../domain/tenancy/access-token.ts";
import { publicOrigin } from "../origin.ts";
import { followNoRedirects } from "./no-redirects.ts";
import { RequestRecords, TokenLookup } from "./records.ts";
import { registrationProblem } from "./registration.ts";
import { resourcesOf } from "./resources.ts";

/** The library's name for its storage. */
interface Storage {
  OAUTH_KV: RequestRecords | TokenLookup;
}

export const paths = { authorize: "/authorize", token: "/oauth/token", register: "/oauth/register", metadata: "/.well-known/oauth-authorization-server" } as const;

const hour = 3_600;
const refreshTokenIdle = 30 * 24 * hour;
/** Ports are what the caller says they are. */
const maxServers = 16;

followNoRedirects(globalThis);

/** Besides what tools need: clients ask for it to be given refresh tokens, which they are in any case. */
export const offlineAccess = "offline_access";

/** OAuth 2.1 for MCP clients: one issuer, the server's public origin, and its records in `store`. */
export class AuthorizationServer implements TokenStore {
  readonly #store: OAuthRecordStore;
  readonly #config: Config;
  /** One machine may be reached at several ports in its life; a deployment has one issuer. */
  readonly #servers = new Map<string, OAuthAuthorizationServer<Storage>>();

  constructor(store: OAuthRecordStore, config: Config) {
    this.#store = store;
    this.#config = config;
  }

  /** Metadata, token, revocation and registration. @throws UsedTwice */
  fetch(request: Request, now: number, ctx: ExecutionContext): Promise<Response> {
    return this.#server(new URL(request.url)).fetch(request, this.#storage(now), ctx);
  }

  /** The library's helpers for the consent page. */
  helpers(url: URL, now: number): OAuthHelpers {
    return this.#server(url).getOAuthApi(this.#storage(now));
  }

  async tokenHolder(token: string, resource: string, now: number = Date.now()): Promise<TokenHolder | undefined> {
    const parts = parseAccessToken(token);
    const url = new URL(resource);
    if (!parts || !resourcesOf(url, this.#config).includes(resource)) return undefined;
    const lookup = new TokenLookup(this.#store, parts, now);
    const valid = await this.#server(url).validateToken(resource, token, { OAUTH_KV: lookup });
    if (!valid || !lookup.found || valid.userId !== subjectText(parts)) return undefined;
    const { role, organizationId, shard, preferences } = lookup.found;
    const { userId, teamId, grantId } = parts;
    return { userId, teamId, grantId, clientId: valid.clientId, scopes: valid.scope.filter(isScope), expiresAt: valid.expiresAt * 1_000, role, organizationId, shard, preferences };
  }

  #storage = (now: number): Storage => ({ OAUTH_KV: new RequestRecords(this.#store, now) });

  #server(url: URL): OAuthAuthorizationServer<Storage> {
    const issuer = publicOrigin(url, this.#config);
    const known = this.#servers.get(issuer);
    if (known) return known;
    const server = new OAuthAuthorizationServer<Storage>({
      issuer,
      resources: resourcesOf(url, this.#config),
      defaultResource: `${issuer}/mcp`,
      authorizeEndpoint: paths.authorize,
      tokenEndpoint: paths.token,
      clientRegistrationEndpoint: paths.register,
      scopesSupported: [...scopes, offlineAccess],
      accessTokenTTL: hour,
      refreshTokenTTL: refreshTokenIdle,
      refreshTokenIdleTTL: refreshTokenIdle,
      // Clients keep their id for good and do not ask for another when it is refused. (`undefined` means never; the type does not say so.)
      ...({ clientRegistrationTTL: undefined } as object),
      clientIdMetadataDocumentEnabled: true,
      allowPrivateUseRedirectUris: true,
      clientRegistrationCallback: ({ clientMetadata }) => {
        const description = registrationProblem(clientMetadata);
        return description === undefined ? undefined : { description };
      },
      // The library would write each refusal to the log; the audit is where they belong.
      onError: () => undefined,
    });
    if (this.#servers.size >= maxServers) this.#servers.clear();
    this.#servers.set(issuer, server);
    return server;
  }
}
