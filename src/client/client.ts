/**
 * A client for programs that use the memory directly: one round trip for each operation. It knows nothing of the server but its REST
 * interface (docs/rest.md), and needs nothing but `fetch`.
 */
import { Deadline } from "./deadline.ts";
import type { Tools } from "./tools.ts";

export type { Tools };

export interface ClientOptions {
  /** Of the server, such as `https://memory.example.com`. */
  url: string;
  /** An API key to the team. */
  key: string;
  /** Id of the key's team; asked for once where it is left out. */
  team?: string;
  /** What the calls are about: a git remote, else a name. */
  project?: string;
  /** How the program calls itself; it is noted beside what it writes. */
  client?: string;
  /** Until a call is given up, 30 s. */
  timeoutMs?: number;
}

/** What the server refused, in its own words; that it gives no answer is `UNREACHABLE`, none in time `TIMEOUT`, with status 0. */
export class OmniMemoryError extends Error {
  /** `CONFLICT`, `MEMORY_NOT_FOUND`, `NOT_FOUND`, `RATE_LIMIT_EXCEEDED` … */
  readonly code: string;
  readonly status: number;
  readonly hint: string | undefined;
  /** Of a conflict, `current` is what is there now. */
  readonly details: Record<string, unknown> | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, error: Record<string, unknown>, retryAfter: string | null) {
    const text = (name: string): string | undefined => (typeof error[name] === "string" ? error[name] : undefined);
    super(text("message") ?? `The server answered with status ${status}.`);
    this.name = "OmniMemoryError";
    this.code = text("code") ?? "INTERNAL_ERROR";
    this.status = status;
    this.hint = text("hint");
    this.details = typeof error["details"] === "object" && error["details"] !== null ? (error["details"] as Record<string, unknown>) : undefined;
    this.requestId = text("request_id");
    // A proxy may name a date.
    this.retryAfterSeconds = /^\d+$/.test(retryAfter ?? "") ? Number(retryAfter) : undefined;
  }
}

export interface Turn {
  role: "system" | "user" | "assistant";
  content: string;
  name?: string;
  /** ISO 8601. */
  timestamp?: string;
}

export class OmniMemory {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  /** In the address: a header takes no letters but those of ASCII. */
  readonly #project: string;
  readonly #timeoutMs: number;
  #team: Promise<string> | undefined;

  constructor({ url, key, team, project, client = "omnimemory-client", timeoutMs = 30_000 }: ClientOptions) {
    const { protocol, hostname, origin } = new URL(url);
    // A key that crosses a network in the clear is everybody's.
    if (protocol !== "https:" && !["localhost", "127.0.0.1", "[::1]"].includes(hostname)) throw new TypeError(`${origin === "null" ? url : origin} is not https.`);
    this.#base = origin;
    this.#headers = { authorization: `Bearer ${key}`, "user-agent": client };
    this.#project = project === undefined ? "" : `?project=${encodeURIComponent(project)}`;
    this.#timeoutMs = timeoutMs;
    this.#team = team === undefined ? undefined : Promise.resolve(team);
  }

  /** Calls a tool and answers its structured form. @throws OmniMemoryError */
  async call<Name extends keyof Tools & string>(tool: Name, args: Tools[Name]["input"]): Promise<Tools[Name]["output"]> {
    return this.#json(this.#callTool(tool, args));
  }

  /** Calls a tool and answers the text for a model, in which the words of memories are framed as data. @throws OmniMemoryError */
  async text<Name extends keyof Tools & string>(tool: Name, args: Tools[Name]["input"]): Promise<string> {
    return this.#callTool(tool, args, { accept: "text/plain" });
  }

