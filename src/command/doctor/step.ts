import { jsonOf } from "../json.ts";

/** What one step of a client found. */
export interface Finding {
  /** A `note` stops nobody. */
  state: "ok" | "FAIL" | "note";
  what: string;
  /** What to do. */
  hint?: string;
}

export const fine = (what: string): Finding => ({ state: "ok", what });
export const note = (what: string): Finding => ({ state: "note", what });

/** A step that failed: whatever needs it is not tried. */
export class Failed extends Error {
  readonly finding: Finding;

  constructor(what: string, hint: string) {
    super(what);
    this.finding = { state: "FAIL", what, hint };
  }
}

const stepMs = 10_000;
const streamMs = 3_000;
const largestAnswer = 1_000_000;

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends what a client sends; a redirect is an answer. @throws Failed where none comes */
export async function send(url: string, init: RequestInit = {}): Promise<Answer> {
  try {
    const answer = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(stepMs), ...init });
    return { status: answer.status, headers: answer.headers, text: (await answer.text()).slice(0, largestAnswer) };
  } catch (error) {
    throw noAnswer(url, error);
  }
}

/** Whether an event stream begins in time: what comes in it is not waited for. */
export async function opens(url: string, headers: Record<string, string>): Promise<boolean> {
  const ending = new AbortController();
  try {
    const { status, headers: got } = await fetch(url, { redirect: "manual", headers, signal: AbortSignal.any([ending.signal, AbortSignal.timeout(streamMs)]) });
    return status === 200 && (got.get("content-type") ?? "").startsWith("text/event-stream");
  } catch {
    return false;
  } finally {
    ending.abort();
  }
}

function noAnswer(url: string, error: unknown): Failed {
  const { host } = new URL(url);
  const code = (error as { cause?: { code?: string } }).cause?.code ?? "";
  if (code === "ECONNREFUSED") return new Failed(`Nothing listens at ${host}.`, "Start the server (npm start prints its URL), or name the right one with --url.");
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return new Failed(`The name ${host} is not known here.`, "Look for a mistyped host, and at the network or VPN that knows it.");
  if (/CERT|SELF_SIGNED|VERIFY|ALTNAME/.test(code)) return new Failed(`The certificate of ${host} is not trusted (${code}).`, "Clients refuse it, too: give the server one of a public authority, or start clients with NODE_EXTRA_CA_CERTS.");
  if ((error as Error).name === "TimeoutError") return new Failed(`${host} gave no answer within ${stepMs / 1_000} s.`, "A firewall, or a proxy that holds answers back, stands between.");
  return new Failed(`${host} cannot be reached${code === "" ? "" : ` (${code})`}.`, "Look at the network between, and at the server's log.");
}

/** @throws Failed where the text is no JSON object */
export function objectIn({ status, text }: Answer, what: string): Record<string, unknown> {
  const given = jsonOf(text);
  if ((status === 200 || status === 201) && typeof given === "object" && given !== null) return given as Record<string, unknown>;
  throw new Failed(`${what} is answered with ${status}${status === 200 ? ", and not with JSON" : ""}.`, "Something before the server answers in its place: a proxy has to hand on every path, also those that begin with /.well-known/.");
}
