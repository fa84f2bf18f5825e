import type { Services } from "../app.ts";
import { type Presented, proveCredential } from "../http/credentials.ts";
import type { Authentication } from "../domain/tenancy/keys.ts";
import { trackStream } from "../mcp/tracked-stream.ts";
import type { CredentialCache } from "./credential-cache.ts";

/** Until when a credential lets in (`endOf`). That the server asks is neither a use of it nor anybody's failure. */
export async function validUntil(services: Services, cache: CredentialCache, presented: Presented): Promise<number> {
  const now = Date.now();
  const { keys, tokens } = cache.directory(now);
  const unnoted = async (): Promise<void> => {};
  const proof = await proveCredential(services, { keys: { ...keys, touchKey: unnoted, auditFailure: unnoted }, tokens }, presented, () => {}, now);
  return endOf(proof);
}

/** Until when a proof holds, ms since the epoch; 0 where it proves nothing. */
export const endOf = (proof: Authentication): number => (proof.kind === "ok" ? (proof.expiresAt ?? Infinity) : 0);

/** A stream that is silent ends so long after its credential at most; one that speaks, before it does. */
const lookEveryMs = 60_000;

/** The event streams that the clients of a person hold open, each with the credential that opened it. */
export class OpenStreams {
  readonly #open = new Map<AbortController, Presented>();
  /** By token, as far as it is known since credentials changed. */
  readonly #until = new Map<string, number>();
  readonly #validUntil: (presented: Presented) => Promise<number>;
  /** How often credentials changed; read before one is proven. */
  changes = 0;

  constructor(validUntil: (presented: Presented) => Promise<number>) {
    this.#validUntil = validUntil;
  }

  /** What the client gets, which ends with the credential. `changes`: those that were known when it was proven, to hold `until` then. */
  async opened(answer: Response, presented: Presented, changes: number, until: number): Promise<Response> {
    const ending = new AbortController();
    const look = async (): Promise<void> => {
      if (!(await this.#isValid(presented))) ending.abort();
    };
    const looking = setInterval(look, lookEveryMs);
    const end = (): void => {
      clearInterval(looking);
      this.#open.delete(ending);
    };
    this.#note(presented, changes, until);
    this.#open.set(ending, presented);
    const tracked = trackStream(answer, end, ending.signal, look);
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

  /** What was asked before the last change may hold no longer. */
  #note({ token }: Presented, changes: number, until: number): void {
    for (const [known, end] of this.#until) if (end <= Date.now()) this.#until.delete(known);
    if (changes === this.changes) this.#until.set(token, until);
  }

  /** Asks only where it is not known, or its time is up. */
  async #isValid(presented: Presented): Promise<boolean> {
    const { changes } = this;
    let until = this.#until.get(presented.token) ?? 0;
    if (until <= Date.now()) this.#note(presented, changes, (until = await this.#validUntil(presented).catch(() => 0)));
    return until > Date.now();
  }

  async #endInvalid(): Promise<void> {
    this.#until.clear();
    await Promise.all([...Map.groupBy(this.#open, ([, { token }]) => token).values()].map(async (streams) => {
      const [[, presented] = []] = streams;
      if (presented && (await this.#isValid(presented))) return;
      for (const [ending] of streams) ending.abort();
    }));
  }
}
