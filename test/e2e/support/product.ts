import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalServer, startServer } from "../../../src/launcher/server.ts";
import { withDirectory, withShard } from "../../launcher/directory-file.ts";
import { freePort } from "../../launcher/free-port.ts";

/** The product as `npm start` runs it, on data of its own; it can be stopped and started again where it was. */
export class Product {
  readonly #dataDir = mkdtempSync(join(tmpdir(), "omnimemory-e2e-"));
  readonly #vars: Record<string, string>;
  #server: LocalServer | undefined;
  readonly #port: number;

  private constructor(vars: Record<string, string>, port: number) {
    this.#vars = vars;
    this.#port = port;
  }

  static async start(vars: Record<string, string> = { OMNIMEMORY_RATE_LIMIT: "off" }, port?: number): Promise<Product> {
    const product = new Product(vars, port ?? (await freePort()));
    await product.start();
    return product;
  }

  async start(options: { recovery?: boolean } = {}): Promise<void> {
    this.#server = await startServer({ dataDir: this.#dataDir, port: this.#port, vars: this.#vars, ...options });
  }

  /** Open streams are cut after `limitMs`. */
  async stop(limitMs = 200): Promise<void> {
    await this.#server?.close(limitMs);
    this.#server = undefined;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** The curator does nothing by itself: it begins within a minute of the first start, and decides what a test leaves open. */
  async withoutCurator(): Promise<void> {
    await this.stop();
    withShard(this.#dataDir, (db) => db.exec("INSERT INTO team_policies (team_id, evolution_policy) VALUES ('local', 'off') ON CONFLICT (team_id) DO UPDATE SET evolution_policy = 'off'"));
    await this.start();
  }

  /** Everybody signed in so long before they did; a test cannot wait for it. */
  async signInsWere(ms: number, options: { recovery?: boolean } = {}): Promise<void> {
    await this.stop();
    withDirectory(this.#dataDir, (db) => db.prepare("update web_sessions set created_at = created_at - ?").run(ms));
    await this.start(options);
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }

  get apiKey(): string {
    return this.#running.apiKey;
  }

  /** As printed at the start. */
  get signInUrl(): string | undefined {
    return this.#running.signInUrl;
  }

  /** Where people sign in. */
  get pagesOrigin(): string {
    return `http://localhost:${this.#port}`;
  }

  /** Of the MCP endpoint, or of another path of the server. */
  url(path = "/mcp"): URL {
    return new URL(path, this.#running.origin);
  }

  get #running(): LocalServer {
    if (this.#server === undefined) throw new Error("The product is not running");
    return this.#server;
  }
}
