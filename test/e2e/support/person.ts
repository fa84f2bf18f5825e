import type { Product } from "./product.ts";

/** The person with their browser, as far as servers notice: it keeps cookies and follows no redirect by itself. */
export class PersonAtBrowser {
  readonly #cookies = new Map<string, string>();
  readonly #origin: string;

  private constructor(origin: string) {
    this.#origin = origin;
  }

  /** Nobody yet. */
  static at(origin: string): PersonAtBrowser {
    return new PersonAtBrowser(origin);
  }

  /** By the link that the launcher printed. */
  static signIn(product: Product): Promise<PersonAtBrowser> {
    return PersonAtBrowser.signInBy(product.signInUrl ?? "about:blank");
  }

  static async signInBy(signInUrl: string): Promise<PersonAtBrowser> {
    const link = new URL(signInUrl);
    const person = new PersonAtBrowser(link.origin);
    const answer = await person.post("/sign-in/link", [["token", link.searchParams.get("token") ?? ""]]);
    if (answer.status !== 303) throw new Error(`The link answered ${answer.status}`);
    return person;
  }

  get(url: string | URL): Promise<Response> {
    return this.#send(url, { headers: { "sec-fetch-site": "cross-site" } });
  }

  post(url: string | URL, form: [string, string][]): Promise<Response> {
    return this.#send(url, { method: "POST", body: new URLSearchParams(form), headers: { "sec-fetch-site": "same-origin", origin: this.#origin } });
  }

  /** As the script of our pages does. */
  postJson(url: string | URL, body: string): Promise<Response> {
    return this.#send(url, { method: "POST", body, headers: { "content-type": "application/json", "sec-fetch-site": "same-origin", origin: this.#origin } });
  }

  /** As a page of that origin would cause it. */
  postFrom(origin: string, url: string): Promise<Response> {
    return this.#send(url, { method: "POST", body: new URLSearchParams(), headers: { "sec-fetch-site": "cross-site", origin } });
  }

  /** Lets the client act in the first team with what it asks for, but for `without`. Where the browser is sent then. */
  async allow(authorizationUrl: URL, without: string[] = []): Promise<URL> {
    const page = await (await this.get(authorizationUrl)).text();
    const value = (pattern: RegExp): string => pattern.exec(page)?.[1] ?? "";
    const scopes = [...page.matchAll(/name="scope" value="([^"]*)" checked/g)].map(([, scope = ""]) => scope).filter((scope) => !without.includes(scope));
    const answer = await this.post("/authorize", [
      ["handle", value(/name="handle" value="([^"]*)"/)],
      ["session", value(/name="session" value="([^"]*)"/)],
      ["team", value(/<option value="([^"]*)"/)],
      ["decision", "allow"],
      ...scopes.map((scope): [string, string] => ["scope", scope]),
    ]);
    const location = answer.headers.get("location");
    if (!location) throw new Error(`Consent answered ${answer.status}: ${await answer.text()}`);
    return new URL(location);
  }

  async disconnectAll(): Promise<number> {
    const page = await (await this.get("/")).text();
    const actions = [...page.matchAll(/action="(\/connections\/[^"]+)"/g)].map(([, action = ""]) => action);
    for (const action of actions) await this.post(action, []);
    return actions.length;
  }

  /** A cookie of another browser is planted in this one. */
  take(from: PersonAtBrowser, name: string): void {
    this.#cookies.set(name, from.#cookies.get(name) ?? "");
  }

  async #send(url: string | URL, init: RequestInit): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(new URL(url, this.#origin), { ...init, redirect: "manual", headers: { ...init.headers, cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return answer;
  }
}