  /** Another route below `/v1/teams/<team>/`. @throws OmniMemoryError */
  async request<Answer = Record<string, unknown>>(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<Answer> {
    return this.#json(this.#send(method, path, body));
  }

  /** Everything that the key's person may see in the team, as lines of NDJSON that an import takes. @throws OmniMemoryError */
  async *export(): AsyncGenerator<Record<string, unknown>> {
    const path = await this.#path("export");
    const time = new Deadline(this.#timeoutMs);
    // How long it is read once it has begun is its reader's matter.
    const { body } = await this.#fetch("GET", path, time).finally(() => time.end());
    try {
      let rest = "";
      const decoder = new TextDecoder();
      for await (const bytes of (body ?? []) as AsyncIterable<Uint8Array>) {
        const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line !== "") yield JSON.parse(line) as Record<string, unknown>;
      }
      if (rest !== "") yield JSON.parse(rest) as Record<string, unknown>;
    } catch (error) {
      throw this.#noAnswer(error);
    }
  }

  /** The open work session of a tool in a project, begun where there is none. @throws OmniMemoryError */
  async openSession(tool: string, project?: string): Promise<string> {
    const { session } = await this.request<{ session: { session_id: string } }>("POST", "sessions", { tool_id: tool, ...(project === undefined ? {} : { project }) });
    return session.session_id;
  }

  /** Adds what was said to a work session; with the same key again, nothing twice. @throws OmniMemoryError */
  recordTurns(session: string, turns: readonly Turn[], idempotencyKey?: string): Promise<{ added: number; count: number; refused?: number }> {
    return this.request("POST", `sessions/${encodeURIComponent(session)}/turns`, { turns, ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }) });
  }

  /** The team that the key is for. @throws OmniMemoryError */
  team(): Promise<string> {
    this.#team ??= this.#findTeam().catch((error: unknown) => {
      this.#team = undefined;
      throw error;
    });
    return this.#team;
  }

  async #findTeam(): Promise<string> {
    const { teams } = await this.#json<{ teams: { id: string }[] }>(this.#whole("GET", "/v1/teams"));
    const [team] = teams;
    if (!team) throw new OmniMemoryError(404, { code: "NOT_FOUND", message: "The key is for no team." }, null);
    return team.id;
  }

  #callTool(tool: string, args: unknown, headers?: Record<string, string>): Promise<string> {
    return this.#send("POST", `tools/${encodeURIComponent(tool)}${this.#project}`, args, headers);
  }

  async #send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<string> {
    return this.#whole(method, await this.#path(path), body, headers);
  }

  async #path(path: string): Promise<string> {
    return `/v1/teams/${encodeURIComponent(await this.team())}/${path.replace(/^\/+/, "")}`;
  }

  /** The body of an answer that has come whole within the time of a call. */
  async #whole(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<string> {
    const time = new Deadline(this.#timeoutMs);
    try {
      const answer = await this.#fetch(method, path, time, body, headers);
      return await time.text(answer).catch((error: unknown) => Promise.reject(this.#noAnswer(error)));
    } finally {
      time.end();
    }
  }

  async #fetch(method: string, path: string, time: Deadline, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const answer = await fetch(this.#base + path, {
      method,
      headers: { accept: "application/json", ...(body === undefined ? {} : { "content-type": "application/json" }), ...this.#headers, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // The key is for this server alone.
      redirect: "error",
      signal: time.signal,
    }).catch((error: unknown) => Promise.reject(this.#noAnswer(error)));
    if (answer.ok) return answer;
    const told = await this.#json<{ error?: Record<string, unknown> }>(time.text(answer)).catch((): { error?: Record<string, unknown> } => ({}));
    throw new OmniMemoryError(answer.status, told.error ?? {}, answer.headers.get("retry-after"));
  }

  /** An answer may be another program's. */
  async #json<Answer>(text: Promise<string>): Promise<Answer> {
    const answer = await text;
    try {
      return JSON.parse(answer) as Answer;
    } catch (error) {
      throw this.#noAnswer(error);
    }
  }

  #noAnswer(error: unknown): OmniMemoryError {
    const { name, message, cause } = error as Error;
    const why = cause instanceof Error && cause.message !== "" ? cause.message : message;
    return new OmniMemoryError(0, { code: name === "TimeoutError" ? "TIMEOUT" : "UNREACHABLE", message: `${this.#base} gives no answer: ${why}` }, null);
  }
}
