/**
 * The time that a call may take. Node's `fetch` loses its signal where the garbage collector runs after an answer has begun
 * (nodejs/undici#4984), so a body is given up by its reader.
 */
export class Deadline {
  readonly #late = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;

  constructor(milliseconds: number) {
    this.#timer = setTimeout(() => this.#late.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError")), milliseconds);
  }

  get signal(): AbortSignal {
    return this.#late.signal;
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** A body's whole text. @throws DOMException (TimeoutError) where it has not ended in time */
  async text({ body }: Response): Promise<string> {
    const reader = body?.getReader();
    const giveUp = (): void => void reader?.cancel(this.signal.reason).catch(() => undefined);
    this.signal.addEventListener("abort", giveUp, { once: true });
    const decoder = new TextDecoder();
    let text = "";
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += decoder.decode(part.value, { stream: true });
    this.signal.throwIfAborted();
    return text + decoder.decode();
  }
}
