import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { newBootstrapLink } from "../../../src/domain/tenancy/sign-in-link.ts";
import { D1SignInStore } from "../../../src/platform/d1/sign-in-store.ts";
import { newTenant, type Tenant } from "../../domain/tenancy/tenant.ts";

export const origin = "http://localhost";
export const signInStore = new D1SignInStore(env.DB);

export interface Asked {
  headers?: Record<string, string | null>;
  form?: Record<string, string> | [string, string][];
  body?: string;
}

/** A browser as far as servers notice: it keeps cookies, and says of each request which page caused it. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly userAgent: string;

  constructor(userAgent = "Test Browser") {
    this.userAgent = userAgent;
  }

  get(path: string, asked: Asked = {}): Promise<Response> {
    return this.#send("GET", path, { "sec-fetch-site": "none" }, asked);
  }

  post(path: string, form: Asked["form"] = {}, headers: Asked["headers"] = {}): Promise<Response> {
    return this.#send("POST", path, { "sec-fetch-site": "same-origin", origin, "content-type": "application/x-www-form-urlencoded" }, { form, headers });
  }

  /** What a script of a page of the server asks for. */
  json(method: string, path: string, body?: unknown, headers: Asked["headers"] = {}): Promise<Response> {
    return this.#send(method, path, { "sec-fetch-site": "same-origin", origin, "content-type": "application/json" }, { headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  }

  async #send(method: string, path: string, defaults: Record<string, string>, { headers = {}, form, body }: Asked): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const all = { host: "localhost", "user-agent": this.userAgent, ...defaults, ...(cookie ? { cookie } : {}), ...headers };
    const answer = await SELF.fetch(new URL(path, origin), {
      method,
      redirect: "manual",
      headers: Object.fromEntries(Object.entries(all).filter((header): header is [string, string] => header[1] !== null)),
      ...(form ? { body: new URLSearchParams(form).toString() } : {}),
      ...(body === undefined ? {} : { body }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answer;
  }
}

/** Somebody with a team of their own, and a link that signs them in. */
export async function newPerson(): Promise<{ tenant: Tenant; link: string }> {
  const tenant = await newTenant();
  const link = await newBootstrapLink(signInStore, tenant.ownerId, Date.now());
  if (link === undefined) throw new Error("a new person has no other way in");
  return { tenant, link };
}

export async function signedIn(userAgent?: string): Promise<{ tenant: Tenant; browser: Browser }> {
  const { tenant, link } = await newPerson();
  const browser = new Browser(userAgent);
  await browser.post("/sign-in/link", { token: link });
  return { tenant, browser };
}
