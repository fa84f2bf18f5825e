import { McpServer, type Server } from "@modelcontextprotocol/server";
import { inputRequiredPrompts, inputRequiredTools } from "./input-required.ts";
import { layer, type Fixtures } from "./layer.ts";
import { callTools, png } from "./tools.ts";

export interface FixtureHooks {
  toolsChanged(): void;
  promptsChanged(): void;
}

const resources = [
  { uri: "test://static-text", name: "static-text", description: "A static text resource", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "static-binary", description: "A static binary resource", mimeType: "image/png" },
  { uri: "test://watched-resource", name: "watched-resource", description: "A resource to subscribe to", mimeType: "text/plain" },
];

const user = (content: object) => ({ role: "user" as const, content: content as { type: "text"; text: string } });

const prompts: Fixtures["prompts"] = [
  {
    prompt: { name: "test_simple_prompt", description: "A simple prompt" },
    get: () => ({ messages: [user({ type: "text", text: "This is a simple prompt for testing." })] }),
  },
  {
    prompt: {
      name: "test_prompt_with_arguments", description: "A prompt with arguments",
      arguments: [
        { name: "arg1", description: "First test argument", required: true },
        { name: "arg2", description: "Second test argument", required: true },
      ],
    },
    get: ({ arg1, arg2 }) => ({
      messages: [user({ type: "text", text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` })],
    }),
  },
  {
    prompt: {
      name: "test_prompt_with_embedded_resource", description: "A prompt with an embedded resource",
      arguments: [{ name: "resourceUri", description: "URI of the resource to embed", required: true }],
    },
    get: ({ resourceUri }) => ({
      messages: [
        user({ type: "resource", resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." } }),
        user({ type: "text", text: "Please process the embedded resource above." }),
      ],
    }),
  },
  {
    prompt: { name: "test_prompt_with_image", description: "A prompt with an image" },
    get: () => ({
      messages: [
        user({ type: "image", data: png, mimeType: "image/png" }),
        user({ type: "text", text: "Please analyze the image above." }),
      ],
    }),
  },
];

function read(uri: string): ReturnType<Fixtures["read"]> {
  if (uri === "test://static-text") {
    return { contents: [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }] };
  }
  if (uri === "test://watched-resource") return { contents: [{ uri, mimeType: "text/plain", text: "Watched." }] };
  if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: png }] };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: "application/json", text }] };
  }
  return undefined;
}

/**
 * Layers what the scenarios of `@modelcontextprotocol/conformance` ask for over a server (protocol.md, MCP): the suite tests
 * a protocol implementation through tools that only exist for it.
 */
export function addFixtures(product: Server | McpServer, hooks: FixtureHooks): void {
  const server = product instanceof McpServer ? product.server : product;
  server.registerCapabilities({
    tools: { listChanged: true }, prompts: { listChanged: true }, resources: { subscribe: true, listChanged: true },
    completions: {}, logging: {},
  });
  layer(server, {
    tools: [...callTools(hooks), ...inputRequiredTools],
    prompts: [...prompts, ...inputRequiredPrompts],
    resources,
    templates: [{
      uriTemplate: "test://template/{id}/data", name: "template-data", description: "A resource template", mimeType: "application/json",
    }],
    read,
  });
}
