import { jsonOf } from "../json.ts";
import { indented } from "../settings.ts";
import { serverName, type Told, Unsafe } from "./client.ts";

interface Form {
  /** The property that holds the servers. */
  holder: "mcpServers" | "servers";
  entry(told: Told): Record<string, unknown>;
  /** What stands beside the servers. */
  beside?(told: Told): Record<string, unknown[]>;
}

/** A client whose file is JSON. */
export const inJson = (form: Form) => ({ format: "json" as const, written: (before: string, told: Told) => indented(withServer(documentIn(before), form, told), before) });

const isObject = (given: unknown): given is Record<string, unknown> => typeof given === "object" && given !== null && !Array.isArray(given);

function documentIn(text: string): Record<string, unknown> {
  const given = jsonOf(text.replace(/^\uFEFF/, "").trim() || "{}");
  // A file with comments would lose them.
  if (!isObject(given)) throw new Unsafe("is no plain JSON");
  return given;
}

/** What else stands there stays as it is; lists beside the servers get what they lack. */
function withServer(document: Record<string, unknown>, { holder, entry, beside }: Form, told: Told): Record<string, unknown> {
  const servers = isObject(document[holder]) ? document[holder] : {};
  const lists = Object.entries(beside?.(told) ?? {}).map(([name, wanted]) => {
    const there = Array.isArray(document[name]) ? (document[name] as unknown[]) : [];
    const ids = new Set(there.map((one) => (one as { id?: unknown } | null)?.id));
    return [name, [...there, ...wanted.filter((one) => !ids.has((one as { id?: unknown }).id))]] as const;
  });
  return { ...document, ...Object.fromEntries(lists), [holder]: { ...servers, [serverName]: renewed(servers[serverName], entry(told)) } };
}

/** An entry that says the same stays whole: the client may keep beside it that a person signed in, or allowed a tool. */
function renewed(there: unknown, wanted: Record<string, unknown>): unknown {
  const isSame = isObject(there) && !("headers" in there && !("headers" in wanted)) && JSON.stringify({ ...there, ...wanted }) === JSON.stringify(there);
  return isSame ? there : wanted;
}
