import {
  acceptedContent, createRequestStateCodec, inputRequired, inputResponse, ProtocolError,
  ProtocolErrorCode,
  type CallToolResult, type InputRequiredResult, type ServerContext,
} from "@modelcontextprotocol/server";
import { declaredCapabilities, type Fixtures } from "./layer.ts";
import { tool } from "./tools.ts";

type Inputs = Parameters<typeof inputRequired>[0]["inputRequests"];

const text = (value: string): CallToolResult => ({ content: [{ type: "text", text: value }] });

const ask = (message: string, key: string, type: "string" | "boolean" = "string") =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: "object", properties: { [key]: type === "string" ? { type: "string" } : { type: "boolean" } }, required: [key],
    },
  });

const sample = (question: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text: question } }], maxTokens });

/** Only signs what a test hands to itself, so a constant will do. */
const state = createRequestStateCodec<string>({ key: "conformance-fixtures-sign-their-state-with-this" });

async function stateOf(ctx: ServerContext): Promise<string | undefined> {
  const sealed = ctx.mcpReq.requestState<string>();
  if (sealed === undefined) return undefined;
  try {
    return await state.verify(sealed, ctx);
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState");
  }
}

const again = async (step: string, inputRequests: NonNullable<Inputs>): Promise<InputRequiredResult> =>
  inputRequired({ inputRequests, requestState: await state.mint(step) });

async function confirm(ctx: ServerContext): Promise<CallToolResult | InputRequiredResult> {
  const step = await stateOf(ctx);
  const confirmed = acceptedContent(ctx.mcpReq.inputResponses, "confirm");
  if (step !== "confirm" || confirmed === undefined) return again("confirm", { confirm: ask("Please confirm", "ok", "boolean") });
  return text("state-ok");
}

async function multiRound(ctx: ServerContext): Promise<CallToolResult | InputRequiredResult> {
  const { inputResponses } = ctx.mcpReq;
  const step = await stateOf(ctx);
  const color = acceptedContent(inputResponses, "step2")?.color;
  if (step?.startsWith("2:") && color !== undefined) return text(`${step.slice(2)} likes ${String(color)}.`);
  const name = acceptedContent(inputResponses, "step1")?.name;
  if (step === "1" && name !== undefined) {
    return again(`2:${String(name)}`, { step2: ask("Step 2: What is your favorite color?", "color") });
  }
  return again("1", { step1: ask("Step 1: What is your name?", "name") });
}

async function multipleInputs(ctx: ServerContext): Promise<CallToolResult | InputRequiredResult> {
  const { inputResponses } = ctx.mcpReq;
  await stateOf(ctx);
  const name = acceptedContent(inputResponses, "user_name")?.name;
  const greeting = inputResponse(inputResponses, "greeting");
  const roots = inputResponse(inputResponses, "client_roots");
  if (name !== undefined && greeting.kind === "sampling" && roots.kind === "roots") {
    return text(`${String(name)}: ${JSON.stringify(greeting.result.content)}, ${roots.roots.length} roots`);
  }
  return again("multiple", {
    user_name: ask("What is your name?", "name"), greeting: sample("Generate a greeting", 50), client_roots: inputRequired.listRoots(),
  });
}

function offered(ctx: ServerContext): InputRequiredResult | CallToolResult {
  const declared = declaredCapabilities(ctx);
  const inputRequests: NonNullable<Inputs> = {
    ...(declared?.sampling && { sampled: sample("Say something", 50) }),
    ...(declared?.elicitation && { asked: ask("Say something", "something") }),
  };
  return Object.keys(inputRequests).length === 0 ? text("The client can do neither.") : inputRequired({ inputRequests });
}

/** One handler for both eras: the SDK turns an input-required result into real requests to a session's client. */
export const inputRequiredTools: Fixtures["tools"] = [
  tool("test_input_required_result_elicitation", (_args, ctx) => {
    const name = acceptedContent(ctx.mcpReq.inputResponses, "user_name")?.name;
    if (typeof name === "string") return text(`Hello, ${name}!`);
    return inputRequired({ inputRequests: { user_name: ask("What is your name?", "name") } });
  }),
  tool("test_input_required_result_sampling", (_args, ctx) => {
    const answer = inputResponse(ctx.mcpReq.inputResponses, "capital_question");
    if (answer.kind === "sampling") return text(JSON.stringify(answer.result.content));
    return inputRequired({ inputRequests: { capital_question: sample("What is the capital of France?", 100) } });
  }),
  tool("test_input_required_result_list_roots", (_args, ctx) => {
    const answer = inputResponse(ctx.mcpReq.inputResponses, "client_roots");
    if (answer.kind === "roots") return text(`Roots: ${answer.roots.map(({ uri }) => uri).join(", ")}`);
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  }),
  tool("test_input_required_result_request_state", (_args, ctx) => confirm(ctx)),
  tool("test_input_required_result_tampered_state", (_args, ctx) => confirm(ctx)),
  tool("test_input_required_result_multiple_inputs", (_args, ctx) => multipleInputs(ctx)),
  tool("test_input_required_result_multi_round", (_args, ctx) => multiRound(ctx)),
  tool("test_input_required_result_capabilities", (_args, ctx) => offered(ctx)),
];

export const inputRequiredPrompts: Fixtures["prompts"] = [{
  prompt: { name: "test_input_required_result_prompt", description: "A prompt that asks for its context" },
  get: (_args, ctx) => {
    const context = acceptedContent(ctx.mcpReq.inputResponses, "user_context")?.context;
    if (typeof context !== "string") {
      return inputRequired({ inputRequests: { user_context: ask("What context should the prompt use?", "context") } });
    }
    return { messages: [{ role: "user", content: { type: "text", text: `Use this context: ${context}` } }] };
  },
}];
