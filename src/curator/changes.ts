/** Most that wait at once; whoever comes after them is answered at once. */
const mostWaiting = 100;

/** Lets those who watch wait for the next change. A mark names how far somebody has seen; one from before a restart is answered at once. */
export class Changes {
  readonly #epoch = crypto.randomUUID();
  readonly #waiting = new Set<() => void>();
  #count = 0;

  get mark(): string {
    return `${this.#epoch}:${this.#count}`;
  }

  note(): void {
    this.#count += 1;
    for (const answer of this.#waiting) answer();
  }

  async since(seen: string | undefined, waitMs: number): Promise<string> {
    if (seen === this.mark && this.#waiting.size < mostWaiting) await this.#next(waitMs);
    return this.mark;
  }

  #next(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const answer = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(answer);
        resolve();
      };
      const timer = setTimeout(answer, waitMs);
      this.#waiting.add(answer);
    });
  }
}
