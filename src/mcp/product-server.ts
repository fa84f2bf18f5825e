import { McpServer, type AuthInfo, type Server } from "@modelcontextprotocol/server";
import type { ListChange } from "./subscriptions.ts";

/**
 * The context from which a product server is built; one per request in the 2026-07-28 era, one per session before (protocol.md,
 * MCP).
 */
export interface McpServerContext {
  era: "legacy" | "modern";
  /** The request that caused the server to be built: of a session, not the request a later call arrives with. */
  request: Request;
  /**
   * The credential of the building request as well. Handlers must read `ctx.http?.authInfo` instead, which in all transports is
   * that of the request being handled: a session may be continued with another key of the same user.
   */
  authInfo?: AuthInfo;
  sessionId?: string;
  /** Tells every client of this user that a list changed, not only the one this server is for. */
  announce: (change: ListChange) => void;
}

export type BuildServer = (ctx: McpServerContext) => Server | McpServer;

/** How the transports ask for a server; the endpoint adds what is its own. */
export type ServerFactory = (ctx: Omit<McpServerContext, "announce">) => Server | McpServer;

export function lowLevel(server: Server | McpServer): Server {
  return server instanceof McpServer ? server.server : server;
}
