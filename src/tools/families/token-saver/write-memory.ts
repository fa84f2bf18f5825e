import * as z from "zod";
import { defined } from "../../../domain/defined.ts";
import { noMemory } from "../../../domain/errors.ts";
import { named, say } from "../../../domain/frame.ts";
import { stateOfValue, valueOf } from "../../../domain/memories/any-value.ts";
import { attributed, authorsOf } from "../../../domain/memories/authorship.ts";
import * as field from "../../../domain/memories/fields.ts";
import { remember, rememberOutcomes } from "../../../domain/memories/remember.ts";
import { revise } from "../../../domain/memories/revise.ts";
import { similarTo } from "../../../domain/memories/similar.ts";
import { announceStored, aroundStored, questionAfter } from "../../after-store.ts";
import { AskedConflict, conflictQuestion } from "../../conflict-question.ts";
import { additive, defineTool, type ToolContext, type ToolResult } from "../../define-tool.ts";
import { quarantineQuestion } from "../../quarantine-question.ts";
import { adviceOf, guardOf, guardText, handleOf, outcomeWith, proposalOf, proposalText, repeatedText } from "../../render.ts";
import { similarOf, similarText } from "../../render-similar.ts";
import { filterOf, memoryScope, placeOf, readableMemory, scopeOf, where, withoutReplaced } from "./scope.ts";

const year = 31_536_000;
const repair = { update: "call write_memory under its key", forget: "delete_memory" };

const input = z.strictObject({
  key: field.key,
  value: field.json.meta({ listed: { description: "any JSON value" } }),
  scope: memoryScope.default("project"),
  ttl: z.number().int().positive().max(100 * year).optional().describe("seconds"),
  tags: field.tags.optional(),
  /** The one that was read: with it, what was changed in between is not overwritten. */
  expected_version: z.number().int().positive().optional(),
  /** Named in the answer that makes it necessary. */
  allow_duplicate: z.boolean().optional().meta({ listed: null }),
  ...where,
});
type Written = z.output<typeof input>;

/** Token Saver document, core tool 1. */
export const writeMemory = defineTool({
  name: "write_memory",
  aliases: ["token_saver_write_memory"],
  title: "Write memory",
  description: "Save a value under a hierarchical key (project.architecture, current.task, shared.findings …) to resume later without re-reading.",
  scope: "memory:write",
  annotations: additive,
  input,
  output: z.looseObject({ outcome: z.enum(rememberOutcomes).meta({ listed: { type: "string" } }), version: z.number() }),
  async handler(ctx, input) {
    const said = stateOfValue(input.value, "value");
    if (input.expected_version !== undefined) return replace(ctx, said, input.expected_version, input);
    // Its family cannot change what was said in a conversation.
    const like = similarTo(ctx, said, ({ namespace }) => !namespace.startsWith("thread:"));
    const result = await remember(ctx, {
      ...said,
      key: input.key,
      ...placeOf(ctx, input.scope, input),
      tags: input.tags,
      allowDuplicate: input.allow_duplicate,
      expiresAt: input.ttl === undefined ? undefined : ctx.now + input.ttl * 1000,
    }, like.beside);
    const { memory, outcome, proposal } = result;
    announceStored(ctx, result, outcome);
    const text = repeatedText(outcome, memory, "write_memory under its key");
    if (text) {
      return { structured: { outcome, id: memory.id, key: memory.key, scope: scopeOf(memory), version: memory.version, ...adviceOf(text) }, text };
    }
    const { similar, conflicts } = await aroundStored(ctx, like, result);
    const withRequest = { ...repair, request: ctx.requestId, stored: memory };
    return {
      question: questionAfter(result, conflicts),
      structured: { outcome, id: memory.id, key: memory.key, scope: proposal ? scopeOf(memory) : input.scope, version: memory.version, ...proposalOf(proposal), ...guardOf(outcome, result.found), ...similarOf(similar, ctx.now, withRequest, conflicts) },
      text: say`${outcome} ${handleOf(memory)} (${proposal ? scopeOf(memory) : input.scope}, version ${memory.version})${proposalText(proposal)}${guardText(outcome, result.found)}${similarText(similar, ctx.now, withRequest, conflicts)}`,
    };
  },
});

/** The next version of what the caller has read. @throws CONFLICT with both sides where somebody else changed it since */
async function replace(ctx: ToolContext, said: ReturnType<typeof stateOfValue>, expectedVersion: number, { key, scope, ttl, tags, ...at }: Written): Promise<ToolResult> {
  const standing = await ctx.memories.byKey(ctx.principal, ctx.now, key, filterOf(ctx, scope, at));
  const [found] = withoutReplaced(ctx, at, standing, (memory) => memory);
  if (!found) throw noMemory(`There is no memory with the key ${named(key)} in this scope.`, "Leave out expected_version to write the first one.");
  const result = await revise(ctx, { target: { id: found.id }, expectedVersion, changes: { ...said, expiresAt: ttl === undefined ? null : ctx.now + ttl * 1000, ...defined({ tags }) } });
  if (result.outcome === "conflict") {
    const { author } = attributed(result.current, await authorsOf(ctx, [result.current]));
    throw new AskedConflict(`The memory is at version ${result.current.version}, not ${expectedVersion}. Nothing was written.`, {
      hint: `Put both together, and write again with expected_version ${result.current.version}.`,
      details: { current: readableMemory(result.current, author), attempted: { value: valueOf(said) } },
      question: conflictQuestion(result.current, { value: valueOf(said) }, "expected_version"),
    });
  }
  const { memory } = result;
  const [proposal, masked] = result.outcome === "quarantined" ? [undefined, result.reasons] : [result.proposal, result.masked];
  const outcome = outcomeWith(result.outcome, proposal);
  if (result.outcome === "updated") ctx.changed({ ids: [memory.id], listChanged: false });
  return {
    question: result.outcome === "quarantined" ? quarantineQuestion(result.held) : undefined,
    structured: { outcome, id: memory.id, key, scope: scopeOf(memory), version: memory.version, ...proposalOf(proposal), ...guardOf(outcome, masked) },
    text: say`${outcome} ${handleOf(memory)} (${scopeOf(memory)}, version ${memory.version})${proposalText(proposal)}${guardText(outcome, masked)}`,
  };
}
