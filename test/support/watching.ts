import { meta, send } from "../http/raw.ts";
import { Session } from "./sessions.ts";
import type { Person } from "./team.ts";

/** A client that watches resources, and what it was told, in order. */
export class Watcher {
  readonly #who: Person;
  readonly #session: Session | undefined;
  readonly #told: { id: string; uri: string }[] = [];
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #text = "";

  private constructor(who: Person, session?: Session) {
    this.#who = who;
    this.#session = session;
  }

  /** Of the session era, by `resources/subscribe` and the GET stream. */
  static async withSession(who: Person, uris: readonly string[]): Promise<Watcher> {
    const session = await Session.open(who.token);
    const watcher = new Watcher(who, session);
    await watcher.#attach(await session.stream(who.token));
    for (const [i, uri] of uris.entries()) await (await session.post(who.token, { jsonrpc: "2.0", id: `s${i}`, method: "resources/subscribe", params: { uri } })).text();
    return watcher;
  }

  /** Of 2026-07-28, by `subscriptions/listen`. */
  static async stateless(who: Person, uris: readonly string[]): Promise<Watcher> {
    const watcher = new Watcher(who);
    await watcher.#attach(await send({ token: who.token, body: { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { notifications: { resourceSubscriptions: uris }, _meta: meta } } }));
    while (!watcher.#text.includes("acknowledged")) await watcher.#read();
    return watcher;
  }

  /** URIs in the order in which they were told. */
  get told(): string[] {
    return this.#told.map(({ uri }) => uri);
  }

  forget(): void {
    this.#told.length = 0;
  }

  async until(count: number): Promise<void> {
    while (this.#told.length < count) await this.#read();
  }

  /** The connection is lost; what arrived until now was heard. */
  async die(): Promise<void> {
    await this.#reader?.cancel();
  }

  /** Comes back as clients of the session era do, after the last event that was heard. */
  async resume(): Promise<void> {
    await this.#attach((await this.#session?.stream(this.#who.token, this.#told.at(-1)?.id)) as Response);
  }

  async #attach(answer: Response): Promise<void> {
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
    this.#reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    this.#text = "";
  }

  async #read(): Promise<void> {
    if (!this.#reader) throw new Error("there is no stream");
    const { value, done } = await this.#reader.read();
    if (done) throw new Error(`the stream ended after ${this.#text}`);
    const before = this.#events().length;
    this.#text += new TextDecoder().decode(value, { stream: true });
    this.#told.push(...this.#events().slice(before));
  }

  #events(): { id: string; uri: string }[] {
    return this.#text.split("\n\n").slice(0, -1).flatMap((event) => {
      const [, data = ""] = /^data: (.*)$/m.exec(event) ?? [];
      const message = data === "" ? {} : (JSON.parse(data) as { method?: string; params?: { uri?: string } });
      return message.method === "notifications/resources/updated" ? [{ id: /^id: (.*)$/m.exec(event)?.[1] ?? "", uri: message.params?.uri ?? "" }] : [];
    });
  }
}
