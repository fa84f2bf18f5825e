import * as z from "zod";
import { asDomainError, DomainError, invalid } from "../domain/errors.ts";
import { say } from "../domain/frame.ts";
import { project } from "../domain/memories/fields.ts";
import { CallReading } from "../domain/metrics/prevention.ts";
import { describeProblems } from "../domain/problems.ts";
import type { SessionTrail } from "../domain/sessions/session-trail.ts";
import { mayRead, requireScope } from "../domain/tenancy/principal.ts";
import { findInFamily } from "./catalogue.ts";
import { AskedConflict } from "./conflict-question.ts";
import { type Deed, type Done, perform } from "./deeds.ts";
import type { Family } from "./define-family.ts";
import type { Tool, ToolContext, ToolResult } from "./define-tool.ts";
import { mended } from "./mended.ts";
import { makesSecret, notingSecrets } from "./seen-secrets.ts";
import { isStructured, type Surface } from "./surfaces.ts";

/** What a call needs of the place that runs it. */
export interface CallContext extends Omit<ToolContext, "structured" | "trail"> {
  /** What the connection lists. */
  surface: Surface;
  /** Runs work of this cost when it is its turn, which may be later than the context was built. @throws RATE_LIMIT_EXCEEDED */
  inTurn<T>(cost: number, work: () => Promise<T>): Promise<T>;
  /** What the call leaves behind of the client's session in this project, where the caller may write. */
  trailIn?(project: string | undefined): SessionTrail | undefined;
  /** Told of what a call read, once it is answered. */
  measured?(operation: string, reading: CallReading, answer: () => string): void;
  /** The error form of the door, where it is not the family's. */
  renderError?: Family["renderError"];
  /** Told of a tool or resource that the caller was not allowed to use. */
  refused?(what: string): void;
}

export interface ToolAnswer extends ToolResult {
  /** The answer may hold what is encrypted at rest: it is delivered, and kept nowhere. */
  secret: boolean;
}

/**
 * The one way in which a tool is called, whatever protocol the call came by: checks the scope and the arguments, waits for its turn,
 * calls, and gives every failure the family's error form. Undefined where there is no tool of this name.
 */
export async function callTool(name: string, args: unknown, ctx: CallContext): Promise<ToolAnswer | undefined> {
  const found = findInFamily(name);
  if (!found) return undefined;
  let secret = makesSecret(args);
  const result = await resultOf(found, args, watched(ctx, () => void (secret = true)));
  return { ...result, secret };
}

async function resultOf({ tool, family }: { tool: Tool; family: Family }, args: unknown, ctx: CallContext): Promise<ToolResult> {
  try {
    if (tool.scope) requireScope(ctx.principal, tool.scope);
    const { project, rest } = withProject(tool, args ?? {}, ctx.project);
    const parsed = parsedBy(tool, rest);
    if (!parsed.success) throw invalid(`Invalid arguments for ${tool.name}: ${describeProblems(parsed.error, tool.input, rest)}.`);
    const structured = isStructured(tool, ctx.surface);
    const trail = ctx.trailIn?.(project);
    const reading = new CallReading();
    // A question shows the person what is stored, by way of the client.
    const mayAsk = mayRead(ctx.principal);
    const { structured: form, question, ...told } = await ctx.inTurn(tool.cost, () => tool.call({ ...ctx, asksPerson: mayAsk && ctx.asksPerson === true, project, trail, structured, reading, now: Date.now() }, parsed.data));
    if (tool.isStep) trail?.note({ kind: "command", name: tool.name });
    const result = mayAsk && question ? { ...told, question } : told;
    ctx.measured?.(tool.name, reading, () => result.text.toString());
    return structured && form ? { ...result, structured: form } : result;
  } catch (error) {
    auditRefusal(ctx, error, tool.name);
    const { requestId, now } = ctx;
    const told = (ctx.renderError ?? family.renderError)({ error, requestId, now, report: (fault) => ctx.report(`tool ${tool.name}`, fault) });
    return error instanceof AskedConflict ? { ...told, question: error.question } : told;
  }
}

/** What came, or what its texts hold where the tool takes that; the problems are those of what came. */
function parsedBy(tool: Tool, args: unknown): ReturnType<Tool["parse"]> {
  const parsed = tool.parse(args);
  if (parsed.success) return parsed;
  const again = mended(args, parsed.error.issues);
  const second = again === undefined ? parsed : tool.parse(again);
  return second.success ? second : parsed;
}

const projectArgument = z.looseObject({ project });

/**
 * Every tool takes `project` beside its own arguments: which one this call is about, whatever the connection says. It is in no
 * list, where it would cost each connection tokens for what its URL or header says once.
 */
function withProject(tool: Tool, args: unknown, ofConnection: string | undefined): { project: string | undefined; rest: unknown } {
  const isTheirs = tool.input instanceof z.ZodObject && Object.hasOwn(tool.input.shape, "project");
  if (isTheirs || typeof args !== "object" || args === null || !Object.hasOwn(args, "project")) return { project: ofConnection, rest: args };
  const parsed = projectArgument.safeParse(args);
  if (!parsed.success) throw invalid(`Invalid arguments for ${tool.name}: ${describeProblems(parsed.error, projectArgument, args)}.`);
  const { project: named, ...rest } = parsed.data;
  return { project: named, rest };
}

/** Does what the person decided once a call of the tool was done. What fails is told beside the answer of that call. */
export async function carryOut(name: string, wanted: Deed, ctx: CallContext): Promise<Done> {
  try {
    return await ctx.inTurn(1, () => perform({ ...ctx, now: Date.now() }, wanted));
  } catch (error) {
    auditRefusal(ctx, error, name);
    const known = asDomainError(error);
    if (!known) ctx.report(`tool ${name}`, error);
    return { text: say`The person was asked; what they decided could not be done: ${known?.message ?? `something went wrong on our side; report request ${ctx.requestId}.`}`, ...("entry" in wanted && { entry: wanted.entry }) };
  }
}

/** The same for resources and prompts, which have no error form of their own: errors are thrown on. `what`: for the audit of a refusal. */
export async function inContext<T>(what: string, ctx: CallContext, work: (ctx: ToolContext) => Promise<T>): Promise<{ answer: T; secret: boolean }> {
  let secret = false;
  const context = watched(ctx, () => void (secret = true));
  try {
    const reading = new CallReading();
    const answer = await ctx.inTurn(1, () => work({ ...context, trail: ctx.trailIn?.(ctx.project), structured: true, reading, now: Date.now() }));
    ctx.measured?.(what, reading, () => JSON.stringify(answer));
    return { answer, secret };
  } catch (error) {
    auditRefusal(ctx, error, what);
    throw error;
  }
}

const watched = (ctx: CallContext, seen: () => void): CallContext => ({ ...ctx, memories: notingSecrets(ctx.memories, seen) });

function auditRefusal(ctx: CallContext, error: unknown, what: string): void {
  if (error instanceof DomainError && error.code === "PERMISSION_DENIED") ctx.refused?.(what);
}
