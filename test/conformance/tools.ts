import type { CallToolResult, ServerContext, Tool } from "@modelcontextprotocol/server";
import { inputRequired, MissingRequiredClientCapabilityError } from "@modelcontextprotocol/server";
import type { FixtureHooks } from "./fixtures.ts";
import { declaredCapabilities, type Fixtures } from "./layer.ts";

type FixtureTool = Fixtures["tools"][number];

export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const text = (value: string): CallToolResult => ({ content: [{ type: "text", text: value }] });

export function tool(
  name: string, call: FixtureTool["call"], inputSchema: Tool["inputSchema"] = { type: "object", properties: {} },
): FixtureTool {
  return { tool: { name, description: `Conformance fixture ${name}`, inputSchema }, call };
}

const strings = (...names: string[]): Tool["inputSchema"] => ({
  type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])), required: names,
});

async function progress(ctx: ServerContext): Promise<CallToolResult> {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  for (const value of [0, 50, 100]) {
    if (value > 0) await sleep(50);
    if (progressToken === undefined) continue;
    await ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: value, total: 100 } });
  }
  return text("Progress reported.");
}

async function log(ctx: ServerContext, ...messages: string[]): Promise<CallToolResult> {
  for (const [index, message] of messages.entries()) {
    if (index > 0) await sleep(50);
    await ctx.mcpReq.log("info", message);
  }
  return text("Logged.");
}

type Elicited = Parameters<ServerContext["mcpReq"]["elicitInput"]>[0];

async function elicit(ctx: ServerContext, params: Elicited, prefix: string): Promise<CallToolResult> {
  const { action, content } = await ctx.mcpReq.elicitInput(params);
  return text(`${prefix}: action=${action}, content=${JSON.stringify(content ?? {})}`);
}

const titled = (values: string[], titles: string[]) => values.map((value, i) => ({ const: value, title: titles[i] ?? value }));
const options = ["option1", "option2", "option3"];
const values = ["value1", "value2", "value3"];

const defaults: Elicited = {
  message: "Please review the defaults",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", description: "User name", default: "John Doe" },
      age: { type: "integer", description: "User age", default: 30 },
      score: { type: "number", description: "User score", default: 95.5 },
      status: { type: "string", description: "User status", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", description: "Verification status", default: true },
    },
    required: [],
  },
};

const enums: Elicited = {
  message: "Please choose",
  requestedSchema: {
    type: "object",
    properties: {
      untitledSingle: { type: "string", enum: options },
      titledSingle: { type: "string", oneOf: titled(values, ["First Option", "Second Option", "Third Option"]) },
      legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] },
      untitledMulti: { type: "array", items: { type: "string", enum: options } },
      titledMulti: { type: "array", items: { anyOf: titled(values, ["First Choice", "Second Choice", "Third Choice"]) } },
    },
    required: [],
  },
};

const jsonSchema202012: Tool["inputSchema"] = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: { address: { $anchor: "addressDef", type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
  properties: {
    name: { type: "string" }, address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] }, phone: { type: "string" }, email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

export function callTools(hooks: FixtureHooks): FixtureTool[] {
  return [
    tool("test_simple_text", () => text("This is a simple text response for testing.")),
    tool("test_image_content", () => ({ content: [{ type: "image", data: png, mimeType: "image/png" }] })),
    tool("test_audio_content", () => ({ content: [{ type: "audio", data: wav, mimeType: "audio/wav" }] })),
    tool("test_embedded_resource", () => ({
      content: [{
        type: "resource",
        resource: { uri: "test://embedded-resource", mimeType: "text/plain", text: "This is an embedded resource content." },
      }],
    })),
    tool("test_multiple_content_types", () => ({
      content: [
        { type: "text", text: "Multiple content types test:" },
        { type: "image", data: png, mimeType: "image/png" },
        {
          type: "resource",
          resource: { uri: "test://mixed-content-resource", mimeType: "application/json", text: '{"test":"data","value":123}' },
        },
      ],
    })),
    tool("test_tool_with_logging", (_args, ctx) =>
      log(ctx, "Tool execution started", "Tool processing data", "Tool execution completed")),
    tool("test_error_handling", () => ({ ...text("This tool intentionally returns an error for testing"), isError: true })),
    tool("test_tool_with_progress", (_args, ctx) => progress(ctx)),
    tool("test_sampling", async ({ prompt }, ctx) => {
      const { content } = await ctx.mcpReq.requestSampling({
        messages: [{ role: "user", content: { type: "text", text: String(prompt) } }], maxTokens: 100,
      });
      const block = Array.isArray(content) ? content[0] : content;
      return text(`LLM response: ${block?.type === "text" ? block.text : JSON.stringify(content)}`);
    }, strings("prompt")),
    tool("test_elicitation", ({ message }, ctx) => elicit(ctx, {
      message: String(message),
      requestedSchema: {
        type: "object",
        properties: {
          username: { type: "string", description: "User's response" }, email: { type: "string", description: "User's email address" },
        },
        required: ["username", "email"],
      },
    }, "User response"), strings("message")),
    tool("test_elicitation_sep1034_defaults", (_args, ctx) => elicit(ctx, defaults, "Elicitation completed")),
    tool("test_elicitation_sep1330_enums", (_args, ctx) => elicit(ctx, enums, "Elicitation completed")),
    tool("json_schema_2020_12_tool", () => text("Accepted."), jsonSchema202012),
    tool("test_reconnection", async (_args, ctx) => {
      await sleep(50);
      ctx.http?.closeSSE?.();
      await sleep(100);
      return text("Reconnection test completed successfully.");
    }),
    tool("test_logging_tool", (_args, ctx) => log(ctx, "Only for a client that asked for logs")),
    // Its own check, not the SDK's: it must refuse before it asks for anything.
    tool("test_missing_capability", (_args, ctx) => {
      const declared = declaredCapabilities(ctx);
      if (declared?.sampling === undefined) throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
      return text("The client can sample.");
    }),
    tool("test_streaming_elicitation", () => inputRequired({
      inputRequests: {
        name: inputRequired.elicit({
          message: "What is your name?",
          requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
        }),
      },
    })),
    tool("test_trigger_tool_change", () => {
      hooks.toolsChanged();
      return text("Announced.");
    }),
    tool("test_trigger_prompt_change", () => {
      hooks.promptsChanged();
      return text("Announced.");
    }),
  ];
}
