import { storageFull } from "../domain/errors.ts";

/** Whether the disk takes more. */
export interface StorageRoom {
  /** @throws DomainError when nothing more can be stored */
  require(): Promise<void>;
  /** Missing where nobody looks after the disk. */
  isFull?(): Promise<boolean>;
}

/** An answer may be as old as this, ms: an import fills no disk meanwhile that has the launcher's reserve. */
const believedMs = 500;

export const unbounded: StorageRoom = { require: () => Promise.resolve() };

/** On one machine the launcher looks after the disk (`src/launcher/disk-room.ts`); Cloudflare's storage says itself when it is full. */
export class LocalStorageRoom implements StorageRoom {
  readonly #launcher: Fetcher;
  #known: { hasRoom: boolean; until: number } | undefined;

  constructor(launcher: Fetcher) {
    this.#launcher = launcher;
  }

  async isFull(): Promise<boolean> {
    if (!this.#known || this.#known.until <= Date.now()) {
      const { ok } = await this.#launcher.fetch("http://launcher/");
      this.#known = { hasRoom: ok, until: Date.now() + believedMs };
    }
    return !this.#known.hasRoom;
  }

  async require(): Promise<void> {
    if (await this.isFull()) throw storageFull();
  }
}
