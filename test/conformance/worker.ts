import type { McpServerContext } from "../../src/mcp/mcp-endpoint.ts";
import { UserSession as ProductUserSession } from "../../src/session/user-session.ts";
import { addFixtures } from "./fixtures.ts";

// The class below takes the place of the product's.
export * from "../../src/index.ts";
export { default } from "../../src/index.ts";

/** The product's session object, with the fixtures of the conformance suite beside the product's catalogue. */
export class UserSession extends ProductUserSession {
  protected override isResource(uri: string): boolean {
    return super.isResource(uri) || uri.startsWith("test://");
  }

  protected override buildServer(ctx: McpServerContext): ReturnType<ProductUserSession["buildServer"]> {
    const server = super.buildServer(ctx);
    addFixtures(server, { toolsChanged: () => ctx.announce("tools"), promptsChanged: () => ctx.announce("prompts") });
    return server;
  }
}
