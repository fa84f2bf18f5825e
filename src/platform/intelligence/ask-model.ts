import { APICallError, generateText, type LanguageModel, NoObjectGeneratedError, Output } from "ai";
import { ModelFailure } from "../../domain/intelligence/model-failure.ts";
import type { TokenBudget, TokenCounts } from "../../domain/intelligence/model-usage.ts";
import { estimateTokens } from "../../domain/text/token-count.ts";
import { TimeoutError, withTimeout } from "../../domain/timeout.ts";
import { retryAfterMs } from "../retry-after.ts";
import { promptOf, schemaOf } from "./prompt.ts";
import type { Task } from "./task.ts";

export interface ModelLimits {
  /** Of one attempt, ms. */
  timeoutMs: number;
  /** Of both, and of the pause between them, ms. */
  deadlineMs: number;
}

export interface AskOptions extends ModelLimits {
  model: LanguageModel;
  budget: TokenBudget;
  /** ms since the epoch. */
  now: () => number;
  own?: string | undefined;
  schemaInPrompt: boolean;
}

/** A conversation of many hours; beyond it an answer gets worse and a mistake expensive. */
const maxInputTokens = 50_000;
/** `estimateTokens` is an upper bound for o200k; vocabularies of other models need up to half as many tokens more. */
const tokenMargin = 1.5;
const attempts = 2;
/** A service that wants more patience is asked again by the next run. */
const longestRetryAfterMs = 5_000;
const pauseMs = 500;

// Warnings of the SDK would go to the console; none of them is news.
globalThis.AI_SDK_LOG_WARNINGS = false;

/**
 * Asks a model, and once more where that may help: it answered in the wrong form, was busy, out of order or too slow. Every attempt is
 * set aside in the budget first and settled afterwards.
 * @throws ModelFailure when there is no answer of the right form that says only what the input says
 */
export async function askModel<Input, Answer>(task: Task<Input, Answer>, input: Input, options: AskOptions): Promise<Answer> {
  const { now, timeoutMs, deadlineMs } = options;
  const end = now() + deadlineMs;
  const { instructions, prompt } = promptOf(task, input, options);
  const inputTokens = Math.ceil(tokenMargin * estimateTokens(`${instructions}\n${prompt}\n${JSON.stringify(schemaOf(task))}`));
  if (inputTokens > maxInputTokens) throw new ModelFailure("too long");
  const most = { inputTokens, outputTokens: task.maxOutputTokens(input) };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await oneAttempt(task, { instructions, prompt, most, timeoutMs: Math.min(timeoutMs, end - now()) }, options);
      const flaw = task.flaw(answer, input);
      if (flaw !== undefined) throw new ModelFailure("ungrounded", flaw);
      return answer;
    } catch (error) {
      if (!(error instanceof ModelFailure) || attempt === attempts || !helpsAgain.has(error.reason)) throw error;
      const pause = error.retryAfter ?? (error.reason === "busy" || error.reason === "unreachable" ? pauseMs : 0);
      if (pause > longestRetryAfterMs || now() + pause >= end) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** A refusal or a refused request would be the same again; a text that was cut off would be cut off again. */
const helpsAgain: ReadonlySet<string> = new Set(["malformed", "ungrounded", "busy", "unreachable", "timeout"]);

interface Attempt {
  instructions: string;
  prompt: string;
  most: TokenCounts;
  timeoutMs: number;
}

async function oneAttempt<Input, Answer>(task: Task<Input, Answer>, { instructions, prompt, most, timeoutMs }: Attempt, { model, budget }: AskOptions): Promise<Answer> {
  const reservation = await budget.reserve(most);
  if (!reservation) throw new ModelFailure("budget");
  const stop = new AbortController();
  // What an attempt took, as far as the service says it.
  let used: TokenCounts | undefined;
  try {
    const work = generateText({
      model,
      instructions,
      prompt,
      output: Output.object({ schema: task.shape, name: task.name }),
      maxOutputTokens: most.outputTokens,
      // The one retry is ours: it counts answers of the wrong form, too, and knows of the budget.
      maxRetries: 0,
      abortSignal: stop.signal,
    });
    // A binding takes no signal, so nobody waits for it any more.
    const result = await withTimeout(timeoutMs, work);
    used = countsOf(result.usage, most);
    assertComplete(result.finishReason);
    return result.output;
  } catch (error) {
    const { failure, took } = failureOf(error, most);
    used ??= took;
    throw failure;
  } finally {
    stop.abort();
    await reservation.settle(used);
  }
}

type Usage = { inputTokens?: number | undefined; outputTokens?: number | undefined };

/** A service that says nothing of what it took has taken what was set aside. */
const countsOf = (usage: Usage | undefined, { inputTokens, outputTokens }: TokenCounts): TokenCounts => ({
  inputTokens: usage?.inputTokens ?? inputTokens,
  outputTokens: usage?.outputTokens ?? outputTokens,
});

function assertComplete(finishReason: string): void {
  if (finishReason === "length") throw new ModelFailure("truncated");
  if (finishReason === "content-filter") throw new ModelFailure("refused");
  if (finishReason !== "stop") throw new ModelFailure("malformed", finishReason);
}

const nothing: TokenCounts = { inputTokens: 0, outputTokens: 0 };

/** Errors of the SDK hold the request and the answer: nothing of their words is handed on. */
function failureOf(error: unknown, most: TokenCounts): { failure: ModelFailure; took: TokenCounts | undefined } {
  if (error instanceof ModelFailure) return { failure: error, took: error.reason === "unreachable" ? nothing : undefined };
  if (error instanceof TimeoutError) return { failure: new ModelFailure("timeout"), took: undefined };
  if (NoObjectGeneratedError.isInstance(error)) {
    const { finishReason, usage } = error;
    const took = countsOf(usage, most);
    if (finishReason === "length") return { failure: new ModelFailure("truncated"), took };
    if (finishReason === "content-filter") return { failure: new ModelFailure("refused"), took };
    return { failure: new ModelFailure("malformed"), took };
  }
  if (!APICallError.isInstance(error)) return { failure: new ModelFailure("malformed", error instanceof Error ? error.name : typeof error), took: undefined };
  const { statusCode, responseHeaders } = error;
  if (statusCode === undefined) return { failure: new ModelFailure("unreachable"), took: nothing };
  const status = `HTTP ${statusCode}`;
  // An answer that is no answer of this protocol.
  if (statusCode < 300) return { failure: new ModelFailure("malformed", status), took: undefined };
  if (statusCode === 408 || statusCode === 409 || statusCode === 429 || statusCode >= 500) {
    return { failure: new ModelFailure("busy", status, retryAfterMs(responseHeaders?.["retry-after"])), took: nothing };
  }
  return { failure: new ModelFailure("rejected", status), took: nothing };
}
