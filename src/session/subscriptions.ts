import { ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server";

/** Where a session's subscriptions are kept: the object's storage, or memory for a session that dies with its stream. */
export interface Subscriptions {
  /** False when there are too many. */
  add(uri: string): boolean;
  remove(uri: string): void;
}

/** `resources/subscribe` and `resources/unsubscribe` exist in the session era only; 2026-07-28 has `subscriptions/listen`. */
export function serveSubscriptions(server: Server, subscriptions: Subscriptions): void {
  if (server.getCapabilities().resources?.subscribe !== true) return;
  server.setRequestHandler("resources/subscribe", ({ params }) => {
    if (!subscriptions.add(params.uri)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Too many subscriptions in this session; unsubscribe from some first");
    }
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    subscriptions.remove(params.uri);
    return {};
  });
}

export type ListChange = "tools" | "resources" | "prompts";

/** Sends what the server has declared, and nothing else: the SDK rejects an undeclared notification. */
export async function sendListChanged(server: Server, change: ListChange): Promise<void> {
  if (server.getCapabilities()[change]?.listChanged !== true) return;
  switch (change) {
    case "tools": return server.sendToolListChanged();
    case "resources": return server.sendResourceListChanged();
    case "prompts": return server.sendPromptListChanged();
  }
}

export async function sendResourceUpdated(server: Server, uri: string): Promise<void> {
  if (server.getCapabilities().resources?.subscribe === true) await server.sendResourceUpdated({ uri });
}
