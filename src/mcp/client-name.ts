import { label } from "../domain/frame.ts";
import { longestClientName } from "../domain/sessions/session-fields.ts";
import { isRecord } from "./json-rpc.ts";

/** The client that speaks for the person, as it announced itself; kept as authorship beside the person: `claude-code`, `cursor` … */
export function clientName(announced: unknown): string {
  const name = isRecord(announced) && typeof announced["name"] === "string" ? announced["name"] : "";
  return label(name, longestClientName) || "unknown";
}
