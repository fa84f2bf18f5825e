import type { Browser, BrowserContext, ConsoleMessage, Page, Request } from "playwright-core";
import type { Product } from "../../e2e/support/product.ts";

interface ProfileOptions {
  /** Of the window, in CSS pixels. */
  width?: number;
  colorScheme?: "light" | "dark";
}

/** A browser profile with one window: cookies and passkeys of its own, and a note of what its pages do that they should not. */
export class Profile {
  /** Errors in the console (violations of the content security policy among them) and scripts, failed parts of pages, requests to other origins. */
  readonly complaints: string[] = [];
  readonly page: Page;
  readonly origin: string;
  readonly #context: BrowserContext;
  /** Where requests may go besides the product. */
  readonly #others = new Set<string>();

  private constructor(page: Page, origin: string) {
    this.page = page;
    this.origin = origin;
    this.#context = page.context();
    page.on("console", (message) => this.#console(message));
    page.on("pageerror", (error) => void this.complaints.push(String(error)));
    page.on("request", (request) => this.#request(request));
    page.on("response", (response) => {
      if (response.status() >= 400 && response.request().resourceType() !== "document") this.complaints.push(`${response.status()} ${new URL(response.url()).pathname}`);
    });
  }

  static async open(browser: Browser, product: Product, { width = 1_000, colorScheme = "light" }: ProfileOptions = {}): Promise<Profile> {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
    context.setDefaultTimeout(10_000);
    return new Profile(await context.newPage(), product.pagesOrigin);
  }

  /** With the link that the launcher printed. */
  static async signedIn(browser: Browser, product: Product, options?: ProfileOptions): Promise<Profile> {
    const profile = await Profile.open(browser, product, options);
    await profile.followLink(product.signInUrl);
    return profile;
  }

  async followLink(link: string | undefined): Promise<void> {
    await this.page.goto(link ?? "about:blank");
    await this.press("Sign in");
  }

  /** Opens a page of the product; answers its status. */
  async visit(path: string): Promise<number | undefined> {
    return (await this.page.goto(`${this.origin}${path}`))?.status();
  }

  press(button: string | RegExp): Promise<void> {
    return this.page.getByRole("button", { name: button, exact: true }).click();
  }

  /** With the Tab key, as somebody without a mouse. */
  async tabTo(role: "button" | "checkbox" | "combobox", name: string): Promise<void> {
    const control = this.page.getByRole(role, { name, exact: true });
    for (let presses = 0; presses < 30; presses += 1) {
      await this.page.keyboard.press("Tab");
      if (await control.evaluate((element) => element === document.activeElement)) return;
    }
    throw new Error(`The Tab key does not lead to ${name}`);
  }

  /** As a script of the page shown would post to the REST API. */
  async post(path: string, body: Record<string, string>): Promise<Record<string, any>> {
    const { ok, text } = await this.page.evaluate(
      async ({ path, body }) => {
        const answer = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body });
        return { ok: answer.ok, text: await answer.text() };
      },
      { path, body: JSON.stringify(body) },
    );
    if (!ok) throw new Error(`${path} answered: ${text}`);
    return JSON.parse(text) as Record<string, any>;
  }

  heading(): Promise<string> {
    return this.page.getByRole("heading", { level: 1 }).innerText();
  }

  async expectHeading(text: string): Promise<void> {
    await this.page.getByRole("heading", { level: 1, name: text, exact: true }).waitFor().catch(async () => {
      throw new Error(`Not "${text}", but "${await this.heading()}" at ${this.page.url()}`);
    });
  }

  get path(): string {
    return new URL(this.page.url()).pathname;
  }

  allowRequestsTo(origin: string): void {
    this.#others.add(origin);
  }

  close(): Promise<void> {
    return this.#context.close();
  }

  /** What the pages of others load is theirs to answer for. */
  #request(request: Request): void {
    const { origin } = new URL(request.url());
    const isOurs = request.isNavigationRequest() || new URL(request.frame().url()).origin === this.origin;
    if (isOurs && origin !== this.origin && !this.#others.has(origin)) this.complaints.push(`request to ${request.url()}`);
  }

  /** That a page or part of one was refused, `response` says more exactly. */
  #console(message: ConsoleMessage): void {
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) this.complaints.push(message.text());
  }
}
