import * as z from "zod";
import { DomainError, invalid } from "../errors.ts";
import * as field from "../memories/fields.ts";
import { canonical } from "../memories/memory.ts";
import { parseJson } from "../strict-json.ts";
import { isSignedBy, type IssuerKeys, type PublicKey } from "./issuer-keys.ts";
import type { PassportKeys } from "./passport-keys.ts";
import { toolName } from "./session-fields.ts";

/**
 * The Memory Passport (OmniMemory document, version 2.0): a session as a document that a person carries from one tool to another. Whoever
 * holds it can restore it. `signature` is over the canonical JSON of everything but the signatures and the picture, by a key that this
 * server alone has; `issuer_signature` is over all that and `signature`, by a key whose public part other servers can look up.
 */
export const passportVersion = "2.0";

/** In characters: what a tool call takes. */
export const longestPassport = 60_000;
/** In characters of a text in it. */
const longest = { path: 500, query: 500, text: 1_000 } as const;
export const mostEntries = 100;

const text = (label: string, max: number) => field.phrase(label, max);
const shape = z.strictObject({
  version: z.literal(passportVersion),
  session_id: z.string().regex(/^sess_[0-9a-f-]{36}$/),
  exported_at: field.instant,
  exported_by_tool: toolName,
  original_tool: toolName,
  project_id: field.project,
  workspace_path: text("workspace_path", longest.path).nullable(),
  created_at: field.instant,
  migration_count: z.number().int().min(0).max(1_000_000),
  context: z.strictObject({
    files_accessed: z.array(z.strictObject({ path: text("path", longest.path), importance: z.number().min(0).max(1), count: z.number().int().min(1), accessed_at: field.instant })).max(mostEntries),
    recent_searches: z.array(z.strictObject({ query: text("query", longest.query), timestamp: field.instant })).max(mostEntries),
    decisions: z.array(z.strictObject({ decision: text("decision", longest.text), timestamp: field.instant, memory_id: z.uuid().optional() })).max(mostEntries),
    workflow_state: z.strictObject({
      keys: z.array(z.strictObject({ key: field.exactKey, value: text("value", longest.text), timestamp: field.instant, memory_id: z.uuid().optional() })).max(mostEntries),
      recent_commands: z.array(text("command", 100)).max(mostEntries),
    }),
  }),
  compressed_context: z.string(),
  compression_ratio: z.number(),
  metadata: z.strictObject({ total_files_accessed: z.number(), total_searches: z.number(), session_duration_hours: z.number() }),
  key_id: z.string(),
  /** Passports of earlier versions of the server have neither of these. */
  issuer: z.string().max(300).optional(),
  issuer_key_id: z.string().max(100).optional(),
});

export const passportShape = shape.shape;

/** What a passport says, instants in ms. */
export type Passport = z.output<typeof shape>;
/** The same as it is written. */
export type WrittenPassport = Omit<z.input<typeof shape>, "key_id" | "compressed_context" | "compression_ratio" | "issuer" | "issuer_key_id">;

/** What this server signs with, and how others address it. */
export interface Signer {
  keys: PassportKeys;
  issuerKeys: IssuerKeys;
  /** The origin of this server. */
  issuer: string;
}

/** A passport as it was given, split by what its signatures are over. */
interface Document {
  /** What `signature` is over. */
  body: Record<string, unknown>;
  signature: unknown;
  issuerSignature: unknown;
}

const unsigned = new Set(["signature", "issuer_signature", "qr_code"]);
const documentOf = (given: Record<string, unknown>): Document => ({
  body: Object.fromEntries(Object.entries(given).filter(([name]) => !unsigned.has(name))),
  signature: given["signature"],
  issuerSignature: given["issuer_signature"],
});
/** What `issuer_signature` is over. */
const issued = ({ body, signature }: Pick<Document, "body" | "signature">): string => canonical({ ...body, signature });

