export interface Tokens {
  access_token: string;
  token_type: string;
  refresh_token?: string;
  scope?: string;
}

/** What an OAuth client keeps between its starts. The clients' own types differ; both take this. */
export class ClientMemory {
  readonly redirectUrl: string;
  readonly clientMetadata;
  saved: Tokens | undefined;
  sentTo: URL | undefined;
  registrations = 0;
  #client: { client_id: string } | undefined;
  #verifier = "";

  constructor(redirectUrl = "http://localhost:33418/callback", clientName = "E2E Client") {
    this.redirectUrl = redirectUrl;
    this.clientMetadata = { client_name: clientName, redirect_uris: [redirectUrl], grant_types: ["authorization_code", "refresh_token"], response_types: ["code"], token_endpoint_auth_method: "none" };
  }

  state = (): string => "state-of-the-client";
  clientInformation = (): { client_id: string } | undefined => this.#client;
  saveClientInformation(client: { client_id: string }): void {
    this.registrations += 1;
    this.#client = client;
  }
  tokens = (): Tokens | undefined => this.saved;
  saveTokens(tokens: Tokens): void {
    this.saved = tokens;
  }
  invalidateCredentials(): void {
    this.saved = undefined;
  }
  redirectToAuthorization(url: URL): void {
    this.sentTo = url;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier = (): string => this.#verifier;
}
