import { createContext, runInContext } from "node:vm";
import type { Authenticator } from "../../http/web/authenticator.ts";
import type { PersonAtBrowser } from "./person.ts";

interface Button {
  disabled: boolean;
  dataset: Record<string, string>;
  closest: () => { removeAttribute: () => void };
  addEventListener: (event: string, act: () => Promise<void>) => void;
}

/**
 * A page of the product with its own script running, in as much of a browser as the script touches: the elements that the
 * page has, requests with the person's cookies, and a passkey on a device.
 */
export class ScriptedPage {
  shown = false;
  readonly status = { textContent: "" };
  readonly name = { value: "" };
  wentTo: string | undefined;
  readonly #acts = new Map<string, () => Promise<void>>();

  static async open(person: PersonAtBrowser, path: string, device: Authenticator | undefined, origin: string): Promise<ScriptedPage> {
    const html = await (await person.get(path)).text();
    const source = /<script src="([^"]+)" defer=""><\/script>/.exec(html)?.[1];
    if (source === undefined) throw new Error("The page has no script");
    const page = new ScriptedPage();
    const buttons = [...html.matchAll(/<button [^>]*data-passkey="(\w+)"(?: data-name="([\w-]+)")?/g)].map(([, passkey = "", name = ""]) => page.#button({ passkey, name }));
    const elements: Record<string, unknown> = { "passkey-status": page.status, "passkey-name": page.name };
    const credential = (make: (options: never) => Promise<unknown>) => async ({ publicKey }: { publicKey: never }) => {
      if (!device) throw Object.assign(new Error("cancelled"), { name: "NotAllowedError" });
      const made = await make(publicKey);
      return { toJSON: () => made };
    };
    const PublicKeyCredential = { parseCreationOptionsFromJSON: (json: unknown) => json, parseRequestOptionsFromJSON: (json: unknown) => json };
    const context = createContext({
      PublicKeyCredential,
      window: { PublicKeyCredential },
      navigator: { credentials: { create: credential((options) => device!.create(options, { origin })), get: credential((options) => device!.get(options, { origin })) } },
      document: { querySelectorAll: () => buttons, getElementById: (id: string) => (html.includes(`id="${id}"`) ? elements[id] : null) },
      location: { assign: (to: string) => void (page.wentTo = to) },
      fetch: (url: string, init: { body: string }) => person.postJson(url, init.body),
    });
    runInContext(await (await person.get(source)).text(), context);
    return page;
  }

  async click(passkey: "add" | "use"): Promise<void> {
    const act = this.#acts.get(passkey);
    if (!act) throw new Error(`The page has no button to ${passkey} a passkey`);
    await act();
  }

  #button(dataset: { passkey: string; name: string }): Button {
    return {
      disabled: false,
      dataset,
      closest: () => ({ removeAttribute: () => void (this.shown = true) }),
      addEventListener: (_event, act) => void this.#acts.set(dataset.passkey, act),
    };
  }
}