/** A passport that another server signed, or so it says: nothing of it is proven. */
export interface ForeignPassport {
  issuer: string;
  passport: Passport;
  /** Which one it is: two that differ in a byte differ here. */
  content: string;
  isSignedBy(keys: readonly PublicKey[]): Promise<boolean>;
}

export type ReadPassport = { isForeign: false; passport: Passport } | { isForeign: true; foreign: ForeignPassport };

/** The signed document. @throws PROVIDER_ERROR where the server has no key to sign with */
export async function signPassport({ keys, issuerKeys, issuer }: Signer, written: WrittenPassport): Promise<Record<string, unknown>> {
  const plain = canonical(written.context);
  const packed = await gzip(plain);
  const bytes = new TextEncoder().encode(plain).byteLength;
  // The names of the keys are signed with the rest, so they have to be known before.
  const [keyId, [issuerKey]] = [(await keys.sign(""))?.keyId, await issuerKeys.published()];
  if (keyId === undefined || !issuerKey) throw new DomainError("PROVIDER_ERROR", "This server has no master key, so it cannot sign a passport.", { hint: "Whoever runs it sets MASTER_KEYS (docs/secrets.md)." });
  const body = { ...written, compressed_context: toBase64(packed), compression_ratio: Math.round((100 * bytes) / packed.byteLength) / 100, issuer, issuer_key_id: issuerKey.kid, key_id: keyId };
  const signature = (await keys.sign(canonical(body)))?.signature;
  return { ...body, signature, issuer_signature: await issuerKeys.sign(issued({ body, signature })) };
}

/** What a passport says: proven, if this server signed it, and else who is to prove it. @throws VALIDATION_ERROR */
export async function readPassport({ keys, issuerKeys, issuer: self }: Signer, given: string): Promise<ReadPassport> {
  const document = documentOf(parsedObject(given));
  const { key_id: keyId, issuer, issuer_key_id: issuerKeyId } = document.body;
  const isIssued = issuer !== undefined || issuerKeyId !== undefined || document.issuerSignature !== undefined;
  if (typeof document.signature !== "string" || typeof keyId !== "string") throw notSigned();
  if (isIssued && (typeof issuer !== "string" || typeof issuerKeyId !== "string" || typeof document.issuerSignature !== "string")) throw notSigned();
  const own = await issuerKeys.published();
  if (isIssued && issuer !== self && !own.some(({ kid }) => kid === issuerKeyId)) return { isForeign: true, foreign: foreignOf(document) };
  if (!keys.knows(keyId)) throw invalid("The passport was not signed by this server, or the key is not in use any more.", "Export it again on this server with omn_export_session.");
  const isProven = await keys.verify(canonical(document.body), { keyId, signature: document.signature });
  if (!isProven || (isIssued && !(await isIssuedBy(own, document)))) throw wasChanged();
  return { isForeign: false, passport: shaped(document) };
}

export const wasChanged = (): DomainError => invalid("The passport was changed after it was signed: its signature does not match.", "Paste it exactly as omn_export_session answered it.");
const notSigned = (): DomainError => invalid("The passport is not signed.", "Export it again with omn_export_session.");

const isIssuedBy = (keys: readonly PublicKey[], document: Document): Promise<boolean> =>
  isSignedBy(keys, issued(document), { keyId: String(document.body["issuer_key_id"]), signature: String(document.issuerSignature) });

function foreignOf(document: Document): ForeignPassport {
  const { issuer } = document.body;
  // An origin, as a browser would write it: what a person is asked about is what is fetched.
  if (typeof issuer !== "string" || !URL.canParse(issuer) || new URL(issuer).origin !== issuer) throw invalid("The passport does not say which server signed it.", "Export it again with omn_export_session.");
  return { issuer, passport: shaped(document), content: canonical({ ...document.body, signature: document.signature, issuer_signature: document.issuerSignature }), isSignedBy: (keys) => isIssuedBy(keys, document) };
}

function shaped({ body }: Document): Passport {
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
