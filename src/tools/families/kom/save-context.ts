import * as z from "zod";
import { json } from "../../../domain/frame.ts";
import { stateOfValue } from "../../../domain/memories/any-value.ts";
import * as field from "../../../domain/memories/fields.ts";
import { toIso } from "../../../domain/memories/memory-fields.ts";
import { remember } from "../../../domain/memories/remember.ts";
import { announceStored, questionAfter } from "../../after-store.ts";
import { additive, defineTool } from "../../define-tool.ts";
import { adviceOf, guardOf, proposalOf, repeatedText } from "../../render.ts";
import { aliasOf, placeOf } from "./item.ts";

const century = 3_153_600_000;

/** Kompanion document, `save_context`. */
export const saveContext = defineTool({
  name: "save_context",
  aliases: [aliasOf("save_context")],
  title: "Save context",
  description: "Persist any JSON as context, under a key if it is to be replaced later. Same key = new version.",
  scope: "memory:write",
  annotations: { ...additive, idempotentHint: false },
  input: z.strictObject({
    key: field.key.optional(),
    content: field.json.meta({ listed: { description: "any JSON value" } }),
    tags: field.tags.optional(),
    ttl_seconds: z.number().int().positive().max(century).optional(),
    namespace: field.namespace.optional().describe("project:metal, thread:…, user:…; else the connection's project"),
    /** Named in the answer that makes it necessary. */
    allow_duplicate: z.boolean().optional().meta({ listed: null }),
  }),
  output: z.looseObject({ id: z.string(), created_at: z.string(), outcome: z.string(), version: z.number().meta({ listed: null }) }),
  async handler(ctx, { content, key, tags, ttl_seconds, namespace, allow_duplicate }) {
    const result = await remember(ctx, {
      ...stateOfValue(content, "content"),
      ...placeOf(ctx, namespace),
      key,
      tags,
      expiresAt: ttl_seconds === undefined ? undefined : ctx.now + ttl_seconds * 1000,
      allowDuplicate: allow_duplicate,
    });
    const { memory, outcome, proposal } = result;
    announceStored(ctx, result, outcome);
    const repeated = repeatedText(outcome, memory, "save_context under its key");
    const structured = {
      id: memory.id,
      created_at: toIso(memory.createdAt) as string,
      outcome,
      version: memory.version,
      ...proposalOf(proposal),
      ...guardOf(outcome, result.found),
      ...(repeated && adviceOf(repeated)),
    };
    return { structured, text: json(structured), question: questionAfter(result) };
  },
});
