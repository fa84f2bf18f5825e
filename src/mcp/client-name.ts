import { label } from "../domain/frame.ts";
import { isPlain } from "../domain/guard/screen.ts";
import { longestClientName } from "../domain/sessions/session-fields.ts";
import { isRecord } from "./json-rpc.ts";

/**
 * The client that speaks for the person, as it announced itself; kept as authorship beside the person: `claude-code`, `cursor` … Others' models read it,
 * so that one that gives orders is no name; of a single word that is not asked, for it takes as long as a twentieth of a call.
 */
export function clientName(announced: unknown): string {
  const name = isRecord(announced) && typeof announced["name"] === "string" ? announced["name"] : "";
  const called = label(name, longestClientName);
  return called === "" || (called.includes(" ") && !isPlain(called)) ? "unknown" : called;
}
