import { findTool } from "../tools/catalogue.ts";
import { isRecord, methodOf } from "./json-rpc.ts";

/** A call of a tool costs what the tool says; whatever else a client sends costs one, notifications and answers as well. */
function costOf(message: unknown): number {
  if (methodOf(message) !== "tools/call" || !isRecord(message) || !isRecord(message.params)) return 1;
  const { name } = message.params;
  return (typeof name === "string" ? findTool(name)?.cost : undefined) ?? 1;
}

export const costOfAll = (messages: readonly unknown[]): number => messages.reduce<number>((sum, message) => sum + costOf(message), 0);
