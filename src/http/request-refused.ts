/** A request that the gate turns away before work is done for it. The router words it in the form of the door. */
export class RequestRefused extends Error {
  readonly status: 400 | 408 | 413 | 415 | 429;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: RequestRefused["status"], message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = "RequestRefused";
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Of section 12 of the memory-server document. */
export const codeOfRefused = ({ status }: RequestRefused): string => (status === 429 ? "RATE_LIMIT_EXCEEDED" : "VALIDATION_ERROR");

export const retryHeader = ({ retryAfterSeconds }: Pick<RequestRefused, "retryAfterSeconds">): Record<string, string> =>
  retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };

/** The same of an error whose details may say how long to wait. */
export const retryHeaderOf = ({ details }: { details?: Record<string, unknown> | undefined }): Record<string, string> => retryHeader({ retryAfterSeconds: details?.["retry_after"] as number | undefined });
