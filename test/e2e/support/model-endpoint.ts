import type { IncomingMessage, ServerResponse } from "node:http";
import { type Answerer as AnswererOf, json, ScriptedEndpoint } from "./scripted-endpoint.ts";

/** The three wire forms that the product speaks. */
export const dialects = ["anthropic", "openai-compatible", "workers-ai"] as const;
export type Dialect = (typeof dialects)[number];

export interface SeenRequest {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, any>;
  text: string;
}

type Answerer = AnswererOf<SeenRequest>;

/** A service with language models: Anthropic's Messages, OpenAI's chat completions, and what the Workers AI binding gives. */
export class ModelEndpoint extends ScriptedEndpoint<SeenRequest> {
  usual = status(500);

  protected override read(request: IncomingMessage, text: string): SeenRequest {
    return { path: request.url ?? "", headers: request.headers, body: JSON.parse(text) as Record<string, any>, text };
  }
}

export const raw = (code: number, body: string, headers: Record<string, string> = {}): Answerer => (response) =>
  json(response, code, body, headers);

/** An error repeats what was sent, with the key: the worst that a service may do. */
export const status = (code: number, headers: Record<string, string> = {}): Answerer => (response, { text, headers: sent }) =>
  raw(code, JSON.stringify({ type: "error", error: { type: "overloaded_error", message: `cannot answer ${text} for ${JSON.stringify(sent)}` } }), headers)(response, { path: "", headers: {}, body: {}, text });

/** What was asked for: the form of the answer as the service was sent it. */
export const schemaIn = ({ body }: SeenRequest): Record<string, any> | undefined =>
  body["output_config"]?.format?.schema ?? body["tools"]?.[0]?.input_schema ?? body["response_format"]?.json_schema?.schema ?? body["response_format"]?.json_schema;

type Ending = "complete" | "cut off";

const forms: Record<Dialect, { says(text: string, ending: Ending): Answerer; refuses: Answerer }> = {
  anthropic: {
    says: (text, ending) => (response, { body }) => {
      const usesTool = body["tools"] !== undefined;
      const content = usesTool && ending === "complete" ? [{ type: "tool_use", id: "toolu_1", name: "json", input: JSON.parse(text) as unknown }] : [{ type: "text", text }];
      message(response, body, content, ending === "cut off" ? "max_tokens" : usesTool ? "tool_use" : "end_turn");
    },
    refuses: (response, { body }) => message(response, body, [], "refusal"),
  },
  "openai-compatible": {
    says: (text, ending) => (response, { body }) => completion(response, body, { role: "assistant", content: text, refusal: null }, ending === "cut off" ? "length" : "stop"),
    refuses: (response, { body }) => completion(response, body, { role: "assistant", content: null, refusal: "I cannot help with that." }, "stop"),
  },
  "workers-ai": {
    says: (text, ending) => (response, { body }) =>
      ending === "complete" ? raw(200, JSON.stringify({ response: text, tool_calls: [], usage: openAiUsage }))(response, { path: "", headers: {}, body, text }) : completion(response, body, { role: "assistant", content: text }, "length"),
    // It has no sign for a refusal: the model just says so.
    refuses: (response, seen) => raw(200, JSON.stringify({ response: "I cannot help with that.", usage: openAiUsage }))(response, seen),
  },
};

/** Tokens of every answer. */
export const took = { input: 321, output: 45 };
const openAiUsage = { prompt_tokens: took.input, completion_tokens: took.output, total_tokens: took.input + took.output };

function message(response: ServerResponse, body: Record<string, any>, content: unknown[], stop_reason: string): void {
  const answer = { id: "msg_1", type: "message", role: "assistant", model: body["model"] as string, content, stop_reason, stop_sequence: null, usage: { input_tokens: took.input, output_tokens: took.output } };
  json(response, 200, answer);
}

function completion(response: ServerResponse, body: Record<string, any>, message: unknown, finish_reason: string): void {
  const answer = { id: "chatcmpl-1", object: "chat.completion", created: 1_790_000_000, model: (body["model"] as string | undefined) ?? "m", choices: [{ index: 0, message, finish_reason, logprobs: null }], usage: openAiUsage };
  json(response, 200, answer);
}

export const says = (dialect: Dialect, answer: unknown): Answerer => forms[dialect].says(typeof answer === "string" ? answer : JSON.stringify(answer), "complete");
export const isCutOff = (dialect: Dialect, text: string): Answerer => forms[dialect].says(text, "cut off");
export const refuses = (dialect: Dialect): Answerer => forms[dialect].refuses;
