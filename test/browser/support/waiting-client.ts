import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { ClientMemory } from "../../e2e/support/client-memory.ts";
import type { Product } from "../../e2e/support/product.ts";

const page = "<!doctype html><html lang=en><title>Done</title><link rel=icon href='data:,'><h1>Back at the client</h1>";

/** A client on the person's own machine: it has opened their browser and waits on a port for what the server sends back. */
export class WaitingClient {
  readonly memory: ClientMemory;
  readonly origin: string;
  readonly #server: Server;
  readonly #product: Product;
  /** Every address that a browser was sent back to. */
  readonly callbacks: URL[] = [];

  private constructor(server: Server, product: Product, name: string, redirectUrl: string | undefined) {
    this.#server = server;
    this.#product = product;
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.memory = new ClientMemory(redirectUrl ?? `${this.origin}/callback`, name);
    server.on("request", (request, response) => {
      this.callbacks.push(new URL(request.url ?? "/", this.origin));
      response.setHeader("content-type", "text/html").end(page);
    });
  }

  /** Knows the address of the MCP endpoint, nothing else. `redirectUrl`: of a client that waits elsewhere. */
  static async start(product: Product, name = "Waiting Client", redirectUrl?: string): Promise<WaitingClient> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new WaitingClient(server, product, name, redirectUrl);
  }

  /** Fails as long as nobody let the client in; then it knows where the person's browser is to go. */
  async connect(): Promise<Client> {
    const client = new Client({ name: "browser-test", version: "1.0.0" });
    await client.connect(this.#transport());
    return client;
  }

  /** Where the browser is to go. */
  async authorizationUrl(): Promise<URL> {
    await this.connect().then((client) => client.close(), () => undefined);
    if (this.memory.sentTo === undefined) throw new Error("The client did not ask for a browser");
    return this.memory.sentTo;
  }

  /** Takes what came back to the port. */
  async finish(): Promise<void> {
    await this.#transport().finishAuth(this.callbacks.at(-1)?.searchParams ?? new URLSearchParams());
  }

  /** Gives back what it was given (RFC 7009), as somebody does who removes the server from a client. */
  async revoke(): Promise<void> {
    const metadata = (await (await fetch(new URL("/.well-known/oauth-authorization-server", this.#product.pagesOrigin))).json()) as { revocation_endpoint: string };
    const form = { token: this.memory.saved?.refresh_token ?? "", token_type_hint: "refresh_token", client_id: this.memory.clientInformation()?.client_id ?? "" };
    const answer = await fetch(metadata.revocation_endpoint, { method: "POST", body: new URLSearchParams(form) });
    if (answer.status !== 200) throw new Error(`The revocation was answered with ${answer.status}`);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #transport(): StreamableHTTPClientTransport {
    return new StreamableHTTPClientTransport(this.#product.url("/mcp?surface=all"), { authProvider: this.memory });
  }
}
