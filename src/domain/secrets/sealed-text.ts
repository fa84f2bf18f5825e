import { decrypt, encrypt } from "./aes-gcm.ts";
import type { TeamKeys } from "./team-keys.ts";

/** Text that is kept for a while beside the memories, encrypted with the data key of its team. */
export interface SealedText {
  dataKey: number;
  sealed: string;
}

const scheme = "omnimemory/text/1";
const utf8 = new TextEncoder();

/** Seals text about something: opened as of something else, or of another team, it is not readable. */
export class TextBox {
  readonly #keys: Pick<TeamKeys, "sealing" | "opening">;

  constructor(keys: Pick<TeamKeys, "sealing" | "opening">) {
    this.#keys = keys;
  }

  /** @throws DomainError when the team has no data key and none can be made */
  async seal(teamId: string, about: string, text: string): Promise<SealedText> {
    const { number, key } = await this.#keys.sealing(teamId);
    return { dataKey: number, sealed: await encrypt(key, aboutOf(teamId, about), new Uint8Array(utf8.encode(text))) };
  }

  /** @throws when it is not what was sealed there, or its key is gone */
  async open(teamId: string, about: string, { dataKey, sealed }: SealedText): Promise<string> {
    const plain = await decrypt(await this.#keys.opening(teamId, dataKey), aboutOf(teamId, about), sealed);
    if (!plain) throw new Error("A sealed text is damaged");
    return new TextDecoder().decode(plain);
  }
}

const aboutOf = (teamId: string, about: string): string => JSON.stringify([scheme, teamId, about]);
