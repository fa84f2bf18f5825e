import { describe, expect, test } from "vitest";
import { challenge, metadataUrlOf, resourceOf, resourcesOf } from "../../../src/http/oauth/resources.ts";
import { publicOrigin } from "../../../src/http/origin.ts";

const production = { production: true, allowedHosts: ["memory.example.com", "mem.example.com"] };
const local = { production: false, allowedHosts: ["localhost", "127.0.0.1", "[::1]", "nas.example"] };
const at = (url: string): URL => new URL(url);

describe("names of the server [A13]", () => {
  test("a deployment has one origin, under https, whatever name and scheme a request came by", () => {
    for (const url of ["https://memory.example.com/mcp", "http://mem.example.com/mcp", "https://memory.example.com:8443/"]) {
      expect(publicOrigin(at(url), production)).toBe("https://memory.example.com");
    }
  });

  test("one machine has localhost, at the port that was asked", () => {
    expect(publicOrigin(at("http://127.0.0.1:8787/mcp"), local)).toBe("http://localhost:8787");
    expect(publicOrigin(at("http://[::1]:8787/mcp"), local)).toBe("http://localhost:8787");
  });

  test("tokens are for an endpoint under a name of the server, and never for plain http elsewhere", () => {
    expect(resourceOf(at("http://mem.example.com/mcp/"), production)).toBe("https://mem.example.com/mcp");
    expect(resourceOf(at("https://evil.example/mcp"), production)).toBeUndefined();
    expect(resourceOf(at("http://127.0.0.1:8787/sse/messages"), local)).toBe("http://127.0.0.1:8787/sse");
    expect(resourceOf(at("http://nas.example:8787/mcp"), local)).toBeUndefined();
    expect(resourcesOf(at("https://memory.example.com/"), production)).toHaveLength(4);
  });

  test("a challenge names the metadata of the address that was called", () => {
    expect(metadataUrlOf("https://mem.example.com/mcp")).toBe("https://mem.example.com/.well-known/oauth-protected-resource/mcp");
    expect(challenge(at("https://mem.example.com/mcp"), production)).toContain('resource_metadata="https://mem.example.com/.well-known/oauth-protected-resource/mcp"');
    expect(challenge(at("http://nas.example:8787/mcp"), local)).toBe('Bearer realm="omnimemory"');
  });
});
