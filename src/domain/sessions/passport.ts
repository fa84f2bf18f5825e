import * as z from "zod";
import { DomainError, invalid } from "../errors.ts";
import * as field from "../memories/fields.ts";
import { canonical } from "../memories/memory.ts";
import { parseJson } from "../strict-json.ts";
import type { PassportKeys } from "./passport-keys.ts";
import { toolId } from "./session-fields.ts";

/**
 * The Memory Passport (OmniMemory document, version 2.0): a session as a document that a person carries from one tool to another. The
 * signature is over the canonical JSON of everything but itself and the picture; whoever holds the document can restore it.
 */
export const passportVersion = "2.0";

/** In characters: what a tool call takes. */
export const longestPassport = 60_000;
/** In characters of a text in it. */
const longest = { path: 500, query: 500, text: 1_000 } as const;
const mostEntries = 100;

const text = (label: string, max: number) => field.phrase(label, max);
const shape = z.strictObject({
  version: z.literal(passportVersion),
  session_id: z.string().regex(/^sess_[0-9a-f-]{36}$/),
  exported_at: field.instant,
  exported_by_tool: toolId,
  original_tool: toolId,
  project_id: field.project,
  workspace_path: text("workspace_path", longest.path).nullable(),
  created_at: field.instant,
  migration_count: z.number().int().min(0),
  context: z.strictObject({
    files_accessed: z.array(z.strictObject({ path: text("path", longest.path), importance: z.number().min(0).max(1), count: z.number().int().min(1), accessed_at: field.instant })).max(mostEntries),
    recent_searches: z.array(z.strictObject({ query: text("query", longest.query), timestamp: field.instant })).max(mostEntries),
    decisions: z.array(z.strictObject({ decision: text("decision", longest.text), timestamp: field.instant, memory_id: z.uuid().optional() })).max(mostEntries),
    workflow_state: z.strictObject({
      keys: z.array(z.strictObject({ key: field.key, value: text("value", longest.text), timestamp: field.instant, memory_id: z.uuid().optional() })).max(mostEntries),
      recent_commands: z.array(text("command", 100)).max(mostEntries),
    }),
  }),
  compressed_context: z.string(),
  compression_ratio: z.number(),
  metadata: z.strictObject({ total_files_accessed: z.number(), total_searches: z.number(), session_duration_hours: z.number() }),
  key_id: z.string(),
});

/** What a passport says, instants in ms. */
export type Passport = z.output<typeof shape>;
/** The same as it is written. */
export type WrittenPassport = Omit<z.input<typeof shape>, "key_id" | "compressed_context" | "compression_ratio">;

/** Its parts that nothing is signed of. */
const unsigned = new Set(["signature", "qr_code"]);

/** The signed document. @throws PROVIDER_ERROR where the server has no key to sign with */
export async function signPassport(keys: PassportKeys, written: WrittenPassport): Promise<Record<string, unknown>> {
  const plain = canonical(written.context);
  const packed = await gzip(plain);
  const bytes = new TextEncoder().encode(plain).byteLength;
  const body = { ...written, compressed_context: toBase64(packed), compression_ratio: Math.round((100 * bytes) / packed.byteLength) / 100 };
  // The name of the key is signed with the rest, so it has to be known before.
  const keyId = (await keys.sign(""))?.keyId;
  const signed = keyId === undefined ? undefined : await keys.sign(canonical({ ...body, key_id: keyId }));
  if (keyId === undefined || !signed) throw new DomainError("PROVIDER_ERROR", "This server has no master key, so it cannot sign a passport.", { hint: "Whoever runs it sets MASTER_KEYS (docs/secrets.md)." });
  return { ...body, key_id: keyId, signature: signed.signature };
}

/** What a passport says, if every byte of it is as it was signed here. @throws VALIDATION_ERROR, PERMISSION_DENIED */
export async function readPassport(keys: PassportKeys, given: string): Promise<Passport> {
  const document = parsedObject(given);
  const { signature, key_id: keyId } = document;
  const body = Object.fromEntries(Object.entries(document).filter(([name]) => !unsigned.has(name)));
  if (typeof signature !== "string" || typeof keyId !== "string") throw invalid("The passport is not signed.", "Export it again with omn_export_session.");
  if (!keys.knows(keyId)) throw invalid("The passport was not signed by this server, or the key is not in use any more.", "Export it again on this server with omn_export_session.");
  if (!(await keys.verify(canonical(body), { keyId, signature }))) throw invalid("The passport was changed after it was signed: its signature does not match.", "Paste it exactly as omn_export_session answered it.");
  const passport = shape.safeParse(body);
  if (!passport.success) throw invalid("The passport is of a form that this server does not know.", "Export it again with omn_export_session.");
  return passport.data;
}

/** The id that a document claims, for the log; nothing is proven by it. */
export function claimedSession(given: string): string {
  try {
    const { session_id: id } = parsedObject(given);
    return typeof id === "string" && /^[\w-]{1,100}$/.test(id) ? id : "";
  } catch {
    return "";
  }
}

function parsedObject(given: string): Record<string, unknown> {
  if (given.length > longestPassport) throw invalid(`The passport has more than ${field.grouped(longestPassport)} characters.`);
  let document: unknown;
  try {
    document = parseJson(given);
  } catch (error) {
    throw error instanceof DomainError ? error : invalid("The passport is not JSON.", "Paste the whole document that omn_export_session answered.");
  }
  if (typeof document !== "object" || document === null || Array.isArray(document)) throw invalid("The passport is not a JSON object.");
  return document as Record<string, unknown>;
}

async function gzip(plain: string): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([plain]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer());
}

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
