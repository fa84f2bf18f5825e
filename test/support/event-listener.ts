/** A stream of server-sent events, read as it comes. */
export class EventListener {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  text = "";

  constructor(answer: { status: number; headers: { get(name: string): string | null }; body: unknown }) {
    if (answer.status !== 200 || answer.headers.get("content-type") !== "text/event-stream") throw new Error(`no stream: ${answer.status}`);
    this.#reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  }

  /** The first event as wanted of those heard so far or still to come. */
  async hears(kind: string, isWanted: (data: Record<string, any>) => boolean = () => true): Promise<Record<string, any>> {
    for (;;) {
      const found = this.events.find((event) => event.kind === kind && isWanted(event.data));
      if (found) return found.data;
      const { value, done } = await this.#reader.read();
      if (done) throw new Error(`the stream ended after ${this.text}`);
      this.text += new TextDecoder().decode(value);
    }
  }

  get events(): { kind: string; data: Record<string, any> }[] {
    return [...this.text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)].map(([, kind, data]) => ({ kind: String(kind), data: JSON.parse(String(data)) }));
  }

  close(): Promise<void> {
    return this.#reader.cancel();
  }
}
