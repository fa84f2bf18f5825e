/**
 * Why a model gave no answer, as answers of the rules in its place say it (`insteadOf.reason`):
 * `budget` the team's tokens of the day are spent · `paused` it failed too often just now · `too long` the texts are more than is sent ·
 * `unreachable` · `busy` (429 or 5xx) · `timeout` · `rejected` the service refuses the request: key, model or parameters ·
 * `refused` the model will not answer · `malformed` not the form that was asked for · `truncated` · `ungrounded` it says what no source says.
 * `too long` and `refused` are about the texts and will be so again; the rest may pass.
 */
export const modelFailureReasons = ["budget", "paused", "too long", "unreachable", "busy", "timeout", "rejected", "refused", "malformed", "truncated", "ungrounded"] as const;
export type ModelFailureReason = (typeof modelFailureReasons)[number];

/** What a failure is about: the texts, which would meet it again; one answer; the budget of the day; or the service. */
export function aboutWhat(reason: string): "texts" | "answer" | "budget" | "service" {
  if (reason === "too long" || reason === "refused") return "texts";
  if (reason === "malformed" || reason === "truncated" || reason === "ungrounded") return "answer";
  return reason === "budget" ? "budget" : "service";
}

/** The failure of one call of a model. It never holds what was sent, what came back, or a credential. */
export class ModelFailure extends Error {
  readonly reason: ModelFailureReason;
  /** ms after which the service wants to be asked again. */
  readonly retryAfter: number | undefined;

  constructor(reason: ModelFailureReason, detail = "", retryAfter?: number) {
    super(detail === "" ? reason : `${reason}: ${detail}`);
    this.name = "ModelFailure";
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}
