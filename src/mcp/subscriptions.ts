import { ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server";
import * as z from "zod";
import { methodOf } from "./json-rpc.ts";

/** Where a session's subscriptions are kept: the object's storage, or memory for a session that dies with its stream. */
export interface Subscriptions {
  add(uri: string): void;
  remove(uri: string): void;
}

/** Why this URI is not watched, if it is not: it names no resource, or the session object keeps too many already. */
export type WatchProblem = (uri: string) => string | undefined;

/** For all sessions of a person in a team together. */
export const maxSubscriptions = 1_000;
/** For one `subscriptions/listen`, which lasts as long as its stream. */
const maxListened = 100;

/** Why a `subscriptions/listen` is refused; the SDK keeps whatever it is asked to. */
export function listenProblem(body: unknown, isResource: (uri: string) => boolean): string | undefined {
  if (methodOf(body) !== "subscriptions/listen") return undefined;
  const uris = watchedBy(body);
  if (uris.length > maxListened) return `One stream watches at most ${maxListened} resources; watch the list of resources instead`;
  return uris.every((uri) => typeof uri === "string" && isResource(uri)) ? undefined : noSuchResource;
}

/** Of a `subscriptions/listen` without such a problem. */
export const listenedUris = (body: unknown): string[] => watchedBy(body).filter((uri) => typeof uri === "string");

const watchedBy = (body: unknown): unknown[] => listenRequest.safeParse(body).data?.params.notifications.resourceSubscriptions ?? [];

const listenRequest = z.object({
  params: z.object({ notifications: z.object({ resourceSubscriptions: z.array(z.unknown()) }) }),
});

export const noSuchResource = "No resource has such a URI; list the resources to see which there are";

/** `resources/subscribe` and `resources/unsubscribe` exist in the session era only; 2026-07-28 has `subscriptions/listen`. */
export function serveSubscriptions(server: Server, subscriptions: Subscriptions, problemWith: WatchProblem): void {
  if (server.getCapabilities().resources?.subscribe !== true) return;
  server.setRequestHandler("resources/subscribe", ({ params }) => {
    const problem = problemWith(params.uri);
    if (problem !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, problem);
    subscriptions.add(params.uri);
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
