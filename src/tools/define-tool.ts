import * as z from "zod";
import type { Context } from "../domain/context.ts";
import type { Change } from "../domain/events/change-of.ts";
import type { Dependency } from "../domain/health/dependencies.ts";
import type { PreventionPort } from "../domain/metrics/prevention-stats.ts";
import type { Framed } from "../domain/frame.ts";
import type { SessionDefaults } from "../domain/memories/session-scope.ts";
import type { PassportPorts } from "../domain/sessions/passports.ts";
import type { SessionStore } from "../domain/sessions/session-store.ts";
import type { Preferences } from "../domain/tenancy/preferences.ts";
import type { Scope } from "../domain/tenancy/principal.ts";
import { compactSchema } from "./compact-schema.ts";
import type { Deed } from "./deeds.ts";

/** The context of a tool: the domain's, and where the call came from. */
export interface ToolContext extends Context {
  /** The client shows its person forms, so that they can be asked. */
  asksPerson?: boolean;
  /** Identity of the project that the call is about, as its arguments or the connection say (`domain/project.ts`): where what names no namespace is stored, and whose memories recall prefers. */
  project: string | undefined;
  /** Of the person, who set them for all clients and teams: defaults where a call does not say. */
  preferences: Preferences;
  /** What tools of the memory-server document take where a call says nothing. */
  connectionDefaults: ConnectionDefaults;
  /** Protocol session of the older era, if any. */
  sessionId: string | undefined;
  sessions: SessionStore;
  passports: PassportPorts["passports"];
  publicOrigin: string;
  /** Whether the answer goes out with its structured form, or as text alone. */
  structured: boolean;
  /** What the server needs to work, for a look at its health. */
  dependencies: readonly Dependency[];
  prevention: PreventionPort;
  /** Told of each resource that was asked for, for the audit. */
  noteResource?(uri: string, success: boolean): void;
  /** Tells the person's other clients that memories changed. */
  changed(change: Change): void;
}

/** Session defaults of one client of a person. */
export interface ConnectionDefaults {
  /** Of the headers of this request. */
  headers: SessionDefaults | undefined;
  /** What the client said with `memory_init_session`, while that holds. */
  initialised(now: number): SessionDefaults | undefined;
  initialise(defaults: SessionDefaults, now: number): InitialisedSession;
}

export interface InitialisedSession {
  connectionId: string;
  /** ms since the epoch, as is the next. */
  createdAt: number;
  until: number;
}

export interface ToolResult {
  /** Must fit the output schema even when `isError` is set: clients check it all the same. */
  structured?: Record<string, unknown>;
  /** The error form of section 12, beside the text, for programs. */
  error?: Record<string, unknown>;
  /** The same facts for a model to read, shorter than JSON where that is possible. */
  text: Framed;
  /** The call was understood but not carried out. */
  isError?: boolean;
  /** The answer is a preview that somebody may confirm. */
  question?: Question | undefined;
}

/** What a person is asked before a tool does what its preview shows, or where it cannot tell what they want. */
export interface Question {
  message: Framed;
  /** The argument `confirm` with which the same call goes ahead; what there is to choose from; or what may follow once the call is done. */
  asks: { confirm: string } | { choices: readonly Choice[] } | { acts: readonly Act[] };
  /** What else of a call that is done is theirs to decide, asked one after another until they put a form away. */
  more?: readonly ActQuestion[];
}

export interface ActQuestion extends Question {
  asks: { acts: readonly Act[] };
}

/** What the person may decide about a call that is done: without a deed, its answer stands. */
export interface Act {
  title: string;
  does?: Deed;
}

export interface Choice {
  title: string;
  /** Arguments with which the same call goes ahead; without any, everything stays as it is. */
  args?: Record<string, unknown>;
}

export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
}

/** Cost of a tool that goes through up to a thousand memories. A person has one such call at work at a time. */
export const bulkCost = 10;

export interface ToolDefinition<Input extends z.ZodType, Output extends z.ZodType> {
  name: string;
  aliases?: string[];
  title: string;
  description: string;
  /** Needed by every call of this tool; null where the answer says nothing about memories. */
  scope: Scope | null;
  annotations: ToolAnnotations;
  /** The cost of a call in the limits, if it is more work than one. */
  cost?: number;
  /** Whether its use is a step of the person's work, which a session keeps. Those that speak about the work itself are none. */
  isStep?: boolean;
  input: Input;
  output: Output;
  handler(ctx: ToolContext, input: z.output<Input>): Promise<ToolResult>;
}

/** A tool as the catalogue holds it; it knows no protocol. */
export interface Tool {
  name: string;
  aliases: string[];
  title: string;
  description: string;
  scope: Scope | null;
  annotations: ToolAnnotations;
  cost: number;
  isStep: boolean;
  /** The complete schemas of arguments and answers; lists show less of them. */
  input: z.ZodType;
  output: z.ZodType;
  inputSchema(): Record<string, unknown>;
  outputSchema(): Record<string, unknown>;
  parse(input: unknown): z.ZodSafeParseResult<unknown>;
  call(ctx: ToolContext, input: unknown): Promise<ToolResult>;
}

export function defineTool<Input extends z.ZodType, Output extends z.ZodType>(definition: ToolDefinition<Input, Output>): Tool {
  let input: Record<string, unknown> | undefined;
  let output: Record<string, unknown> | undefined;
  return {
    ...definition,
    aliases: [...(definition.aliases ?? []), ...formerNames(definition.name)],
    cost: definition.cost ?? 1,
    isStep: definition.isStep ?? definition.scope !== null,
    // Computed at first use: converting every schema would cost the Worker's start-up.
    inputSchema: () => (input ??= compactSchema(z.toJSONSchema(definition.input, { io: "input", unrepresentable: "any" }))),
    outputSchema: () => (output ??= outputForm(z.toJSONSchema(definition.output, { io: "output", unrepresentable: "any" }))),
    parse: (value) => definition.input.safeParse(value),
    call: (ctx, value) => definition.handler(ctx, value as z.output<Input>),
  };
}

/** `omn_read` was `omn1_read` ("backwards compatibility aliases" of the OmniMemory document). */
const formerNames = (name: string): string[] => (name.startsWith("omn_") ? [`omn1_${name.slice("omn_".length)}`] : []);

/** Which fields an answer may have. Those it must have are checked by tests; a model gains nothing from the list. */
function outputForm(schema: unknown): Record<string, unknown> {
  const { required: _, ...rest } = compactSchema(schema);
  return rest;
}

export const readOnly: ToolAnnotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
/** Adds or revises; what was there stays in the history. */
export const additive: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: true };
export const destructive: ToolAnnotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: true };

/** The same arguments, all listed in this form, or not at all. */
export const listedAs = <S extends Record<string, z.ZodType>>(listed: Record<string, unknown> | null, shape: S): S =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, schema.meta({ listed })])) as S;
