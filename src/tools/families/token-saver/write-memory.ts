import * as z from "zod";
import { say } from "../../../domain/frame.ts";
import { stateOfValue } from "../../../domain/memories/any-value.ts";
import * as field from "../../../domain/memories/fields.ts";
import { remember, rememberOutcomes } from "../../../domain/memories/remember.ts";
import { similarTo } from "../../../domain/memories/similar.ts";
import { announceStored, aroundStored } from "../../after-store.ts";
import { additive, defineTool } from "../../define-tool.ts";
import { adviceOf, guardOf, guardText, handleOf, proposalOf, proposalText, repeatedText } from "../../render.ts";
import { similarOf, similarText } from "../../render-similar.ts";
import { memoryScope, placeOf, scopeOf, where } from "./scope.ts";

const year = 31_536_000;
const repair = { update: "call write_memory under its key", forget: "delete_memory" };

/** Token Saver document, core tool 1. */
export const writeMemory = defineTool({
  name: "write_memory",
  aliases: ["token_saver_write_memory"],
  title: "Write memory",
  description: "Save a value under a hierarchical key (project.architecture, current.task, shared.findings …) to resume later without re-reading.",
  scope: "memory:write",
  annotations: additive,
  input: z.strictObject({
    key: field.key,
    value: field.json.meta({ listed: { description: "any JSON value" } }),
    scope: memoryScope.default("project"),
    ttl: z.number().int().positive().max(100 * year).optional().describe("seconds"),
    tags: field.tags.optional(),
    /** Named in the answer that makes it necessary. */
    allow_duplicate: z.boolean().optional().meta({ listed: null }),
    ...where,
  }),
  output: z.looseObject({ outcome: z.enum(rememberOutcomes).meta({ listed: { type: "string" } }), version: z.number() }),
  async handler(ctx, input) {
    const said = stateOfValue(input.value, "value");
    const similarIn = similarTo(ctx, said);
    const result = await remember(ctx, {
      ...said,
      key: input.key,
      ...placeOf(ctx, input.scope, input),
      tags: input.tags,
      allowDuplicate: input.allow_duplicate,
      expiresAt: input.ttl === undefined ? undefined : ctx.now + input.ttl * 1000,
    });
    const { memory, outcome, proposal } = result;
    announceStored(ctx, result, outcome);
    const text = repeatedText(outcome, memory, "write_memory under its key");
    if (text) {
      return { structured: { outcome, id: memory.id, key: memory.key, scope: scopeOf(memory), version: memory.version, ...adviceOf(text) }, text };
    }
    const { similar, conflicts } = await aroundStored(ctx, similarIn, result);
    const withRequest = { ...repair, request: ctx.requestId };
    return {
      structured: { outcome, id: memory.id, key: memory.key, scope: proposal ? scopeOf(memory) : input.scope, version: memory.version, ...proposalOf(proposal), ...guardOf(outcome, result.found), ...similarOf(similar, ctx.now, withRequest, conflicts) },
      text: say`${outcome} ${handleOf(memory)} (${proposal ? scopeOf(memory) : input.scope}, version ${memory.version})${proposalText(proposal)}${guardText(outcome, result.found)}${similarText(similar, ctx.now, withRequest, conflicts)}`,
    };
  },
});
