import * as field from "../domain/memories/fields.ts";
import { givenMetadata } from "../domain/memories/portable.ts";
import type { SessionDefaults } from "../domain/memories/session-scope.ts";
import { defined } from "../domain/defined.ts";
import { parseJson } from "../domain/strict-json.ts";
import { RequestRefused } from "./request-refused.ts";

const ids = { userId: ["X-Memory-User-ID", field.userId], agentId: ["X-Memory-Agent-ID", field.userId], runId: ["X-Memory-Run-ID", field.runId] } as const;
const metadataHeader = "X-Memory-Session-Metadata";

/**
 * Session defaults of a request (memory-server document, Session Management Models). An id that none can be is refused, since memories
 * would end in another scope than was meant; metadata that is not in order is none. @throws RequestRefused
 */
export function sessionDefaultsOf(headers: Headers): SessionDefaults | undefined {
  const metadata = headers.get(metadataHeader);
  const said = Object.entries(ids).flatMap(([name, [header, rule]]) => {
    const given = headers.get(header);
    if (given === null) return [];
    const parsed = rule.safeParse(given);
    if (!parsed.success) throw new RequestRefused(400, `The header ${header} ${parsed.error.issues[0]?.message}. Correct it, or leave it out.`);
    return [[name, parsed.data]];
  });
  if (said.length === 0 && metadata === null) return undefined;
  return { ...(defined(Object.fromEntries(said)) as SessionDefaults), metadata: metadata === null ? {} : metadataIn(metadata) };
}

function metadataIn(text: string): SessionDefaults["metadata"] {
  try {
    return (givenMetadata.safeParse(parseJson(text)).data ?? {}) as SessionDefaults["metadata"];
  } catch {
    return {};
  }
}
