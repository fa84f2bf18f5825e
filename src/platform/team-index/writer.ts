import { DomainError, type ErrorCode } from "../../domain/errors.ts";
import type { Memory } from "../../domain/memories/memory.ts";
import type { AskedBeside, IdempotencyRecord, MemoryWrite, MemoryWriter, WriteContext } from "../../domain/memories/memory-store.ts";
import { SaidAlready, WriteConflict } from "../../domain/memories/write-conflict.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { requireWhole } from "../d1/sealed-rows.ts";
import { answerMs, withRetries } from "./attempts.ts";
import { batchMs, type WriteAnswer } from "./commits.ts";
import { decodeAlike } from "./recall.ts";
import type { TeamIndex } from "./team-index.ts";

type Done = Extract<WriteAnswer, { kind: "done" }>;

/** Changes a team's memories through its object. */
export class TeamIndexWriter implements MemoryWriter {
  readonly #namespace: DurableObjectNamespace<TeamIndex>;
  readonly #report: (event: string, error: unknown) => void;

  constructor(namespace: DurableObjectNamespace<TeamIndex>, report: (event: string, error: unknown) => void) {
    this.#namespace = namespace;
    this.#report = report;
  }

  async commit(principal: Principal, write: WriteContext, writes: MemoryWrite[], once?: IdempotencyRecord, beside?: AskedBeside): Promise<Memory[]> {
    const json = JSON.stringify(writes.map(({ memory, before, ...rest }) => ({ ...rest, memory: requireWhole(memory), before: before && { sensitivity: before.sensitivity, visibility: before.visibility } })));
    const documents = writes.reduce((sum, { history }) => sum + 1 + (history?.length ?? 0), 0);
    const { numbers, alike } = await this.#done("writer.commit", documents, (isRepeated) =>
      this.#team(principal).commit({ principal, write: contextOf(write), writes: json, once, alike: beside?.query, isRepeated }));
    if (alike !== undefined) beside?.found(decodeAlike(alike));
    return writes.map(({ memory }, i) => ({ ...memory, ...numbers[i] }));
  }

  async saveIdempotency(principal: Principal, now: number, once: IdempotencyRecord): Promise<void> {
    await this.#done("writer.idempotency", 1, () => this.#team(principal).saveIdempotency(principal, now, once));
  }

  async erase(principal: Principal, write: WriteContext, memories: Memory[]): Promise<string[]> {
    const doomed = memories.map(({ id, version, visibility }) => ({ id, version, visibility }));
    await this.#done("writer.erase", doomed.length, (isRepeated) => this.#team(principal).eraseMemories({ principal, write: contextOf(write), doomed, isRepeated }));
    return doomed.map(({ id }) => id);
  }

  #team({ teamId }: Principal) {
    return this.#namespace.getByName(`team:${teamId}`);
  }

  /** An answer that was lost on the way is asked for again, and the object recognises what it has done already. */
  async #done(event: string, documents: number, call: (isRepeated: boolean) => Promise<WriteAnswer>): Promise<Done> {
    // The object says itself when D1 is late, and tells the organization's object afterwards.
    const deadlineMs = batchMs(documents) + answerMs;
    const answer = await withRetries(deadlineMs, async (attempt): Promise<WriteAnswer> => call(attempt > 0)).catch((error: unknown) => {
      this.#report(event, error);
      throw unavailable();
    });
    if (answer.kind === "done") return answer;
    if (answer.kind === "conflict") throw new WriteConflict();
    if (answer.kind === "said") throw new SaidAlready(answer.ids);
    if (answer.kind === "unknown") throw unavailable();
    const { code, message, hint, details } = JSON.parse(answer.error) as { code: ErrorCode; message: string; hint?: string; details?: Record<string, unknown> };
    throw new DomainError(code, message, { ...(hint === undefined ? {} : { hint }), ...(details === undefined ? {} : { details }) });
  }
}

const contextOf = ({ now, tool, requestId, address }: WriteContext): WriteContext => ({ now, tool, requestId, address });

const unavailable = (): DomainError =>
  new DomainError("PROVIDER_ERROR", "The team's memory did not answer in time. It is not certain whether this was written.", {
    hint: "Try again in a moment with the same arguments: what has a key, an id or an idempotency_key is found again and not written twice. Look first for what has none.",
  });
