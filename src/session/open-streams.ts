import type { Services } from "../app.ts";
import { type Presented, proveCredential } from "../http/credentials.ts";
import { trackStream } from "../mcp/tracked-stream.ts";
import type { CredentialCache } from "./credential-cache.ts";

/** Whether a credential still lets in. That the server asks is neither a use of it nor anybody's failure. */
export async function isStillValid(services: Services, cache: CredentialCache, presented: Presented): Promise<boolean> {
  const now = Date.now();
  const { keys, tokens } = cache.directory(now);
  const unnoted = async (): Promise<void> => {};
  const proof = await proveCredential(services, { keys: { ...keys, touchKey: unnoted, auditFailure: unnoted }, tokens }, presented, () => {}, now);
  return proof.kind === "ok";
}

/** The event streams that the clients of a person hold open, each with the credential that opened it. */
export class OpenStreams {
  readonly #open = new Map<AbortController, Presented>();
  readonly #isValid: (presented: Presented) => Promise<boolean>;
  /** How often credentials changed; read before one is proven. */
  changes = 0;

  constructor(isValid: (presented: Presented) => Promise<boolean>) {
    this.#isValid = isValid;
  }

  /** What the client gets, which ends with the credential. `changes`: those that were known when it was proven. */
  async opened(answer: Response, presented: Presented, changes: number): Promise<Response> {
    const ending = new AbortController();
    this.#open.set(ending, presented);
    const tracked = trackStream(answer, () => this.#open.delete(ending), ending.signal);
    if (changes !== this.changes) await this.#endInvalid();
    return tracked;
  }

  /** Ends those whose credential is valid no longer. One that cannot be asked about ends too: its client comes back. */
  async changed(): Promise<void> {
    this.changes += 1;
    await this.#endInvalid();
  }

  endAll(): void {
    this.changes += 1;
    for (const ending of this.#open.keys()) ending.abort();
  }

  async #endInvalid(): Promise<void> {
    await Promise.all([...Map.groupBy(this.#open, ([, { token }]) => token).values()].map(async (streams) => {
      const [[, presented] = []] = streams;
      if (presented && (await this.#isValid(presented).catch(() => false))) return;
      for (const [ending] of streams) ending.abort();
    }));
  }
}
